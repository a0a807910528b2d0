import { runAtOnce } from './trials/at-once.ts'
import { tryFaults, type FaultOutcome } from './trials/faults.ts'
import { probe, tryCallerFaults, type ForeignServer } from './foreign-server.ts'
import { fuzz, type FuzzOptions } from './trials/fuzz.ts'
import { fuzzOwn } from './trials/fuzz-own.ts'
import { checkGateways } from './gateway-part.ts'
import { candidatesOf, type Candidate } from './trials/trial.ts'
import { lemonadeKind } from './servers/lemonade.ts'
import { NoServer } from './servers/live-error.ts'
import type { LiveJob } from './live-job.ts'
import { record } from './live-record.ts'
import type { LiveReport } from './live-report.ts'
import { findLlamaServer, llamaKind } from './servers/llama-server.ts'
import type { ServerKind } from './servers/server-kind.ts'

/** All parts on servers of our own. Where none can be had the report says so. */
export async function checkOwn(job: LiveJob): Promise<void> {
  const { report, cache, say, patience, signal } = job
  await orSkipped(report, async () => {
    const program = await findLlamaServer(cache, say)
    const llama = llamaKind(program, patience)
    await checkKind(job, llama)
    if (job.subjects.some(({ wire }) => wire === 'ollama-chat')) {
      await orSkipped(report, async () => checkKind(job, await lemonadeKind(program, cache, say, patience)))
    }
    if (job.parts.includes('gateways') && !signal.aborted) {
      await orSkipped(report, async () => checkGateways(job, llama))
    }
  })
}

async function orSkipped(report: LiveReport, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof NoServer)) throw error
    report.skipped.push(error.message)
  }
}

async function checkKind(job: LiveJob, kind: ServerKind): Promise<void> {
  const { parts: chosen, subjects, modes, signal, report } = job
  const candidatesWith = (wires: readonly string[]): readonly Candidate[] =>
    candidatesOf(
      subjects.filter(({ wire }) => wires.includes(wire)),
      modes,
    )
  const candidates = candidatesWith(kind.wires)
  const others = candidatesWith(kind.alsoSpeaks)
  if (candidates.length === 0 || signal.aborted || !chosen.some((part) => part !== 'gateways')) return
  report.servers.push(kind.version)
  if (chosen.includes('record')) await record(job, kind)
  if (chosen.includes('faults') && !signal.aborted)
    report.faults.push(...(await breakKind(job, kind, candidates, others)))
  if (chosen.includes('at-once') && !signal.aborted) report.atOnce.push(await runAtOnce(kind, candidates, 12))
  if (!chosen.includes('fuzz') || signal.aborted) return
  report.fuzz.push(await fuzzOwn({ ...fuzzOptions(job, [...candidates, ...others]), kind }))
}

async function breakKind(
  { crashes, signal, progress }: LiveJob,
  kind: ServerKind,
  candidates: readonly Candidate[],
  others: readonly Candidate[],
): Promise<readonly FaultOutcome[]> {
  let trials = 0
  const onTrial = (fault: string, candidate: string): void => progress.begin(++trials, trials, `${fault} ${candidate}`)
  return tryFaults({ kind, candidates, others, crashes, signal, onTrial })
}

function fuzzOptions({ runs, seed, signal, progress }: LiveJob, candidates: readonly Candidate[]): Drawn {
  return { candidates, runs, seed, signal, onRun: (number) => progress.begin(number, runs, 'fuzz') }
}

type Drawn = Pick<FuzzOptions, 'candidates' | 'runs' | 'seed' | 'signal' | 'onRun'>

/** Fuzz and faults on a server that was started elsewhere. */
export async function checkForeign(job: LiveJob, foreign: NonNullable<LiveJob['foreign']>): Promise<void> {
  const { parts: chosen, report, progress, signal, subjects, patience } = job
  const candidates = candidatesOf(subjects, job.modes)
  // The path of a base URL is the subject's, so that one address serves all.
  const { origin } = new URL(foreign.url)
  const apiKeyOf = ({ subject }: Candidate): string | undefined =>
    subject.apiKeyVariable === undefined ? undefined : process.env[subject.apiKeyVariable]
  const server: ForeignServer = { ...foreign, url: origin, apiKeyOf, patience }
  for (const candidate of candidates) {
    progress.begin(1, candidates.length, `probe ${candidate.subject.name}`)
    await probe(candidate, server)
  }
  report.servers.push(foreign.url)
  let trials = 0
  const onTrial = (fault: string, candidate: string): void => progress.begin(++trials, trials, `${fault} ${candidate}`)
  if (chosen.includes('faults')) report.faults.push(...(await tryCallerFaults(candidates, server, onTrial)))
  if (!chosen.includes('fuzz') || signal.aborted) return
  report.fuzz.push(await fuzz({ ...fuzzOptions(job, candidates), ...server, server: origin }))
}
