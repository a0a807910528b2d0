import { CassetteError, type Exchange } from '@steploop/cassette'
import type { Scenario, Subject } from '@steploop/conformance'
import { leftOut, recordScenario, type RecordOutcome } from '@steploop/lab'
import type { Mode } from '@steploop/core'
import { liveError } from './servers/live-error.ts'
import { playsOf, unplayable } from './weights/play-script.ts'
import { scriptedModel } from './weights/scripted-weights.ts'
import { startServer, type RunningServer, type ServerKind } from './servers/server-kind.ts'

export type RecordedStatus = 'written' | 'refused' | 'failed' | 'left-out'

export interface RecordedCase {
  readonly name: string
  readonly status: RecordedStatus
  /** Why, if it was not written. */
  readonly reasons: readonly string[]
  /** What went over the wire last, where that explains it. */
  readonly exchange?: Exchange | undefined
}

export interface RecordLocalOptions {
  readonly kind: ServerKind
  readonly subjects: readonly Subject[]
  readonly scenarios: readonly Scenario[]
  readonly modes: readonly Mode[]
  readonly signal: AbortSignal
  readonly onCase: (one: RecordedCase) => void
  readonly onScenario: (number: number, total: number, id: string) => void
}

/** Milliseconds that a run may take: these weights need a few. */
const deadline = 15_000

/** Plays every scenario that weights can play through a real server, and records it by every subject in both modes. */
export async function recordLocal(options: RecordLocalOptions): Promise<void> {
  const { scenarios, signal, onScenario } = options
  const playable = scenarios.filter((one) => one.derived === undefined && unplayable(one) === undefined)
  for (const [index, scenario] of playable.entries()) {
    if (signal.aborted) return
    onScenario(index + 1, playable.length, scenario.id)
    await recordOne(scenario, options)
  }
}

async function recordOne(scenario: Scenario, options: RecordLocalOptions): Promise<void> {
  const { kind, subjects, modes, signal, onCase } = options
  const asking = subjects.filter((subject) => isAsked(subject, scenario, options))
  const plays = await playsOf(scenario, asking, modes)
  const played = new Set(plays.flatMap((play) => play.subjects))
  for (const { name } of asking.filter((subject) => !played.has(subject))) {
    const reason = 'two turns are due after conversations that look alike, so that weights cannot tell them apart'
    for (const mode of modes) onCase({ name: `${name}/${scenario.id}/${mode}`, status: 'left-out', reasons: [reason] })
  }
  const wantsRejection = scenario.script.some((turn) => turn.type === 'failure' && turn.failure === 'bad-key')
  for (const play of plays) {
    if (signal.aborted) return
    const server = await startServer(kind, {
      weights: scriptedModel(play),
      apiKey: wantsRejection ? 'another-key' : undefined,
    })
    try {
      const cases = play.subjects.flatMap((subject) => modes.map((mode) => ({ subject, scenario, mode })))
      for (const one of cases) await recordCase(one, server, options)
    } finally {
      await server.kill()
    }
  }
}

/** Whether there is anything to play; what does not apply is told here. */
function isAsked(subject: Subject, scenario: Scenario, { modes, kind, onCase }: RecordLocalOptions): boolean {
  if (!kind.wires.includes(subject.wire)) return false
  const from = { baseURL: subject.baseURL, origin: 'local' } as const
  const left = modes.map((mode) => ({ mode, out: leftOut({ subject, scenario, mode, from }) }))
  for (const { mode, out } of left) {
    if (out === undefined || out.reason.length === 0) continue
    onCase({ name: `${subject.name}/${scenario.id}/${mode}`, status: 'left-out', reasons: out.reason })
  }
  return left.some(({ out }) => out === undefined)
}

interface Case {
  readonly subject: Subject
  readonly scenario: Scenario
  readonly mode: Mode
}

async function recordCase(one: Case, server: RunningServer, options: RecordLocalOptions): Promise<void> {
  const outcome = await outcomeOf(one, server, options)
  if (outcome !== undefined) options.onCase(outcome)
}

async function outcomeOf(
  { subject, scenario, mode }: Case,
  { url }: RunningServer,
  { kind, signal }: RecordLocalOptions,
): Promise<RecordedCase | undefined> {
  const name = `${subject.name}/${scenario.id}/${mode}`
  const baseURL = url + new URL(subject.baseURL).pathname.replace(/\/$/, '')
  const from = { baseURL, origin: 'local', server: kind.version } as const
  const attempts = kind.isFlaky === true ? 3 : 1
  try {
    const outcome = await recordScenario({ subject, scenario, mode, from, deadline, attempts, signal })
    return outcome.status === 'not-applicable' ? undefined : reported(name, outcome)
  } catch (error) {
    if (!CassetteError.isInstance(error)) throw error
    if (error.code === 'write-failed') throw liveError(error.message, 'The recordings before it are whole.')
    return { name, status: 'failed', reasons: [error.message] }
  }
}

/** A server that refuses says so itself; whatever else goes wrong is for us to look at. */
function reported(name: string, { status, problems, exchanges }: RecordOutcome): RecordedCase {
  if (status === 'written' || status === 'unchanged') return { name, status: 'written', reasons: [] }
  const refused = exchanges.findLast(({ response }) => response.status >= 400)
  if (refused === undefined) return { name, status: 'failed', reasons: problems, exchange: exchanges.at(-1) }
  return { name, status: 'refused', reasons: [saidBy(refused)], exchange: refused }
}

function saidBy({ response }: Exchange): string {
  const text = new TextDecoder().decode(response.body).replaceAll(/\s+/g, ' ')
  const message = /"message": ?"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text
  return `HTTP ${response.status}: ${message.slice(0, 300)}`
}
