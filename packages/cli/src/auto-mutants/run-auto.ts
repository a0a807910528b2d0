import { existsSync, readFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HarnessError } from '@steploop/conformance'
import { exitCodes } from '../command/exit-codes.ts'
import { loadConfig, type LoadedConfig } from '../config/load-config.ts'
import { defaultTraffic } from '../traffic/traffic.ts'
import { inLanes } from '../processes/pool.ts'
import { checkReportFiles, writeReport } from '../command/write-report.ts'
import { autoReport, printAutoReport, staleLines, type TriedPackage } from './auto-report.ts'
import { declaredFile, readDeclared } from './declared-mutants.ts'
import { drawMutations, findMutations, loadParser } from './find-mutations.ts'
import {
  baselineOf,
  judgeMutant,
  RedBaseline,
  type Baseline,
  type Bench,
  type Outcome,
  type Running,
} from './judge-mutant.ts'
import { mutate, type Mutation } from './mutation.ts'
import { packagesToMutate, type PackageToMutate } from './packages-to-mutate.ts'

export interface AutoOptions {
  readonly config: string | undefined
  /** Packages, or beginnings of ids. */
  readonly only: readonly string[]
  /** Mutants of each package. */
  readonly sample: number
  readonly seed: number
  readonly processes: number
  /** Folders of unit tests beside those of the packages, from the current one. */
  readonly tests: readonly string[]
  readonly json: string | undefined
}

/** `steploop mutants --auto`: changes that nobody chose, and who notices them. Sources are changed in memory only. */
export async function runAuto(options: AutoOptions): Promise<number> {
  const started = performance.now()
  await checkReportFiles({ '--json': options.json })
  const config = await loadConfig(options.config)
  const declared = readDeclared(join(config.root, declaredFile))
  const packages = packagesToMutate(config, options.only)
  const running = new Set<Running>()
  try {
    const prepared = await prepare(packages, {
      config,
      options,
      running,
      declared: new Set(declared.map(({ id }) => id)),
    })
    const tried = await tryAll(prepared, { options, running, started })
    const ours = declared.filter(({ id }) => prepared.some(({ name }) => id.startsWith(`${name}/`)))
    const known = new Set(prepared.flatMap((one) => one.all.map(({ id }) => id)))
    const stale = staleLines(
      ours,
      known,
      tried.flatMap(({ outcomes }) => outcomes),
    )
    const { seed, sample, json } = options
    const durationMs = performance.now() - started
    const report = autoReport({ seed, sample, packages: tried, root: config.root, stale, durationMs })
    if (json !== '-') process.stdout.write(`${printAutoReport(report)}\n`)
    if (json !== undefined) await writeReport(json, `${JSON.stringify(report, undefined, 2)}\n`)
    const isClean = stale.length === 0 && report.outcomes.every(({ noticed }) => noticed !== null)
    return isClean ? exitCodes.expected : exitCodes.finding
  } catch (error) {
    if (!(error instanceof RedBaseline)) throw error
    console.error(`steploop: ${error.message}. Fix that first.`)
    return exitCodes.harness
  } finally {
    for (const worker of running) worker.end('SIGKILL')
  }
}

interface Prepared extends PackageToMutate {
  readonly bench: Bench
  readonly baseline: Baseline
  readonly all: readonly Mutation[]
  readonly drawn: readonly Mutation[]
  readonly declared: number
  /** What is mutated, by path. */
  readonly sources: ReadonlyMap<string, string>
}

interface Preparation {
  readonly config: LoadedConfig
  readonly options: AutoOptions
  readonly running: Set<Running>
  readonly declared: ReadonlySet<string>
}

