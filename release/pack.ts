import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { runProgram } from '../test/registry/run-program.ts'
import { publicPackages, type PublicPackage } from './packages.ts'

/** A package as it goes to the registry. */
export interface PackedPackage {
  readonly manifest: PublicPackage
  /** Absolute. */
  readonly tarball: string
  readonly bytes: number
  readonly sha256: string
}

const packOutput = z.object({ filename: z.string() })

/**
 * Builds all packages and packs those that are published, in the order in which they are to be published. What lay in `out` goes.
 *
 * @param out folder for the tarballs
 * @param isBuilt whether what is built is packed as it is
 * @throws Error for packages that were not versioned
 */
export async function packPackages(root: string, out: string, isBuilt = false): Promise<readonly PackedPackage[]> {
  const packages = publicPackages(root)
  const unversioned = packages.filter(({ version }) => version === '0.0.0').map(({ name }) => name)
  if (unversioned.length > 0)
    throw new Error(`Not versioned: ${unversioned.join(', ')}. Run \`pnpm release version\` first.`)
  if (!isBuilt) await runProgram('pnpm', ['build'], { cwd: root, deadline: 600_000 })
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const packed: PackedPackage[] = []
  for (const manifest of packages) {
    const cwd = join(root, manifest.folder)
    const { out: said } = await runProgram('pnpm', ['pack', '--json', '--pack-destination', resolve(out)], { cwd })
    const { filename } = packOutput.parse(JSON.parse(said.slice(said.indexOf('{'))))
    const tarball = resolve(out, filename)
    const content = readFileSync(tarball)
    const sha256 = createHash('sha256').update(content).digest('hex')
    packed.push({ manifest, tarball, bytes: content.length, sha256 })
  }
  return packed
}
