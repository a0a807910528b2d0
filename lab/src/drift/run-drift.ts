import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readCassette, writeCassette, type Cassette } from '@steploop/cassette'
import type { Mode } from '@steploop/core'
import type { Scenario, Subject } from '@steploop/conformance'
import {
  cassettePath,
  goldenCheck,
  replayFetch,
  playScenario,
  lineDiff,
  printSkeleton,
  traceOf,
} from '@steploop/conformance/cli'
import { accountFailures, describeAccountFailure } from '../recording/account-failure.ts'
import { leftOut } from '../recording/left-out.ts'
import { playRecorded, type PlayedRecording, type PlayRecordedOptions } from '../recording/play-recorded.ts'
import { compareCassettes } from './compare-shapes.ts'
import { driftReport, finding, type DriftFinding, type DriftReport, type WireDrift } from './drift-report.ts'

/** A subject and what its provider is now. */
export interface DriftSource extends Pick<PlayRecordedOptions, 'subject' | 'from' | 'apiKey'> {}

export interface DriftOptions {
  readonly sources: readonly DriftSource[]
  readonly scenarios: readonly Scenario[]
  readonly modes: readonly Mode[]
  /** Folder for the fresh recordings, one folder per subject in it. */
  readonly scratch: string
  readonly signal?: AbortSignal | undefined
  /** Milliseconds that one run may take. Default: 60,000. */
  readonly deadline?: number | undefined
  /** Simulator, as for `playRecorded`; tests let the simulator drift. */
  readonly simulate?: PlayRecordedOptions['simulate']
  readonly onProgress?: ((number: number, total: number, name: string) => void) | undefined
}

/**
 * Records anew, beside the cassettes, every case that has one, and says what changed in shape: per wire format fields, types, events,
 * their order, and per case the skeleton of the run. The cassettes stay as they are.
 */
export async function runDrift(options: DriftOptions): Promise<DriftReport> {
  const planned = options.sources.map((source) => ({ source, cases: casesOf(source, options) }))
  const total = planned.reduce((sum, { cases }) => sum + cases.length, 0)
  const wires: WireDrift[] = []
  let number = 0
  for (const { source, cases } of planned) {
    if (options.signal?.aborted === true) break
    const onCase = (name: string): void => options.onProgress?.(++number, total, name)
    wires.push(await driftOf(source, cases, { ...options, onCase }))
  }
  return driftReport('fresh recordings against the cassettes', wires)
}

interface DriftCase {
  readonly scenario: Scenario
  readonly mode: Mode
}

function casesOf({ subject, from }: DriftSource, { scenarios, modes }: DriftOptions): readonly DriftCase[] {
  return scenarios.flatMap((scenario) =>
    modes.flatMap((mode) => {
      const isRecorded = scenario.derived === undefined && existsSync(cassettePath(subject, scenario.id, mode))
      return isRecorded && leftOut({ subject, scenario, mode, from }) === undefined ? [{ scenario, mode }] : []
    }),
  )
}

interface CaseOptions extends DriftOptions {
  readonly onCase: (name: string) => void
}

async function driftOf(source: DriftSource, cases: readonly DriftCase[], options: CaseOptions): Promise<WireDrift> {
  const { name, wire } = source.subject
  const known: Cassette[] = []
  const fresh: Cassette[] = []
  const found: DriftFinding[] = []
  for (const one of cases) {
    options.onCase(`${name}/${one.scenario.id}/${one.mode}`)
    const drift = await driftOfCase(source, one, options)
    found.push(...drift.findings)
    if (drift.fresh !== undefined) {
      known.push(drift.known)
      fresh.push(drift.fresh)
    }
    if (drift.isOver) break
  }
  return {
    wire,
    subject: name,
    cases: fresh.length,
    findings: [...found, ...compareCassettes(known, fresh, wire)],
  }
}

interface CaseDrift {
  readonly known: Cassette
  readonly fresh: Cassette | undefined
  readonly findings: readonly DriftFinding[]
  /** Going on with this subject cannot help. */
  readonly isOver: boolean
}

async function driftOfCase(
  source: DriftSource,
  { scenario, mode }: DriftCase,
  options: CaseOptions,
): Promise<CaseDrift> {
  const { subject } = source
  const { deadline = 60_000, signal, simulate } = options
  const where = `${subject.name}/${scenario.id}/${mode}`
  const known = readCassette(cassettePath(subject, scenario.id, mode))
  const play = { ...source, scenario, mode, deadline, signal, simulate }
  const attempts = source.from === 'simulator' || source.from.origin === 'simulated' ? 1 : 3
  for (let attempt = 1; ; attempt++) {
    const played = await playRecorded(play)
    const problem = problemOf(played, scenario)
    if (problem !== undefined) {
      const left = played.warnings.map((warning) => finding('not-recorded', where, warning))
      return { known, fresh: undefined, findings: [finding('not-recorded', where, problem), ...left], isOver: true }
    }
    const findings = await skeletonDrift(played, known, { subject, scenario, mode, deadline })
    if (findings.length > 0 && attempt < attempts) continue
    const fresh = played.cassette
    if (fresh !== undefined) writeCassette(join(options.scratch, subject.name, `${scenario.id}.${mode}.yaml`), fresh)
    return { known, fresh, findings, isOver: false }
  }
}

function problemOf({ exchanges, stopped, cassette }: PlayedRecording, scenario: Scenario): string | undefined {
  if (stopped !== undefined) return 'interrupted'
  const [failure] = accountFailures(exchanges, scenario)
  if (failure !== undefined) return describeAccountFailure(failure)
  return cassette === undefined ? 'nothing answers there whose origin is known' : undefined
}

interface SkeletonOptions extends DriftCase {
  readonly subject: Subject
  readonly deadline: number
}

/** A run that is golden has not drifted. One that is not is held against what the cassette gives: a known failure is no drift either. */
async function skeletonDrift(
  { evidence, cassette }: PlayedRecording,
  known: Cassette,
  { subject, scenario, mode, deadline }: SkeletonOptions,
): Promise<readonly DriftFinding[]> {
  const facts = { ...evidence, origin: cassette?.header.origin.kind, replayProblems: [] }
  if (goldenCheck(scenario, subject).judge(facts).length === 0) return []
  const { fetch } = replayFetch(known, cassettePath(subject, scenario.id, mode))
  const before = await playScenario({ subject, scenario, mode, deadline, fetch })
  const [expected, got] = [before, evidence].map(({ runs }) => printSkeleton(traceOf(runs)))
  if (expected === undefined || got === undefined || expected === got) return []
  const where = `${subject.name}/${scenario.id}/${mode}`
  const message = `the run does something else (- cassette, + now):\n${lineDiff(expected, got)}`
  return [finding('skeleton', where, message)]
}