/** Runs the judges over the packages as they are, which also tells what files there are to mutate, and draws. */
async function prepare(packages: readonly PackageToMutate[], given: Preparation): Promise<readonly Prepared[]> {
  const { config, options, running, declared } = given
  const parser = await loadParser()
  const prepared = new Map<string, Prepared>()
  await inLanes(packages, options.processes, async (one) => {
    const bench = benchOf(one, config, options)
    const baseline = await baselineOf(bench, running)
    const files = bench.filesIn(baseline.suite?.modules ?? [])
    const sources = new Map(files.map((path) => [path, readFileSync(path, 'utf8')]))
    const all = [...sources].flatMap(([file, text]) => findMutations({ ...one, file, text }, parser))
    const asked = all.filter(({ id }) => options.only.length === 0 || options.only.some((name) => isOf(id, one, name)))
    // One that is asked for by its id is tried although it is declared.
    const open = asked.filter(({ id }) => options.only.includes(id) || !declared.has(id))
    const drawn = drawMutations(open, options, (mutation) => {
      const { errors } = parser.parseSync(mutation.file, mutate(sources.get(mutation.file) ?? '', mutation))
      return errors.length === 0
    })
    prepared.set(one.name, {
      ...one,
      bench,
      baseline,
      all,
      drawn,
      sources,
      declared: asked.filter(({ id }) => declared.has(id)).length,
    })
    process.stderr.write(`${one.name}: ${all.length} mutants in ${sources.size} files, ${drawn.length} drawn\n`)
  })
  return packages.flatMap(({ name }) => prepared.get(name) ?? [])
}

function isOf(id: string, { name }: PackageToMutate, asked: string): boolean {
  return asked === name || id.startsWith(asked)
}

function benchOf(
  { folder, subjects, loopTests }: PackageToMutate,
  { file, root }: LoadedConfig,
  { tests }: AutoOptions,
): Bench {
  return {
    config: file,
    root,
    subject: subjects[0],
    subjects,
    traffic: defaultTraffic.map((name) => resolve(root, name)).filter((path) => existsSync(path)),
    loopTests: loopTests === undefined ? [] : [loopTests],
    tests: [folder, ...tests.map((path) => resolve(path))],
    filesIn: (modules) => filesIn(folder, file, modules),
  }
}

/** What of the package was loaded: no tests, and nothing that has types alone. */
function filesIn(folder: string, config: string, modules: readonly string[]): readonly string[] {
  const paths = modules.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url))
  const own = paths.filter(
    (path) => path.startsWith(folder + sep) && !path.slice(folder.length).includes('node_modules'),
  )
  return own.filter((path) => /\.[mc]?[jt]s$/.test(path) && path !== config).toSorted()
}

interface Trial {
  readonly options: AutoOptions
  readonly running: Set<Running>
  readonly started: number
}

async function tryAll(
  packages: readonly Prepared[],
  { options, running, started }: Trial,
): Promise<readonly TriedPackage[]> {
  const trials = packages.flatMap((one) => one.drawn.map((mutation) => ({ one, mutation })))
  const outcomes = new Map<Mutation, Outcome>()
  await inLanes(trials, options.processes, async ({ one, mutation }) => {
    if (readFileSync(mutation.file, 'utf8') !== one.sources.get(mutation.file)) {
      const fix = 'Leave the sources and tests alone while mutants are judged.'
      throw new HarnessError('usage', `${mutation.file} was changed in the meantime. ${fix}`)
    }
    const outcome = await judgeMutant(mutation, { bench: one.bench, baseline: one.baseline, running })
    outcomes.set(mutation, outcome)
    const seconds = Math.round((performance.now() - started) / 1000)
    const { noticed } = outcome
    const said = noticed === undefined ? 'survives' : `${noticed.judge}: ${noticed.by}`
    process.stderr.write(
      `${outcomes.size} of ${trials.length}, ${seconds} s: ${mutation.id} ${mutation.operator}: ${said}\n`,
    )
  })
  return packages.map(({ name, all, declared, drawn }) => {
    const own = drawn.flatMap((mutation) => outcomes.get(mutation) ?? [])
    return { name, mutations: all.length, declared, outcomes: own }
  })
}
