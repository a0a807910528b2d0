import type { Cassette } from '@steploop/cassette'
import type { Failure } from '../check.ts'
import { approvedCalls } from '../judge/run-checks.ts'
import { replayFetch } from '../play/front-ends.ts'
import { playScenario } from '../play/play-scenario.ts'
import { scanStream, scanUnknown } from '../wires/any-format/terminal-evidence.ts'
import { chunkSizes, locate, turnLocation, type RecordedTurn } from './replay-turn.ts'
import type { StressCase } from './stressor.ts'

/** The whole scenario with one response cut before its end is announced: the run fails, and nothing of the cut turn runs. */
export async function cutRun(stressCase: StressCase, recorded: RecordedTurn): Promise<readonly Failure[]> {
  const { subject, scenario, mode, deadline, fileName, cassette, evidence } = stressCase
  const offset = cutBeforeEnd(stressCase, recorded)
  if (offset === undefined) return []
  const { number } = recorded
  const { fetch } = replayFetch(cutExchange(cassette, number, offset), fileName)
  const cut = await playScenario({ subject, scenario, mode, fetch, deadline, override: { maxRetries: 0 } })
  const location = locate(evidence, number)
  const run = cut.runs[location.run]
  const where = turnLocation(evidence, number)
  const failures: Failure[] = []
  if (run?.error === undefined)
    failures.push({ message: `response ${number} is cut at byte ${offset}, and the run does not fail`, where })
  if ((run?.turns.length ?? 0) > location.turn + 1)
    failures.push({ message: `the run goes on after response ${number}, which was cut at byte ${offset}`, where })
  const before = evidence.runs[location.run]?.turns.slice(0, location.turn) ?? []
  const calls = before.flatMap(({ events }) => events.filter(({ type }) => type === 'tool-call'))
  const approved = run === undefined ? 0 : approvedCalls(run).length
  const ran = (run?.executions.length ?? 0) - calls.length - approved
  if (ran > 0)
    failures.push({ message: `${ran} calls of response ${number} ran, although it was cut at byte ${offset}`, where })
  return failures
}

/** Right before the terminal evidence, where everything else is there; inside of it when nothing comes before. */
function cutBeforeEnd({ mode, subject }: StressCase, { body, exchange }: RecordedTurn): number | undefined {
  if (mode === 'generate') return Math.floor(body.length / 2)
  const scanned = scanStream(body, subject.wire)
  // Where it is not known how the end is announced: early, and inside of an event.
  if (scanned === undefined)
    return scanUnknown(body, chunkSizes(exchange)).find((_, index, { length }) => index >= (length - 1) >> 1)?.middle
  const terminal = scanned.terminal ?? scanned.events.length
  return terminal === 0 ? scanned.events[0]?.middle : scanned.events[terminal - 1]?.end
}

function cutExchange(cassette: Cassette, number: number, offset: number): Cassette {
  const exchanges = cassette.exchanges.map((exchange, index) => {
    if (index !== number - 1) return exchange
    const body = exchange.response.body.subarray(0, offset)
    // A reader who left after the end of a stream is recorded as `abort`, after which a replay waits for him to leave.
    const cut = { body, chunks: [{ ms: 0, bytes: body.length }], ending: 'eof' } as const
    return { ...exchange, response: { ...exchange.response, ...cut } }
  })
  return { ...cassette, exchanges }
}
