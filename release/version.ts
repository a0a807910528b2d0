import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../test/registry/run-program.ts'
import { publicPackages } from './packages.ts'

/**
 * Writes versions and changelogs from the changesets. All packages have one version (`fixed` in .changeset/config.json), so a package never
 * asks for another core than the one that it was released with.
 *
 * A first release says what there is, in the files `first-release*.md`. Other changesets tell of changes to what nobody ever had: they are
 * left out, and their names are given.
 */
export async function versionPackages(root: string): Promise<{ readonly leftOut: readonly string[] }> {
  const isFirst = publicPackages(root).every(({ version }) => version === '0.0.0')
  const leftOut = isFirst ? otherChangesets(root) : []
  for (const file of leftOut) rmSync(join(root, file))
  await runProgram('pnpm', ['exec', 'changeset', 'version'], { cwd: root })
  return { leftOut }
}

/** All but those of the first release, as paths. */
export function otherChangesets(root: string): readonly string[] {
  const files = globSync('.changeset/*.md', { cwd: root }).toSorted()
  return files.filter((file) => !/\/(first-release[^/]*|README)\.md$/.test(file))
}
