import { extname } from 'node:path'
import { startWorker, type WorkerProcess } from '../processes/worker-process.ts'
import { isIdle } from './code-reached.ts'
import { isVitest, judges, type JudgeFinding, type Judge, type Judgement, type JudgeJob } from './judgement.ts'
import { mutationVariable, type Mutation } from './mutation.ts'

/** How a judge is asked about a package, whatever was changed in it. */
export interface Bench extends Omit<JudgeJob, 'judge' | 'mutation' | 'reached'> {
  /** Which of the modules that the suite loads can be mutated, as paths. */
  readonly filesIn: (modules: readonly string[]) => readonly string[]
}

/** What the judges say of the package as it is. */
export type Baseline = Readonly<Partial<Record<Judge, Judgement & { readonly durationMs: number }>>>

export interface Outcome {
  readonly mutation: Mutation
  /** The judge that noticed, and what it saw; `undefined`: it survived. */
  readonly noticed: { readonly judge: Judge; readonly by: string } | undefined
  /** What each judge that was asked looked at. */
  readonly ran: readonly string[]
  readonly durationMs: number
}

const hook = new URL(`load-mutated${extname(import.meta.url)}`, import.meta.url).href
/** A mutant that fills the memory is to end itself, not the machine. */
const memory = '--max-old-space-size=2048'
/** Multiple of the time that it takes without a mutation; a machine may become busier. */
const patience = 10
const leastMs = 180_000

/** A judge that finds something although nothing was changed proves nothing. */
export class RedBaseline extends Error {
  override readonly name = 'RedBaseline'
}

/** @throws RedBaseline, and HarnessError when a judge cannot be asked */
export async function baselineOf({ filesIn, ...bench }: Bench, running: Set<Running>): Promise<Baseline> {
  const baseline: Partial<Record<Judge, Judgement & { durationMs: number }>> = {}
  // The suite's cases first: they tell what there is to mutate.
  for (const judge of judgesOf(bench).toSorted((one, other) => Number(other === 'suite') - Number(one === 'suite'))) {
    const started = performance.now()
    const reached = filesIn(baseline.suite?.modules ?? [])
    const judgement = await ask({ ...bench, judge, reached, mutation: undefined }, running)
    if (judgement.noticedBy !== undefined)
      throw new RedBaseline(`${judge}, ${bench.subject}: red without any mutant: ${judgement.noticedBy}`)
    baseline[judge] = { ...judgement, durationMs: performance.now() - started }
  }
  return baseline
}

/** Asks the judges one after the other, until one notices. */
export async function judgeMutant(
  mutation: Mutation,
  { bench, baseline, running }: { readonly bench: Bench; readonly baseline: Baseline; readonly running: Set<Running> },
): Promise<Outcome> {
  const started = performance.now()
  const { filesIn: _, ...asked } = bench
  const ran: string[] = []
  for (const judge of judgesOf(bench)) {
    if (isIdle(baseline[judge]?.idle ?? {}, mutation)) {
      ran.push(`${judge}: never comes there`)
      continue
    }
    const limitMs = Math.max(leastMs, patience * (baseline[judge]?.durationMs ?? 0))
    const { file, start, end, replacement, before } = mutation
    const job = { ...asked, judge, reached: [file], mutation: { file, start, end, replacement, before } }
    const { noticedBy, ran: looked } = await askMutant(job, running, limitMs)
    ran.push(`${judge}: ${looked}`)
    if (noticedBy !== undefined)
      return { mutation, noticed: { judge, by: noticedBy }, ran, durationMs: performance.now() - started }
  }
  return { mutation, noticed: undefined, ran, durationMs: performance.now() - started }
}

/** Without recordings there is nothing to ask traffic about, and most packages have no loop. */
function judgesOf({ traffic, loopTests }: Pick<Bench, 'traffic' | 'loopTests'>): readonly Judge[] {
  return judges.filter(
    (judge) => (judge !== 'traffic' || traffic.length > 0) && (judge !== 'loop' || loopTests.length > 0),
  )
}

export type Running = WorkerProcess<JudgeJob, Judgement>

/** A mutant that cannot be loaded, ends its process or never comes to an end was noticed. */
export async function askMutant(job: JudgeJob, running: Set<Running>, limitMs: number): Promise<JudgeFinding> {
  try {
    return await ask(job, running, limitMs)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { noticedBy: reason.split('\n', 1)[0] ?? reason, ran: 'not to its end' }
  }
}

async function ask(job: JudgeJob, running: Set<Running>, limitMs?: number): Promise<Judgement> {
  // Vitest loads sources in a way of its own.
  const hooked = isVitest(job.judge) ? {} : { [mutationVariable]: JSON.stringify(job.mutation ?? null) }
  const worker = startWorker<JudgeJob, Judgement>('judge-worker', {
    nodeOptions: [memory, ...(isVitest(job.judge) ? [] : ['--import', hook])],
    environment: hooked,
    output: job.mutation === undefined ? 'stderr' : 'ignore',
  })
  running.add(worker)
  let tooLong = false
  const timer = setTimeout(
    () => {
      tooLong = true
      worker.end('SIGKILL')
    },
    limitMs ?? 2 ** 31 - 1,
  )
  try {
    return await worker.ask(job, () => undefined)
  } catch (error) {
    if (tooLong) throw new Error(`timeout: no answer in ${Math.round((limitMs ?? 0) / 1000)} s`, { cause: error })
    throw error
  } finally {
    clearTimeout(timer)
    worker.end('SIGKILL')
    running.delete(worker)
  }
}
