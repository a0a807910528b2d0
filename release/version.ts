import { runProgram } from '../test/registry/run-program.ts'

/**
 * Writes versions and changelogs from the changesets. All packages have one version (`fixed` in .changeset/config.json), so a package never
 * asks for another core than the one that it was released with.
 */
export async function versionPackages(root: string): Promise<void> {
  await runProgram('pnpm', ['exec', 'changeset', 'version'], { cwd: root })
}
