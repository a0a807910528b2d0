import { asksFor } from './requirement-set.ts'
import type { CaseReport, Report } from '../report-schema.ts'
import { scenarioGroups } from '../report/scenario-groups.ts'
import { tally } from '../report/tally.ts'
import { untriedProblems } from '../report/idle-stressors.ts'
import { isUnexpected, worstVerdict } from '../verdict.ts'
import type { Evidence } from '../evidence.ts'
import { scenarios as allScenarios } from '../scenarios/index.ts'
import { stressJobs } from '../stress/stress-jobs.ts'
import type { Sweep } from '../stress/stressor.ts'
import { compareModes, modesSentence } from '../stress/modes.ts'
import type { Subject } from '../subject.ts'
import { suiteVersion } from '../suite-version.ts'
import { defaultFrontEnds } from '../play/front-ends.ts'
import { askedOf, isWhole, leftOut } from './asked.ts'
import { applyKnownFailures, knownFailureProblems } from '../report/known-failures.ts'
import { checkOf, type CaseJob } from '../stress/case-job.ts'
import { isInShard, planCases, type PlannedCase } from './plan-cases.ts'
import { brokenCase, runCase } from './run-case.ts'
import { watchProcess, type Leak } from '../play/watch-process.ts'
import type { ConformanceOptions } from './conformance-options.ts'
import { wireKits } from '../wires/index.ts'

/**
 * The scenarios of a subject are dealt out to so many parts, whose stressors share nothing: processes can each take one, and find what one process
 * finds. What one part has tried another tries again, so that only a subject alone, which would keep one processor busy, has two.
 */
export function partsOf(subjects: number): number {
  return subjects === 1 ? 2 : 1
}

/** Bytes of the streams of a subject that are cut everywhere: scenarios that find most come first, and what comes later is framed in the same way. */
const bytesCutEverywhere = 24_000

/**
 * Runs the suite over subjects and reports. Needs no test runner and prints nothing. What a subject does wrong is in the report.
 *
 * @throws HarnessError `usage` for filters that match nothing
 */
export async function runConformance(subjects: readonly Subject[], options: ConformanceOptions = {}): Promise<Report> {
  const started = performance.now()
  const knownFailures = options.knownFailures ?? []
  const today = todayOf(options)
  const whole = planCases(subjects, options)
  const planned = whole.filter(isInShard(options.shard))
  // Loaded only when it is used: MSW takes its time.
  const release = isOffline(options) ? (await import('@steploop/cassette/msw')).holdNetwork() : undefined
  const process = watchProcess()
  const times: Record<string, number> = {}
  const cases: CaseReport[] = []
  const sweepOf = sweepsOf(subjects, whole, options)
  let previous: { readonly planned: PlannedCase; readonly evidence: Evidence } | undefined
  try {
    for (const [done, one] of planned.entries()) {
      options.onProgress?.({
        done,
        total: planned.length,
        address: `${one.subject.name}/${one.scenario.id}/${one.mode}`,
      })
      const job = jobOf(one, options, { times, sweep: sweepOf(one) })
      const { report, evidence } = await runCase(job).catch((error: unknown) => brokenCase(job, error))
      const leaks = await process.take()
      const counterpart =
        previous?.planned.subject === one.subject && previous.planned.scenario === one.scenario ? previous : undefined
      const last = completed(report, job, { leaks, evidence, counterpart: counterpart?.evidence })
      cases.push(last)
      if (options.bail === true && isUnexpected(applyKnownFailures(last, knownFailures, today).verdict)) break
      previous = evidence === undefined ? undefined : { planned: one, evidence }
    }
  } finally {
    process.stop()
    release?.()
  }
  return assemble(subjects, cases, options, {
    times,
    planned,
    whole: whole.length,
    durationMs: performance.now() - started,
  })
}

function todayOf({ today }: ConformanceOptions): string {
  return today ?? new Date().toISOString().slice(0, 10)
}

/** Whether nothing that is played leaves the process: then MSW, which takes its time to begin, can stay from case to case. */
function isOffline(options: ConformanceOptions): boolean {
  const frontEnds = options.frontEnds ?? defaultFrontEnds(options.mode)
  const isServed = frontEnds.includes('server') || stressJobs(options).some(({ stressor }) => stressor.serves === true)
  return frontEnds.includes('msw') && !isServed
}

/** One sweep for each part of each subject. */
function sweepsOf(
  subjects: readonly Subject[],
  whole: readonly PlannedCase[],
  options: ConformanceOptions,
): (planned: PlannedCase) => Sweep {
  const sweeps = new Map<string, Sweep>()
  const parts = options.parts ?? partsOf(new Set(whole.map(({ subject }) => subject)).size)
  return ({ subject, index }) => {
    const part = index % parts
    const key = `${subject.name} ${part}`
    const cached = sweeps.get(key)
    if (cached !== undefined) return cached
    const first = whole.find((one) => one.subject === subject)?.index ?? 0
    const sweep: Sweep = {
      seen: new Set(),
      isFirst: first % parts === part,
      budget: bytesCutEverywhere / parts,
      full: options.full === true,
      seed: options.seed ?? 1,
      others: without(subjects, subject).filter(({ name }) => options.handOverTo?.includes(name) ?? true),
    }
    sweeps.set(key, sweep)
    return sweep
  }
}

