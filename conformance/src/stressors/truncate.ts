import { collectTurn, type TurnEvent } from '@steploop/core'
import type { Cassette } from '@steploop/cassette'
import type { Failure } from '../check.ts'
import { approvedCalls } from '../checks/run-checks.ts'
import { scanStream } from '../traffic/terminal-evidence.ts'
import { replayFetch } from '../runner/front-ends.ts'
import { playScenario } from '../runner/play-scenario.ts'
import { canonicalJson } from '../wires/json.ts'
import { locate, recordedTurns, turnPlace, turnReplayer, type RecordedTurn, type TurnOutcome } from './replay-turn.ts'
import { around } from './split-offsets.ts'
import { failuresShown, type StressCase, type Stressor } from './stressor.ts'

/** A response that breaks off is never a finished turn, unless its end was announced before. */
export const truncate: Stressor = {
  id: 'truncate',
  sentence:
    'A response cut before its end was announced fails as `incomplete-stream` (JSON: `malformed-response`); what was delivered is a prefix; no tool runs.',
  async run(stressCase) {
    const failures: Failure[] = []
    let variants = 0
    for (const recorded of recordedTurns(stressCase)) {
      // What failed when it was whole proves nothing when it is cut.
      if (recorded.turn.error !== undefined) continue
      const outcome = await cutTurn(stressCase, recorded)
      variants += outcome.variants
      failures.push(...outcome.failures)
      const run = await cutRun(stressCase, recorded)
      variants++
      failures.push(...run)
    }
    return { failures: failures.slice(0, failuresShown), variants }
  },
}

interface Cut {
  readonly offset: number
  readonly ending: 'eof' | 'reset'
  /** The end was announced before the cut. */
  readonly proven: boolean
}

async function cutTurn(
  stressCase: StressCase,
  recorded: RecordedTurn,
): Promise<{ failures: readonly Failure[]; variants: number }> {
  const { body, number } = recorded
  const replay = turnReplayer(stressCase, recorded)
  const whole = await replay({ chunks: [body] })
  const cuts = cutsOf(stressCase, recorded)
  for (const [index, cut] of cuts.entries()) {
    const { offset, ending } = cut
    const outcome = await replay({ chunks: offset === 0 ? [] : [body.subarray(0, offset)], ending })
    const wrong = await judgeCut(stressCase, whole, outcome, cut)
    if (wrong === undefined) continue
    const message = `cut at byte ${offset} of ${body.length} (${ending === 'eof' ? 'clean end' : 'reset'}), ${around(body, offset)}: ${wrong}`
    return { failures: [{ message, where: turnPlace(stressCase.evidence, number) }], variants: index + 1 }
  }
  return { failures: [], variants: cuts.length }
}

const jsonCuts = 8

/** Streams: after every event and inside of it. JSON: at eight places. Each with both endings. */
function cutsOf({ mode, subject }: StressCase, { body }: RecordedTurn): readonly Cut[] {
  const both = (offset: number, proven: boolean): readonly Cut[] => [
    { offset, ending: 'eof', proven },
    { offset, ending: 'reset', proven },
  ]
  if (mode === 'generate') {
    const offsets = Array.from({ length: jsonCuts }, (_, index) =>
      Math.floor(((body.length - 1) * (index + 1)) / jsonCuts),
    )
    return offsets.flatMap((offset) => both(offset, false))
  }
  const scanned = scanStream(body, subject.wire)
  if (scanned === undefined) return []
  const terminal = scanned.terminal ?? scanned.events.length
  return scanned.events.flatMap(({ middle, end }, index) => {
    const inside = both(middle, index > terminal)
    return end >= body.length ? inside : [...inside, ...both(end, index >= terminal)]
  })
}

async function judgeCut(
  stressCase: StressCase,
  whole: TurnOutcome,
  outcome: TurnOutcome,
  { offset, ending, proven }: Cut,
): Promise<string | undefined> {
  const stray = strayEvent(whole.events, outcome.events)
  if (outcome.error === undefined) {
    if (isUnproven(outcome.events)) return undefined
    if (!proven) return 'it is taken for a finished turn, although its end was not announced'
    return sameMessage(whole, outcome)
  }
  if (stray !== undefined) return `it delivers ${stray}, which the whole response does not give at this place`
  const legal = legalCodes(stressCase.mode, ending, offset)
  return legal.includes(outcome.error)
    ? undefined
    : `it fails as '${outcome.error}' instead of '${legal[0]}': ${outcome.message ?? ''}`
}

