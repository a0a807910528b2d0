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
import { claimFailures, hiddenClaims, notApplicable } from '../judge/capability.ts'
import { checkOf, repeatOf, type CaseOrder } from '../stress/case-order.ts'
import { openFrontEnd, replayProblems, type FrontEndName } from '../play/front-ends.ts'
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
export async function runCase(order: CaseOrder): Promise<CaseOutcome> {
  const started = performance.now()
  const adapter = adapterOf(order)
  if ('failure' in adapter)
    return { report: outcome(order, started, [oneCheck(order, adapter.failure)]), evidence: undefined }
  const hidden = hiddenClaims(order.scenario, adapter.capabilities, order)
  const claims = claimsCheck(order, [...claimFailures(adapter), ...hidden])
  const reason =
    notScripted(order.subject, order.scenario) ??
    notApplicable(order.scenario, adapter.capabilities, { mode: order.mode, subject: order.subject }) ??
    (order.subject.turnScript === undefined ? notRecordable(order) : undefined)
  if (reason !== undefined) {
    const isProbed = claims.verdict === 'pass' && order.subject.turnScript === undefined
    const probed = isProbed ? claimsCheck(order, await probeClaim(order, adapter)) : claims
    order.onTime('probes', performance.now() - started)
    const report =
      probed.verdict === 'fail' && order.isRequired(probed.id)
        ? outcome(order, started, [probed])
        : { ...outcome(order, started, []), verdict: 'not-applicable' as const, reason }
    return { report, evidence: undefined }
  }
  if (order.subject.turnScript !== undefined) return runScripted(order, started, claims)
  const loaded = loadCassette(order)
  if ('failure' in loaded)
    return { report: outcome(order, started, [claims, oneCheck(order, loaded.failure)]), evidence: undefined }
  const { cassette } = loaded
  const played = await playThrough(order, cassette)
  const { evidence } = played
  order.onTime('cases', performance.now() - started)
  const made = [claims, ...judgeCase(evidence, order.scenario, order.subject), ...played.checks]
  const judged = made.filter(({ id }) => order.isRequired(id))
  const stressed = judged.some(({ verdict }) => isUnexpected(verdict))
    ? []
    : await stressCase(order, cassette, evidence)
  const report = outcome(order, started, [...judged, ...stressed], evidence)
  const { kind, by, date, server } = cassette.header.origin
  const file = cassettePath(order.subject, order.scenario.id, order.mode)
  const details = order.details && { details: caseDetails(evidence, { cassette, file }) }
  return {
    report: { ...report, origin: { kind, by, date, ...(server !== undefined && { server }) }, ...details },
    evidence,
  }
}

function claimsCheck(order: CaseOrder, failures: readonly Failure[]): CheckReport {
  const sentence =
    'Capabilities are known by name, of the right kind, do not contradict each other, and leave nothing out that the adapter can do.'
  return checkOf(order, 'claims', sentence, failures)
}

/** The harness itself could not go on with a case; the others are judged all the same. */
export function brokenCase(order: CaseOrder, error: unknown): CaseOutcome {
  const message = `the case broke off: ${described(error)}. Something that the adapter gives cannot be read, or this is a bug of the suite.`
  const check = checkOf(order, 'adapter', 'What the adapter gives can be read.', [{ message }])
  return {
    report: outcome(order, performance.now(), [{ ...check, verdict: 'harness-error' }]),
    evidence: undefined,
  }
}

/** The scenario's own script answers: there is no cassette, and nothing that stressors could do to it. */
async function runScripted(order: CaseOrder, started: number, claims: CheckReport): Promise<CaseOutcome> {
  const { subject, scenario, mode, deadline } = order
  const script = openScript({ scenario, mode, model: subject.model })
  const played = await playScenario({ subject, scenario, mode, fetch: globalThis.fetch, deadline, script })
  const evidence = { ...played, replayProblems: script.problems() }
  order.onTime('cases', performance.now() - started)
  const stressed = order.stress.map(({ stressor: { id, sentence } }): CheckReport => {
    return { ...checkOf(order, id, sentence, []), verdict: 'not-applicable', reason: noBytes }
  })
  const judged = [claims, ...judgeCase(evidence, scenario, subject)].filter(({ id }) => order.isRequired(id))
  const checks = [...judged, ...stressed]
  const details = order.details && { details: caseDetails(evidence) }
  return { report: { ...outcome(order, started, checks, evidence), ...details }, evidence }
}

function outcome(order: CaseOrder, started: number, checks: CheckReport[], evidence?: Evidence): CaseReport {
  const { subject, scenario, mode } = order
  const verdict = worstVerdict(checks)
  return {
    address: caseAddress(subject.name, scenario.id, mode),
    subject: subject.name,
    scenario: scenario.id,
    mode,
    verdict,
    checks,
    ...(evidence !== undefined && isUnexpected(verdict) && { timeline: timeline(evidence) }),
    repeat: repeatOf(order),
    durationMs: performance.now() - started,
  }
}

function adapterOf({ subject }: CaseOrder): Adapter | { readonly failure: CheckFailure } {
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

function oneCheck(order: CaseOrder, { id, sentence, failure }: CheckFailure): CheckReport {
  return checkOf(order, id, sentence, [failure])
}

interface Played {
  readonly evidence: Evidence
  readonly checks: readonly CheckReport[]
}

/** Plays through each front-end; more than one has to give the same trace. */
async function playThrough(order: CaseOrder, cassette: Cassette): Promise<Played> {
  const [first = 'msw', ...others] = order.through
  const { evidence, isEvasive } = await playOne(order, cassette, first)
  // Behind the others the global fetch is answered, so that they would have another trace by right.
  if (others.length === 0 || isEvasive) return { evidence, checks: [] }
  const failures: Failure[] = []
  const expected = traceOf(evidence.runs)
  for (const name of others) {
    const { evidence: other, isEvasive: evades } = await playOne(order, cassette, name)
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
  const sentence = `The front-ends ${order.through.join(', ')} give equal traces.`
  const check = checkOf(order, 'front-ends', sentence, failures)
  const checks: readonly CheckReport[] = [check.verdict === 'fail' ? { ...check, verdict: 'harness-error' } : check]
  return { evidence, checks }
}

interface PlayedOnce {
  readonly evidence: Evidence
  /** The adapter did not use the `fetch` that it was given. */
  readonly isEvasive: boolean
}

async function playOne(order: CaseOrder, cassette: Cassette, name: FrontEndName): Promise<PlayedOnce> {
  const { subject, scenario, mode, deadline } = order
  const fileName = cassettePath(subject, scenario.id, mode)
  const frontEnd = await openFrontEnd(name, cassette, subject, fileName)
  try {
    const { fetch, baseURL } = frontEnd
    const evidence = await playScenario({ subject, scenario, mode, fetch, baseURL, deadline })
    const { kind: origin, by: recordedBy } = cassette.header.origin
    const [denied] = frontEnd.denied ?? []
    const problems = denied === undefined ? replayProblems(frontEnd.replay) : [denied]
    return { evidence: { ...evidence, origin, recordedBy, replayProblems: problems }, isEvasive: denied !== undefined }
  } finally {
    await frontEnd.close()
  }
}