function without<Item>(items: readonly Item[], left: Item): readonly Item[] {
  return items.filter((item) => item !== left)
}

interface Session {
  readonly times: Record<string, number>
  readonly sweep: Sweep
}

function jobOf(one: PlannedCase, options: ConformanceOptions, { times, sweep }: Session): CaseJob {
  const { requirements, frontEnds = defaultFrontEnds(one.mode) } = options
  const isRequired = (check: string): boolean =>
    requirements === undefined || asksFor(requirements, one.scenario.id, check)
  return {
    ...one,
    isRequired,
    through: frontEnds,
    deadline: options.deadline ?? 10_000,
    command: options.command ?? 'steploop conformance',
    stress: stressJobs(options).filter(({ stressor }) => isRequired(stressor.id)),
    sweep,
    details: options.details ?? false,
    onTime(part, ms) {
      times[part] = (times[part] ?? 0) + ms
    },
  }
}

interface AfterCase {
  readonly leaks: readonly Leak[]
  readonly evidence: Evidence | undefined
  /** What was seen of the scenario in the other mode. */
  readonly counterpart: Evidence | undefined
}

/** Adds what is known only after the case: what is left behind in the process, the comparison with the other mode, known failures. */
function completed(report: CaseReport, job: CaseJob, { leaks, evidence, counterpart }: AfterCase): CaseReport {
  const checks = [...report.checks]
  for (const { id, sentence, messages } of leaks) {
    const failures = messages.map((message) => ({ message }))
    checks.push(checkOf(job, id, sentence, failures))
  }
  const oneForBoth = typeof job.scenario.golden === 'string'
  if (counterpart !== undefined && evidence !== undefined && oneForBoth) {
    const [generate, stream] = job.mode === 'stream' ? [counterpart, evidence] : [evidence, counterpart]
    checks.push(checkOf(job, 'modes', modesSentence, compareModes(generate, stream)))
  }
  return checks.length === report.checks.length ? report : { ...report, checks, verdict: worstVerdict(checks) }
}

interface Facts {
  readonly times: Record<string, number>
  readonly planned: readonly PlannedCase[]
  /** How many cases all shards have. */
  readonly whole: number
  readonly durationMs: number
}

function assemble(
  subjects: readonly Subject[],
  found: readonly CaseReport[],
  options: ConformanceOptions,
  { times, planned, whole, durationMs }: Facts,
): Report {
  const today = todayOf(options)
  const knownFailures = options.knownFailures ?? []
  const cases = found.map((report) => applyKnownFailures(report, knownFailures, today))
  const asked = askedOf(subjects, options)
  const complete = isWhole(asked) && options.shard === undefined && options.requirements === undefined
  const wrong = [
    ...knownFailureProblems(knownFailures, cases, { today, complete, leftOut: leftOut(asked) }),
    ...untriedProblems(cases),
  ]
  const problems = wrong.map((message) => ({ message, harness: false }))
  const ran = new Set(planned.map(({ scenario }) => scenario))
  const all = options.scenarios ?? allScenarios
  const groups = scenarioGroups(all.map(({ id }) => id))
  return {
    version: 1,
    suite: { name: '@steploop/conformance', version: suiteVersion },
    date: today,
    frontEnds: [...(options.frontEnds ?? defaultFrontEnds(options.mode))],
    seed: options.seed ?? 1,
    ...(options.shard !== undefined && { shard: options.shard, planned: whole }),
    ...(asked !== undefined && { asked }),
    subjects: subjects
      .filter(({ name }) => cases.some((one) => one.subject === name))
      .map(({ name, wire, model, unverified }) => ({
        name,
        wire,
        model,
        ...(unverified !== undefined && { unverified }),
      })),
    scenarios: all
      .filter((scenario) => ran.has(scenario))
      .map(({ id, title }) => ({ id, title, group: groups.get(id), onTraffic: onTraffic(id) })),
    cases,
    problems,
    ...tally(cases, problems),
    times,
    durationMs,
  }
}

/** Wire formats in which recorded conversations of real providers show a scenario too (docs/traffic.md). */
function onTraffic(id: string): readonly string[] | undefined {
  const wires = wireKits.filter(({ shownOnTraffic = [] }) => shownOnTraffic.includes(id)).map(({ name }) => name)
  return wires.length === 0 ? undefined : wires.toSorted()
}
