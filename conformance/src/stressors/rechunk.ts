import type { Cassette, Chunk } from '@steploop/cassette'
import type { Failure } from '../check.ts'
import { replayFetch, replayProblems } from '../runner/front-ends.ts'
import { playScenario } from '../runner/play-scenario.ts'
import { lineDiff } from '../trace/line-diff.ts'
import { traceOf } from '../trace/trace.ts'
import { canonicalJson } from '../wires/json.ts'
import {
  eventLines,
  fingerprint,
  recordedTurns,
  turnPlace,
  turnReplayer,
  type RecordedTurn,
  type TurnOutcome,
} from './replay-turn.ts'
import { around, seededSizes, splitOffsets } from './split-offsets.ts'
import { failuresShown, type StressCase, type Stressor } from './stressor.ts'

/** The same bytes in other chunks must give the same events: the network cuts where it likes. */
export const rechunk: Stressor = {
  id: 'rechunk',
  sentence: 'The same bytes in other chunks give the same events, and whole runs the same trace.',
  async run(stressCase) {
    const failures: Failure[] = []
    let variants = 0
    for (const recorded of recordedTurns(stressCase)) {
      const key = `${recorded.exchange.response.status} ${Buffer.from(recorded.body).toString('base64')}`
      if (stressCase.mode !== 'stream' || stressCase.sweep.bodies.has(key)) continue
      stressCase.sweep.bodies.add(key)
      const outcome = await sweep(stressCase, recorded)
      variants += outcome.variants
      failures.push(...outcome.failures)
    }
    for (const { name, cassette } of rechunked(stressCase.cassette)) {
      variants++
      failures.push(...(await wholeRun(stressCase, name, cassette)))
    }
    return { failures: failures.slice(0, failuresShown), variants }
  },
}

async function sweep(
  stressCase: StressCase,
  recorded: RecordedTurn,
): Promise<{ failures: readonly Failure[]; variants: number }> {
  const { body } = recorded
  const replay = turnReplayer(stressCase, recorded)
  const whole = await replay({ chunks: [body] })
  const expected = fingerprint(whole)
  const { sweep: shared } = stressCase
  const offsets = splitOffsets(body, shared.budget)
  shared.budget = Math.max(0, shared.budget - offsets.length)
  for (const [index, offset] of offsets.entries()) {
    const split = await replay({ chunks: [body.subarray(0, offset), body.subarray(offset)] })
    if (fingerprint(split) === expected) continue
    return { failures: [splitFailure(stressCase, recorded, { whole, split, offset })], variants: index + 1 }
  }
  return { failures: [], variants: offsets.length }
}

function splitFailure(
  { evidence }: StressCase,
  { number, body }: RecordedTurn,
  facts: { readonly whole: TurnOutcome; readonly split: TurnOutcome; readonly offset: number },
): Failure {
  const { whole, split, offset } = facts
  const thrown =
    split.error === whole.error
      ? ''
      : ` It throws ${split.error ?? 'nothing'} instead of ${whole.error ?? 'nothing'}: ${split.message ?? ''}`
  const diff = lineDiff(eventLines(whole.events), eventLines(split.events))
    .split('\n')
    .filter((line) => !line.startsWith('  '))
    .slice(0, 8)
    .join('\n')
  const message = `cut in two at byte ${offset} of ${body.length}, ${around(body, offset)}, the response gives other events (- whole, + cut):\n${diff}${thrown}`
  return { message, where: turnPlace(evidence, number) }
}

/** The cassette with its bodies in one-byte chunks, and cut by three seeds. */
function rechunked(cassette: Cassette): readonly { readonly name: string; readonly cassette: Cassette }[] {
  const withSizes = (sizesOf: (length: number) => readonly number[]): Cassette => ({
    ...cassette,
    exchanges: cassette.exchanges.map((exchange) => {
      const chunks: readonly Chunk[] = sizesOf(exchange.response.body.length).map((bytes) => ({ ms: 0, bytes }))
      return { ...exchange, response: { ...exchange.response, chunks } }
    }),
  })
  return [
    { name: 'in chunks of one byte', cassette: withSizes((length) => Array.from({ length }, () => 1)) },
    ...[1, 2, 3].map((seed) => ({
      name: `in random chunks (seed ${seed})`,
      cassette: withSizes((length) => seededSizes(length, seed)),
    })),
  ]
}

async function wholeRun(stressCase: StressCase, name: string, cassette: Cassette): Promise<readonly Failure[]> {
  const { subject, scenario, mode, deadline, fileName } = stressCase
  const { fetch, replay } = replayFetch(cassette, fileName)
  const evidence = await playScenario({ subject, scenario, mode, fetch, deadline })
  const expected = traceOf(stressCase.evidence.runs)
  const got = traceOf(evidence.runs)
  const problems = replayProblems(replay).slice(0, 1)
  if (canonicalJson(got) === canonicalJson(expected) && problems.length === 0) return []
  const diff = lineDiff(JSON.stringify(expected, undefined, 1), JSON.stringify(got, undefined, 1))
  const lines = diff.split('\n').filter((line) => !line.startsWith('  '))
  return [{ message: `${name} the run gives another trace:\n${[...lines.slice(0, 8), ...problems].join('\n')}` }]
}
