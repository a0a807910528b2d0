import type { PublicPackage } from './packages.ts'

type Released = Pick<PublicPackage, 'name' | 'version' | 'peerDependencies'>

const core = '@steploop/core'

/**
 * Packages that an application gets with its old `^` range although they ask for a core that it does not have; a line each.
 * An application that keeps to `^` of an adapter must never get one.
 */
export function brokenApplications(before: readonly Released[], after: readonly Released[]): readonly string[] {
  const old = new Map(before.map(({ name, version }) => [name, version]))
  const coreBefore = old.get(core) ?? ''
  const coreNow = after.find(({ name }) => name === core)?.version ?? ''
  if (isInRange(coreNow, coreBefore)) return []
  return after
    .filter(({ peerDependencies }) => peerDependencies[core] !== undefined)
    .filter(({ name, version }) => isInRange(version, old.get(name) ?? ''))
    .map(
      ({ name, version }) =>
        `${name}@${version} asks for core ${coreNow}, and applications with ^${old.get(name)} of it have ^${coreBefore}`,
    )
}

/** Whether `^version` of before allows it; below 1.0.0 that is the same minor version. */
function isInRange(version: string, before: string): boolean {
  const [major, minor] = version.split('.')
  const [majorBefore, minorBefore] = before.split('.')
  return major === majorBefore && (major !== '0' || minor === minorBefore)
}
