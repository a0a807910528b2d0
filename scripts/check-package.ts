/**
 * Packs the package in the current folder and checks what a consumer would get: publint and attw over the tarball, and
 * that its files are complete, hold no tests, and import nothing but declared dependencies (so no vendor's SDK types).
 * `pnpm packages` runs it for each published package. Exit 1 on a finding.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { z } from 'zod'
import { judgePublishedFiles, type PublishedPackage } from '../test/repository/published-files.ts'
import { repository } from '../test/repository/source-files.ts'

const Target = z.union([z.string(), z.record(z.string(), z.string())])
const Manifest = z.object({
  name: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
  exports: z.record(z.string(), Target),
  bin: z.record(z.string(), z.string()).default({}),
})
const Packed = z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) })

const folder = process.cwd()
const manifest = Manifest.parse(JSON.parse(readFileSync('package.json', 'utf8')))

/** What consumers reach, who do not set the condition of our own tests. */
function entriesOf(conditions: Record<string, string>): string[] {
  const published = Object.entries(conditions).filter(([condition]) => condition !== '@steploop/source')
  return published.map(([, path]) => path)
}

function describePackage(paths: readonly string[]): PublishedPackage {
  const conditions = Object.values(manifest.exports).map((target) =>
    typeof target === 'string' ? { default: target } : target,
  )
  const root = relative(repository, folder).replaceAll('\\', '/')
  return {
    name: manifest.name,
    entries: [...conditions.flatMap(entriesOf), ...Object.values(manifest.bin)],
    dependencies: new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })),
    usesNode: root !== 'packages/core' && !root.startsWith('packages/adapters/'),
    files: new Map(paths.map((path) => [path, readFileSync(resolve(folder, path), 'utf8')])),
  }
}

/** Every entry must load in plain Node, without the condition that our own tests use. */
function loadEntries(): string[] {
  const names = Object.keys(manifest.exports).filter((name) => name !== './package.json')
  return names.flatMap((name) => {
    const specifier = manifest.name + name.slice(1)
    try {
      const program = `await import(${JSON.stringify(specifier)})`
      execFileSync(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'pipe' })
      return []
    } catch (error) {
      return [`${specifier} does not load in Node: ${String(error)}`]
    }
  })
}

/** A checker of the workspace; what it prints is shown only when it finds something. */
function runTool(name: string, values: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(join(repository, 'node_modules/.bin', name), values, {
    encoding: 'utf8',
  })
  if (status === 0) return
  console.error(`${manifest.name}: ${name} found something\n${stdout}${stderr}`)
  process.exitCode = 1
}

const temporary = mkdtempSync(join(tmpdir(), 'steploop-pack-'))
try {
  const json = execFileSync('pnpm', ['pack', '--json', '--pack-destination', temporary], { encoding: 'utf8' })
  const packed = Packed.parse(JSON.parse(json))
  // The licence is packed from the repository's root.
  const paths = packed.files.map(({ path }) => path).filter((path) => path !== 'LICENSE')
  if (paths.length === packed.files.length) throw new Error(`${manifest.name} would be published without its LICENSE`)
  const findings = [...judgePublishedFiles(describePackage(paths)), ...loadEntries()]
  for (const finding of findings) console.error(`${manifest.name}: ${finding}`)
  if (findings.length > 0) process.exitCode = 1
  runTool('publint', ['run', packed.filename, '--strict'])
  // esm-only: nothing here is meant for require() or for node10 resolution.
  runTool('attw', [packed.filename, '--profile', 'esm-only', '--format', 'ascii', '--no-color'])
  console.log(`${manifest.name}: ${packed.files.length} files packed, ${findings.length} findings`)
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
