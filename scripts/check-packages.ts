/**
 * Packs each published package and checks what a consumer would get: publint and attw over the tarball, and
 * that its files are complete, hold no tests, and import nothing but declared dependencies (so no vendor's SDK types).
 * `pnpm packages` runs it on what is built. Exit 1 on a finding.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { z } from 'zod'
import { publicPackages } from '../release/packages.ts'
import { judgePublishedFiles, type PublishedPackage } from '../test/repository/published-files.ts'
import { repository } from '../test/repository/source-files.ts'

const run = promisify(execFile)

const Target = z.union([z.string(), z.record(z.string(), z.string())])
const Manifest = z.object({
  name: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
  exports: z.record(z.string(), Target),
  bin: z.record(z.string(), z.string()).default({}),
})
type Manifest = z.infer<typeof Manifest>
const Packed = z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) })

/** What consumers reach, who do not set the condition of our own tests. */
function entriesOf(conditions: Record<string, string>): string[] {
  const published = Object.entries(conditions).filter(([condition]) => condition !== '@steploop/source')
  return published.map(([, path]) => path)
}

function describePackage(root: string, manifest: Manifest, paths: readonly string[]): PublishedPackage {
  const conditions = Object.values(manifest.exports).map((target) =>
    typeof target === 'string' ? { default: target } : target,
  )
  return {
    name: manifest.name,
    entries: [...conditions.flatMap(entriesOf), ...Object.values(manifest.bin)],
    dependencies: new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })),
    usesNode: root !== 'packages/core' && !root.startsWith('packages/adapters/'),
    files: new Map(paths.map((path) => [path, readFileSync(join(repository, root, path), 'utf8')])),
  }
}

/** Every entry must load in plain Node, without the condition that our own tests use. */
async function loadEntries(cwd: string, { name, exports }: Manifest): Promise<string[]> {
  const entries = Object.keys(exports).filter((entry) => entry !== './package.json')
  const findings = entries.map(async (entry) => {
    const specifier = name + entry.slice(1)
    const program = `await import(${JSON.stringify(specifier)})`
    const words = ['--input-type=module', '--eval', program]
    return run(process.execPath, words, { cwd }).then(
      () => [],
      (error: unknown) => [`${specifier} does not load in Node: ${String(error)}`],
    )
  })
  return (await Promise.all(findings)).flat()
}

/** What publint says of a tarball. */
async function lintManifest(tarball: Uint8Array<ArrayBuffer>): Promise<string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true })
  return messages.map((message) => `publint: ${formatMessage(message, pkg) ?? message.code}`)
}

/** What attw says of a tarball. Nothing here is meant for require() or for node10 resolution. */
async function checkTypes(tarball: Uint8Array): Promise<string[]> {
  const checked = await checkPackage(createPackageFromTarballData(tarball))
  if (!checked.types) return []
  const found = checked.problems.filter(
    (problem) => !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind)),
  )
  // The trace of a resolution is pages long.
  return found.map((problem) => `attw: ${JSON.stringify({ ...problem, trace: undefined })}`)
}

async function checkPublished(root: string, temporary: string): Promise<void> {
  const folder = join(repository, root)
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
  const { stdout } = await run('pnpm', ['pack', '--json', '--pack-destination', temporary], { cwd: folder })
  const packed = Packed.parse(JSON.parse(stdout))
  // The licence is packed from the repository's root.
  const paths = packed.files.map(({ path }) => path).filter((path) => path !== 'LICENSE')
  if (paths.length === packed.files.length) throw new Error(`${manifest.name} would be published without its LICENSE`)
  const tarball = new Uint8Array(readFileSync(packed.filename))
  const findings = [
    ...judgePublishedFiles(describePackage(root, manifest, paths)),
    ...(await loadEntries(folder, manifest)),
    ...(await lintManifest(tarball)),
    ...(await checkTypes(tarball)),
  ]
  for (const finding of findings) console.error(`${manifest.name}: ${finding}`)
  if (findings.length > 0) process.exitCode = 1
  console.log(`${manifest.name}: ${packed.files.length} files packed, ${findings.length} findings`)
}

const temporary = mkdtempSync(join(tmpdir(), 'steploop-pack-'))
try {
  for (const { folder } of publicPackages(repository)) await checkPublished(folder, temporary)
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
