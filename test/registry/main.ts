/**
 * `pnpm scaffold:test`: releases all packages to a registry on the loopback interface, and then does what strangers do, in folders
 * outside of the workspace: installs core and one adapter, makes a package of each kind with `npm create steploop-adapter`, runs the suite
 * in it, fills it in, runs it again. Exit 1 when anything is not as it should be. Packages of others come from the registry that npm is
 * configured with; npm keeps them in `.cache/npm`. `--keep` leaves the folder there to look at, `--only KIND` tries one kind.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repository } from '../repository/source-files.ts'
import { installAlone, publishedRanges } from './install-alone.ts'
import { startRegistry, type PrivateRegistry } from './private-registry.ts'
import { packPackages } from '../../release/pack.ts'
import { publishPackages } from '../../release/publish.ts'
import { versionPackages } from '../../release/version.ts'
import { copyRepository } from './release-copy.ts'
import { expectations, tryScaffold, type Expectation } from './try-scaffold.ts'

const options = { keep: { type: 'boolean', default: false }, only: { type: 'string' } } as const
const { values } = parseArgs({ options })
const started = performance.now()

/** What was done, with the seconds since the start. */
function tell(what: string): void {
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${what}`)
}

function chosen(): readonly Expectation[] {
  if (values.only === undefined) return expectations
  const found = expectations.filter(({ kind }) => kind === values.only)
  if (found.length > 0) return found
  throw new Error(`There is no kind '${values.only}'. There are: ${expectations.map(({ kind }) => kind).join(', ')}.`)
}

async function strangers(folder: string, registry: PrivateRegistry): Promise<readonly string[]> {
  const findings: string[] = []
  const alone = await installAlone(join(folder, 'alone'), registry)
  findings.push(...alone.findings.map((finding) => `core and one adapter alone: ${finding}`))
  tell(`installed alone: ${alone.summary}`)
  for (const expectation of chosen()) {
    const path = join(folder, expectation.kind)
    mkdirSync(path)
    const found = await tryScaffold(path, expectation, registry, (step) => tell(`  ${expectation.kind}: ${step}`))
    findings.push(...found.map((finding) => `${expectation.kind}: ${finding}`))
    tell(`${expectation.kind}: ${found.length === 0 ? 'as expected' : `${found.length} findings`}`)
  }
  return findings
}

async function main(folder: string): Promise<readonly string[]> {
  const uplink = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  const cache = join(repository, '.cache/npm')
  const registry = await startRegistry({ folder: join(folder, 'registry'), uplink, cache })
  tell('the registry answers')
  try {
    const copy = join(folder, 'release')
    await copyRepository(copy)
    await versionPackages(copy)
    const packed = await packPackages(copy, join(folder, 'tarballs'))
    tell(`versioned, built and packed ${packed.length} packages`)
    await publishPackages(packed, { registry: registry.url, provenance: false, env: registry.env })
    const ranges = await publishedRanges(
      packed.map(({ manifest }) => manifest),
      registry,
    )
    tell(`published them; ${ranges.length} findings in their ranges`)
    return [...ranges, ...(await strangers(folder, registry))]
  } finally {
    await registry.close()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'steploop-registry-'))
try {
  const findings = await main(folder)
  for (const finding of findings) console.error(finding)
  if (findings.length > 0) process.exitCode = 1
  tell(`done: ${findings.length} findings`)
} finally {
  if (values.keep) tell(`kept: ${folder}`)
  else rmSync(folder, { recursive: true, force: true })
}
