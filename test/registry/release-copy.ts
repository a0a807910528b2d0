import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { repository } from '../source-files.ts'
import { runProgram } from './run-program.ts'

export interface ReleasedPackage {
  readonly name: string
  readonly version: string
}

/**
 * What a release does, in a copy: versions from the changesets, then a build. The copy has what git knows or would add, without the
 * cassettes, which nothing published needs.
 *
 * @returns the packages that would be published
 */
export async function makeRelease(folder: string): Promise<readonly ReleasedPackage[]> {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: repository, encoding: 'utf8' })
  const files = listed.split('\n').filter((path) => path !== '' && !path.startsWith('cassettes/'))
  for (const file of files.filter((path) => existsSync(join(repository, path)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(repository, file), join(folder, file))
  }
  await runProgram('pnpm', ['install', '--prefer-offline', '--frozen-lockfile'], { cwd: folder })
  await runProgram('pnpm', ['exec', 'changeset', 'version'], { cwd: folder })
  await runProgram('pnpm', ['build'], { cwd: folder })
  return publicPackages(folder)
}

/** @throws Error when one of them was not versioned */
function publicPackages(folder: string): readonly ReleasedPackage[] {
  const manifests = globSync(
    ['packages/*/package.json', 'packages/adapters/*/package.json', 'conformance/package.json'],
    {
      cwd: folder,
    },
  )
  return manifests.toSorted().flatMap((path) => {
    // Written by us; what is not there shows in what follows.
    const manifest = JSON.parse(readFileSync(join(folder, path), 'utf8')) as ReleasedPackage & { private?: boolean }
    if (manifest.private) return []
    if (manifest.version === '0.0.0') throw new Error(`${manifest.name} has no changeset: it would not be released`)
    return [{ name: manifest.name, version: manifest.version }]
  })
}

/**
 * What the release after this one does: core gets new features. Every package that names core in a range has to come along, or it would
 * go on asking for the old one. Gives those that stay behind.
 */
export async function staysBehind(folder: string, released: readonly ReleasedPackage[]): Promise<readonly string[]> {
  writeFileSync(join(folder, '.changeset/next.md'), `---\n'@steploop/core': minor\n---\n\nMore.\n`)
  await runProgram('pnpm', ['exec', 'changeset', 'version'], { cwd: folder })
  const next = new Map(publicPackages(folder).map(({ name, version }) => [name, version]))
  return released
    .filter(({ name, version }) => next.get(name) === version && name !== '@steploop/cassette')
    .map(({ name }) => `a new core does not release ${name}, which goes on asking for the old one`)
}

/** Publishes all packages of the copy that are not private. */
export async function publish(folder: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  await runProgram('pnpm', ['--recursive', 'publish', '--no-git-checks', '--access', 'public'], { cwd: folder, env })
}
