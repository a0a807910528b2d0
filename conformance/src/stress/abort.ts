import type { Cassette } from '@steploop/cassette'
import { LoopError, repairHistory } from '@steploop/core'
import type { Failure } from '../check.ts'
import { oneTerminalEvent } from '../judge/event-checks.ts'
import { described } from '../described.ts'
import type { Evidence, RunRecord } from '../evidence.ts'
import { NotSettled, settleWithin } from '../deadline.ts'
import { playScenario, type LeaveOptions, type LeftRun } from '../play/play-scenario.ts'
import { scanStream, scanUnknown } from '../wires/any-format/terminal-evidence.ts'
import { openSearch } from './variant-search.ts'
import { chunkSizes } from './replay-turn.ts'
import { turnOf, type StressCase, type Stressor } from './stressor.ts'
import { watchedServer, type Ending } from './watched-server.ts'

/** A reader may go at any time. */
export const abort: Stressor = {
  id: 'abort',
  sentence:
    'A caller who aborts, or leaves the iteration, after any event ends the run: it settles, the connection is closed, no tool and no request starts later, and the history is whole.',
  onlyInFull: true,
  serves: true,
  async run(stressCase) {
    const search = openSearch(stressCase)
    if (stressCase.mode !== 'stream') return search.outcome('a run in generate mode gives no events to leave after')
    for (const way of waysOf(stressCase)) {
      const variant = `${way.after}-${way.how}-${way.ending}`
      if (search.tries(variant)) search.found(variant, await abortAfter(stressCase, way))
    }
    return search.outcome('no run gave an event to leave after')
  },
}

interface Way extends Pick<LeaveOptions, 'after' | 'how'> {
  /** What the provider does when the caller has left. */
  readonly ending: Ending
}

const mostIndexes = 4
const endings: readonly Ending[] = ['stall', 'eof', 'reset']

/** After a few events, spread over the case, each the first of its kind in a row; both ways and all endings take turns. */
function waysOf(stressCase: StressCase): readonly Way[] {
  const types = stressCase.evidence.runs.flatMap(({ events }) => events.map(({ type }) => type))
  const indexes = types.flatMap((type, index) => {
    const isTerminal = type === 'run-end' || type === 'run-error'
    return isTerminal || type === types[index - 1] ? [] : [index + 1]
  })
  const count = Math.min(mostIndexes, indexes.length)
  // Cases differ in where they begin, so that together they have every combination.
  const first = turnOf(stressCase)
  return Array.from({ length: count }, (_, at) => ({
    after: indexes[Math.floor((at * indexes.length) / count)] ?? 1,
    how: (first + at) % 2 === 0 ? ('signal' as const) : ('break' as const),
    ending: endings[(first + at) % endings.length] ?? 'stall',
  }))
}

/** Milliseconds at most for a connection to be closed after the run has settled. */
const closingTime = 5_000

async function abortAfter(stressCase: StressCase, { after, how, ending }: Way): Promise<readonly Failure[]> {
  const { subject, scenario, mode, deadline, fileName, evidence } = stressCase
  const cassette = eventByEvent(stressCase)
  const server = await watchedServer(cassette, { fileName, publicBaseURL: subject.baseURL })
  let left: LeftRun | undefined
  try {
    const onLeave = (run: LeftRun): void => {
      left = run
      server.turn(ending)
    }
    const { fetch } = globalThis
    const leave: LeaveOptions = { after, how, onLeave }
    const played = await playScenario({ subject, scenario, mode, deadline, fetch, baseURL: server.url, leave })
    const isClosed = await settleWithin(Math.min(deadline, closingTime), 'the connection', server.allClosed()).then(
      () => true,
      () => false,
    )
    const type = evidence.runs.flatMap(({ events }) => events)[after - 1]?.type
    const reported = how === 'signal' ? 'aborts' : 'leaves the iteration'
    const then = { eof: 'goes on to the end', reset: 'resets the connection', stall: 'sends nothing more' }[ending]
    return judge(played, { left, how, isClosed }).map(({ message, where }) => ({
      message: `the caller ${reported} after event ${after} ('${type}'), and the provider ${then}: ${message}`,
      where,
    }))
  } finally {
    await server.close()
  }
}

interface LeftCase extends Pick<LeaveOptions, 'how'> {
  readonly left: LeftRun | undefined
  readonly isClosed: boolean
}

function judge(played: Omit<Evidence, 'replayProblems'>, { left, how, isClosed }: LeftCase): readonly Failure[] {
  if (left === undefined) return [{ message: `so many events never came: ${described(played.stopped)}` }]
  const run = played.runs[left.run]
  const where = `run ${left.run + 1}`
  if (run === undefined || run.error instanceof NotSettled) return [{ message: 'the run never settles', where }]
  const failures: Failure[] = []
  const say = (message: string): void => void failures.push({ message, where })
  if (run.error !== undefined && !LoopError.isInstance(run.error)) say(`it rejects with ${described(run.error)}`)
  if (!isClosed) say('the connection to the provider stays open')
  if (run.requests.length > left.requests) say(`${run.requests.length - left.requests} requests are made afterwards`)
  if (run.executions.length > left.executions) say(`${run.executions.length - left.executions} tools start afterwards`)
  if (how === 'signal') {
    const whole = { ...played, runs: [run], replayProblems: [] }
    failures.push(...oneTerminalEvent.judge(whole))
  }
  return [...failures, ...brokenHistory(run, where)]
}

function brokenHistory({ result, error }: RunRecord, where: string): readonly Failure[] {
  const transcript = result?.transcript ?? (LoopError.isInstance(error) ? error.transcript : undefined)
  const pending = new Set(transcript?.pendingCalls.map(({ toolCallId }) => toolCallId))
  // Calls of the caller's are open by right.
  if (transcript === undefined || pending.size > 0) return []
  return repairHistory(transcript.messages).warnings.map(({ message }) => ({
    message: `the history that is left is not whole: ${message}`,
    where,
  }))
}

/** One chunk per event of the wire, so that the caller can leave between any two. */
function eventByEvent({ cassette, subject }: StressCase): Cassette {
  const exchanges = cassette.exchanges.map((exchange) => {
    const { body } = exchange.response
    const events = scanStream(body, subject.wire)?.events ?? scanUnknown(body, chunkSizes(exchange))
    const ends = events.map(({ end }) => end)
    const cuts = [...ends.filter((end) => end < body.length), body.length]
    const chunks = cuts.map((end, index) => ({ ms: 0, bytes: end - (cuts[index - 1] ?? 0) }))
    return { ...exchange, response: { ...exchange.response, chunks } }
  })
  return { ...cassette, exchanges }
}
