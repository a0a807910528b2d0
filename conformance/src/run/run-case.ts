import type { Cassette } from '@steploop/cassette'
import type { Adapter } from '@steploop/core'
import { cassettePath } from '../cassette-path.ts'
import { caseAddress, type Failure } from '../check.ts'
import { described } from '../described.ts'
import type { Evidence } from '../evidence.ts'
import { caseDetails } from '../report/case-details.ts'
import type { CaseReport, CheckReport } from '../report-schema.ts'
import { timeline } from '../judge/timeline.ts'
import { isUnexpected, worstVerdict } from '../verdict.ts'
import { lineDiff } from '../judge/trace/line-diff.ts'
import { traceOf } from '../judge/trace/trace.ts'
import { canonicalJson } from '../json.ts'
import { claimFailures, hiddenClaims, notApplicable } from '../judge/applicability.ts'
import { checkOf, repeatOf, type CaseJob } from '../stress/case-job.ts'
import { openFrontEnd, replayProblems, type FrontEndName } from '../play/front-ends.ts'
import { isEventStream, scanMessages } from '../wires/read/event-stream.ts'
import { judgeCase } from '../judge/judge-case.ts'
import { loadCassette, type CheckFailure } from './load-cassette.ts'
import { notRecordable } from '../play/own-format.ts'
import { probeClaim } from './probe-claim.ts'
import { canary, playScenario } from '../play/play-scenario.ts'
import { stressCase } from '../stress/stress-case.ts'
import { noBytes, notScripted, openScript } from '../play/turn-script.ts'

export interface CaseOutcome {
  readonly report: CaseReport
  /** Only of a case that was played. */
  readonly evidence: Evidence | undefined
}

/** Plays, judges and stresses one scenario in one mode for one subject. */
export async function runCase(job: CaseJob): Promise<CaseOutcome> {
  const started = performance.now()
  const adapter = adapterOf(job)
  if ('failure' in adapter)
    return { report: outcome(job, started, [oneCheck(job, adapter.failure)]), evidence: undefined }
  const hidden = hiddenClaims(job.scenario, adapter.capabilities, job)
  const claims = claimsCheck(job, [...claimFailures(adapter), ...hidden])
  const reason =
    notScripted(job.subject, job.scenario) ??
    notApplicable(job.scenario, adapter.capabilities, { mode: job.mode, subject: job.subject }) ??
    (job.subject.turnScript === undefined ? notRecordable(job) : undefined)
  if (reason !== undefined) {
    const isProbed = claims.verdict === 'pass' && job.subject.turnScript === undefined
    const probed = isProbed ? claimsCheck(job, await probeClaim(job, adapter)) : claims
    job.onTime('probes', performance.now() - started)
    const report =
      probed.verdict === 'fail' && job.isRequired(probed.id)
        ? outcome(job, started, [probed])
        : { ...outcome(job, started, []), verdict: 'not-applicable' as const, reason }
    return { report, evidence: undefined }
  }
  if (job.subject.turnScript !== undefined) return runScripted(job, started, claims)
  const loaded = loadCassette(job)
  if ('failure' in loaded)
    return { report: outcome(job, started, [claims, oneCheck(job, loaded.failure)]), evidence: undefined }
  const { cassette } = loaded
  const played = await playThrough(job, cassette)
  const { evidence } = played
  job.onTime('cases', performance.now() - started)
  const checks = [claims, ...judgeCase(evidence, job.scenario, job.subject), ...played.checks]
  const judged = checks.filter(({ id }) => job.isRequired(id))
  const stressed = judged.some(({ verdict }) => isUnexpected(verdict)) ? [] : await stressCase(job, cassette, evidence)
  const report = outcome(job, started, [...judged, ...stressed], evidence)
  const { kind, by, date, server } = cassette.header.origin
  const file = cassettePath(job.subject, job.scenario.id, job.mode)
  const details = job.details && { details: caseDetails(evidence, { cassette, file }) }
  return {
    report: { ...report, origin: { kind, by, date, ...(server !== undefined && { server }) }, ...details },
    evidence,
  }
}

function claimsCheck(job: CaseJob, failures: readonly Failure[]): CheckReport {
  const sentence =
    'Capabilities are known by name, of the right kind, do not contradict each other, and leave nothing out that the adapter can do.'
  return checkOf(job, 'claims', sentence, failures)
}

/** The harness itself could not go on with a case; the others are judged all the same. */
export function brokenCase(job: CaseJob, error: unknown): CaseOutcome {
  const message = `the case broke off: ${described(error)}. Something that the adapter gives cannot be read, or this is a bug of the suite.`
  const check = checkOf(job, 'adapter', 'What the adapter gives can be read.', [{ message }])
  return {
    report: outcome(job, performance.now(), [{ ...check, verdict: 'harness-error' }]),
    evidence: undefined,
  }
}

