import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publishedRanges } from '../test/registry/install-alone.ts'
import { startRegistry } from '../test/registry/private-registry.ts'
import { copyRepository } from '../test/registry/release-copy.ts'
import { brokenApplications } from './broken-applications.ts'
import { packPackages } from './pack.ts'
import { publicPackages } from './packages.ts'
import { publishPackages } from './publish.ts'
import { versionPackages } from './version.ts'

/**
 * A whole release in a copy of the repository, to a registry on the loopback interface: version, pack, publish, publish again, and what
 * the release after it would do. Gives what is wrong, a line each.
 *
 * @param isBuilt whether the copy has what is built here, and builds nothing
 */
export async function dryRun(root: string, isBuilt: boolean, tell: (what: string) => void): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'steploop-release-'))
  const uplink = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  const cache = join(root, '.cache/npm')
  const registry = await startRegistry({ folder: join(folder, 'registry'), uplink, cache })
  try {
    const copy = join(folder, 'copy')
    await copyRepository(copy)
    if (isBuilt) {
      for (const { folder: path } of publicPackages(root))
        cpSync(join(root, path, 'dist'), join(copy, path, 'dist'), { recursive: true })
    }
    await versionPackages(copy)
    tell('versioned')
    const packed = await packPackages(copy, join(folder, 'tarballs'), isBuilt)
    tell(`packed ${packed.length} packages, ${Math.round(packed.reduce((sum, { bytes }) => sum + bytes, 0) / 1000)} kB`)
    const options = { registry: registry.url, provenance: false, env: registry.env }
    const first = await publishPackages(packed, options)
    const second = await publishPackages(packed, options)
    tell(`published ${first.published.length}, and ${second.published.length} when run again`)
    const again = second.published.map((label) => `${label} was published twice`)
    const ranges = await publishedRanges(
      packed.map(({ manifest }) => manifest),
      registry,
    )
    const next = await judgeNextRelease(copy)
    tell('versioned the release after it')
    return [...again, ...ranges, ...next]
  } finally {
    await registry.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What a release with more in core does to those who stay behind, in a checkout that is versioned; a line each. */
async function judgeNextRelease(root: string): Promise<readonly string[]> {
  const before = publicPackages(root)
  writeFileSync(join(root, '.changeset/next.md'), "---\n'@steploop/core': minor\n---\n\nMore.\n")
  await versionPackages(root)
  return brokenApplications(before, publicPackages(root))
}
