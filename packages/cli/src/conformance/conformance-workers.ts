import { HarnessError, type Report } from '@steploop/conformance'
import { mergeReports, partsOf, type MergeOptions, type CaseProgress } from '@steploop/conformance/cli'
import { runInPool } from '../processes/pool.ts'
import type { ConformanceJob, WorkerOptions } from '../processes/worker-messages.ts'

interface WorkersOptions {
  readonly config: string
  /** In the order of the report. */
  readonly subjects: readonly string[]
  readonly processes: number
  /** How many there are. */
  readonly cases: number
  readonly options: WorkerOptions
  readonly merge: MergeOptions
  /** What the report of the whole says of its options. */
  readonly asked: Report['asked']
  readonly onProgress: (progress: CaseProgress) => void
}

/** How many processes the subjects can be shared among. */
export function mostProcesses(subjects: number, shard?: WorkerOptions['shard']): number {
  return shard === undefined ? subjects * partsOf(subjects) : subjects
}

/**
 * Runs the subjects in several processes, in parts that share nothing: what is found is the same as in one process.
 *
 * @throws ProcessEnded when one of them ends too early, HarnessError `config` for a config that gives other cases there
 */
export async function runInWorkers(run: WorkersOptions): Promise<Report> {
  const started = performance.now()
  let done = 0
  const reports = await runInPool<ConformanceJob, Report>({
    command: 'conformance-worker',
    jobs: jobsOf(run),
    processes: run.processes,
    onProgress: ({ address }) => run.onProgress({ done: done++, total: run.cases, address }),
  })
  return { ...mergeShares(reports, run), durationMs: performance.now() - started }
}

/** The shares are shards of their own; to the caller they are one run, or one shard of it. */
function mergeShares(reports: readonly Report[], run: WorkersOptions): Report {
  const { subjects, merge, asked, options } = run
  const parts = reports.map((report) => ({ ...report, shard: undefined, planned: undefined, asked }))
  const merged = mergeReports(parts, { ...merge, subjects })
  refuseOther(merged, run)
  const { shard } = options
  const planned = reports.reduce((sum, report) => sum + (report.planned ?? 0), 0)
  return { ...merged, ...(shard !== undefined && { shard, planned }) }
}

/** A config may look at how its process was started; then nobody knows what the run was of. */
function refuseOther({ cases: found }: Report, { config, cases }: WorkersOptions): void {
  if (found.length === cases) return
  throw new HarnessError(
    'config',
    `The config file ${config} gives ${cases} cases here and ${found.length} in the processes that share them. Let it give the same everywhere, or run with --workers 1.`,
    { file: config },
  )
}

/** A shard of a run stays whole. */
function jobsOf({ config, subjects, options: given }: WorkersOptions): readonly ConformanceJob[] {
  const parts = partsOf(subjects.length)
  const options = { ...given, parts }
  if (options.shard !== undefined) return subjects.map((subject) => ({ config, subject, options }))
  const shards = Array.from({ length: parts }, (_, part) => ({ index: part + 1, count: parts }))
  return subjects.flatMap((subject) => shards.map((shard) => ({ config, subject, options: { ...options, shard } })))
}