function legalCodes(mode: 'generate' | 'stream', ending: 'eof' | 'reset', offset: number): readonly string[] {
  if (mode === 'generate') return ending === 'reset' ? ['connection'] : ['malformed-response', 'empty-response']
  // Nothing at all is rather empty, or a broken connection, than incomplete.
  return offset === 0 ? ['incomplete-stream', 'empty-response', 'connection'] : ['incomplete-stream']
}

/** A wire format without terminal evidence says so in a warning instead. */
function isUnproven(events: readonly TurnEvent[]): boolean {
  return events.some(
    (event) => event.type === 'turn-end' && event.warnings?.some(({ type }) => type === 'unproven-end'),
  )
}

async function sameMessage(whole: TurnOutcome, outcome: TurnOutcome): Promise<string | undefined> {
  const [expected, got] = await Promise.all([whole, outcome].map(({ events }) => collectTurn(batches(events))))
  if (expected?.finishReason !== got?.finishReason) {
    return `the end was announced before the cut, yet the finish reason is '${got?.finishReason}' instead of '${expected?.finishReason}'`
  }
  const same = canonicalJson(expected?.message.content) === canonicalJson(got?.message.content)
  return same ? undefined : 'the end was announced before the cut, yet the message is not the whole one'
}

async function* batches(events: readonly TurnEvent[]): AsyncGenerator<readonly TurnEvent[]> {
  yield events
}

/** The first event that is not a prefix of the whole turn's; calls closed as truncated do not count. */
function strayEvent(whole: readonly TurnEvent[], got: readonly TurnEvent[]): string | undefined {
  const at = got.findIndex((event, index) => JSON.stringify(event) !== JSON.stringify(whole[index]))
  return at === -1 ? undefined : JSON.stringify(got[at])
}

/** The whole scenario with one response cut in its middle: the run fails, and nothing of the cut turn runs. */
async function cutRun(stressCase: StressCase, { number, body }: RecordedTurn): Promise<readonly Failure[]> {
  const { subject, scenario, mode, deadline, fileName, cassette, evidence } = stressCase
  const scanned = mode === 'stream' ? scanStream(body, subject.wire) : undefined
  if (mode === 'stream' && scanned === undefined) return []
  const beforeTerminal = scanned?.events[(scanned.terminal ?? scanned.events.length) - 1]?.end
  const offset = beforeTerminal ?? Math.floor(body.length / 2)
  const { fetch } = replayFetch(cutExchange(cassette, number, offset), fileName)
  const cut = await playScenario({ subject, scenario, mode, fetch, deadline, override: { maxRetries: 0 } })
  const place = locate(evidence, number)
  const run = cut.runs[place.run]
  const where = turnPlace(evidence, number)
  const failures: Failure[] = []
  if (run?.error === undefined)
    failures.push({ message: `the response is cut at byte ${offset}, and the run does not fail`, where })
  if ((run?.turns.length ?? 0) > place.turn + 1)
    failures.push({ message: 'the run goes on after a response that was cut', where })
  const before = evidence.runs[place.run]?.turns.slice(0, place.turn) ?? []
  const calls = before.flatMap(({ events }) => events.filter(({ type }) => type === 'tool-call'))
  const approved = run === undefined ? 0 : approvedCalls(run).length
  const ran = (run?.executions.length ?? 0) - calls.length - approved
  if (ran > 0) failures.push({ message: `${ran} calls ran of a response that was cut`, where })
  return failures
}

function cutExchange(cassette: Cassette, number: number, offset: number): Cassette {
  const exchanges = cassette.exchanges.map((exchange, index) => {
    if (index !== number - 1) return exchange
    const body = exchange.response.body.subarray(0, offset)
    return { ...exchange, response: { ...exchange.response, body, chunks: [{ ms: 0, bytes: body.length }] } }
  })
  return { ...cassette, exchanges }
}