/** The scenario's own script answers: there is no cassette, and nothing that stressors could do to it. */
async function runScripted(job: CaseJob, started: number, claims: CheckReport): Promise<CaseOutcome> {
  const { subject, scenario, mode, deadline } = job
  const script = openScript({ scenario, mode, model: subject.model })
  const played = await playScenario({ subject, scenario, mode, fetch: globalThis.fetch, deadline, script })
  const evidence = { ...played, replayProblems: script.problems() }
  job.onTime('cases', performance.now() - started)
  const stressed = job.stress.map(({ stressor: { id, sentence } }): CheckReport => {
    return { ...checkOf(job, id, sentence, []), verdict: 'not-applicable', reason: noBytes }
  })
  const judged = [claims, ...judgeCase(evidence, scenario, subject)].filter(({ id }) => job.isRequired(id))
  const checks = [...judged, ...stressed]
  const details = job.details && { details: caseDetails(evidence) }
  return { report: { ...outcome(job, started, checks, evidence), ...details }, evidence }
}

function outcome(job: CaseJob, started: number, checks: CheckReport[], evidence?: Evidence): CaseReport {
  const { subject, scenario, mode } = job
  const verdict = worstVerdict(checks)
  return {
    address: caseAddress(subject.name, scenario.id, mode),
    subject: subject.name,
    scenario: scenario.id,
    mode,
    verdict,
    checks,
    ...(evidence !== undefined && isUnexpected(verdict) && { timeline: timeline(evidence) }),
    repeat: repeatOf(job),
    durationMs: performance.now() - started,
  }
}

function adapterOf({ subject }: CaseJob): Adapter | { readonly failure: CheckFailure } {
  try {
    const adapter = subject.adapter({ apiKey: canary })
    if (typeof adapter !== 'object') throw new TypeError(`its factory gives ${described(adapter)}`)
    const { provider, model, capabilities } = adapter
    if (typeof provider === 'string' && typeof model === 'string' && typeof capabilities === 'object') return adapter
    throw new TypeError('`provider` and `model` have to be texts and `capabilities` an object')
  } catch (error) {
    const failure = { message: `the subject '${subject.name}' gives no adapter: ${described(error)}` }
    return { failure: { id: 'adapter', sentence: 'The subject gives an adapter.', failure } }
  }
}

function oneCheck(job: CaseJob, { id, sentence, failure }: CheckFailure): CheckReport {
  return checkOf(job, id, sentence, [failure])
}

interface Played {
  readonly evidence: Evidence
  readonly checks: readonly CheckReport[]
}

/** Plays through each front-end; more than one has to give the same trace. */
async function playThrough(job: CaseJob, cassette: Cassette): Promise<Played> {
  const [first = 'msw', ...others] = job.through
  const { evidence, isEvasive } = await playOne(job, cassette, first)
  // Behind the others the global fetch is answered, so that they would have another trace by right.
  if (others.length === 0 || isEvasive) return { evidence, checks: [] }
  const failures: Failure[] = []
  const expected = traceOf(evidence.runs)
  for (const name of others) {
    const { evidence: other, isEvasive: evades } = await playOne(job, cassette, name)
    if (evades) return { evidence: { ...evidence, replayProblems: other.replayProblems }, checks: [] }
    const got = traceOf(other.runs)
    if (canonicalJson(got) === canonicalJson(expected)) continue
    const diff = lineDiff(JSON.stringify(expected, undefined, 1), JSON.stringify(got, undefined, 1))
    const lines = diff.split('\n').filter((line) => !line.startsWith('  '))
    const found = [...lines.slice(0, 12), ...other.replayProblems.slice(0, 1)].join('\n')
    failures.push({
      message: `the trace differs (- ${first}, + ${name}):\n${found}\nRepeat it with --front-end ${name}.`,
    })
  }
  const sentence = `The front-ends ${job.through.join(', ')} give equal traces.`
  const check = checkOf(job, 'front-ends', sentence, failures)
  const checks: readonly CheckReport[] = [check.verdict === 'fail' ? { ...check, verdict: 'harness-error' } : check]
  return { evidence, checks }
}

interface PlayedOnce {
  readonly evidence: Evidence
  /** The adapter did not use the `fetch` that it was given. */
  readonly isEvasive: boolean
}

async function playOne(job: CaseJob, cassette: Cassette, name: FrontEndName): Promise<PlayedOnce> {
  const { subject, scenario, mode, deadline } = job
  const fileName = cassettePath(subject, scenario.id, mode)
  const frontEnd = await openFrontEnd(name, cassette, subject, fileName)
  try {
    const { fetch, baseURL } = frontEnd
    const evidence = await playScenario({ subject, scenario, mode, fetch, baseURL, deadline })
    const { kind: origin, by: recordedBy } = cassette.header.origin
    const [denied] = frontEnd.denied ?? []
    const problems = denied === undefined ? replayProblems(frontEnd.replay) : [denied]
    const received = cassette.exchanges.map(({ response: { body } }) => textOfBody(body)).join('\n')
    return {
      evidence: { ...evidence, origin, recordedBy, received, replayProblems: problems },
      isEvasive: denied !== undefined,
    }
  } finally {
    await frontEnd.close()
  }
}

/** A body as text, what messages of the AWS event stream wrap once more, and all of it with slashes as they are: some servers escape them. */
function textOfBody(body: Uint8Array): string {
  const wrapped = isEventStream(body) ? scanMessages(body).map(({ data }) => data) : []
  const text = [new TextDecoder().decode(body), ...wrapped].join('\n')
  return text.includes('\\/') ? `${text}\n${text.replaceAll('\\/', '/')}` : text
}
