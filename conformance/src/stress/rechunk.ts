import type { Cassette, Chunk } from '@steploop/cassette'
import type { Failure } from '../check.ts'
import { replayFetch, replayProblems } from '../play/front-ends.ts'
import { PlainResponse } from '../play/plain-classes.ts'
import { playScenario } from '../play/play-scenario.ts'
import { lineDiff } from '../judge/trace/line-diff.ts'
import { traceOf } from '../judge/trace/trace.ts'
import { canonicalJson } from '../json.ts'
import { openSearch, type VariantSearch } from './variant-search.ts'
import {
  bodyKey,
  fingerprint,
  recordedTurns,
  streamOf,
  turnLocation,
  turnReplayer,
  type RecordedTurn,
} from './replay-turn.ts'
import { shrink } from './shrink.ts'
import { compareOutcomes } from './side-by-side.ts'
import { around, cutAt, cutSets, fineSizes, piecesOf, seededSizes, splitOffsets, type Bytes } from './split-offsets.ts'
import { turnOf, type StressCase, type Stressor } from './stressor.ts'

/** Cuts bodies anew: the same bytes in other chunks must give the same events: the network cuts where it likes. */
export const rechunk: Stressor = {
  id: 'rechunk',
  sentence: 'The same bytes in other chunks give the same events, and whole runs the same trace.',
  cutsStreams: true,
  async run(stressCase) {
    const search = openSearch(stressCase)
    const { mode, sweep, only } = stressCase
    for (const recorded of recordedTurns(stressCase)) {
      const key = `rechunk ${bodyKey(recorded)}`
      if (mode !== 'stream' || (only === undefined && sweep.seen.has(key))) continue
      sweep.seen.add(key)
      await sweepBody(stressCase, recorded, search)
    }
    for (const way of wholeRunsOf(stressCase)) {
      if (search.tries(way.variant)) search.found(way.variant, await wholeRun(stressCase, way))
    }
    return search.outcome()
  },
}

/** Tries the cuts that were asked for, or sets of cuts that together are everywhere; a set that fails is shrunk to what makes it fail. */
async function sweepBody(stressCase: StressCase, recorded: RecordedTurn, search: VariantSearch): Promise<void> {
  const { body, number } = recorded
  const replay = turnReplayer(stressCase, recorded)
  const whole = await replay({ chunks: [body] })
  const expected = fingerprint(whole)
  const fails = async (offsets: readonly number[]): Promise<boolean> =>
    fingerprint(await replay({ chunks: cutAt(body, offsets) })) !== expected
  const named = (offsets: readonly number[]): string => `${number}/${offsets.join('+')}`
  for (const offsets of setsFor(stressCase, recorded)) {
    if (!search.tries(stressCase.only ?? named(offsets)) || !(await fails(offsets))) continue
    const least = await shrink(offsets, fails)
    const cut = await replay({ chunks: cutAt(body, least) })
    const indexes = least.slice(0, 3).map((offset) => `byte ${offset} of ${body.length}, ${around(body, offset)}`)
    const diff = compareOutcomes({ title: 'in one chunk', ...whole }, { title: 'cut there', ...cut })
    const message = `response ${number} gives other events when it is cut at ${indexes.join(' and ')}\n${diff}`
    search.found(named(least), [{ message, where: turnLocation(stressCase.evidence, number) }])
    return
  }
}

function setsFor({ only, sweep }: StressCase, { body, number }: RecordedTurn): readonly (readonly number[])[] {
  if (only === undefined) {
    const everywhere = sweep.full || body.length <= sweep.budget
    if (everywhere) sweep.budget -= body.length
    const alone = sweep.full ? splitOffsets(body, sweep.seed).map((offset) => [offset]) : []
    return [...cutSets(body, everywhere), ...alone]
  }
  const [asked, indexes = ''] = only.split('/')
  const offsets = indexes.split('+').map(Number)
  const fits = asked === String(number) && offsets.every((offset) => offset > 0 && offset < body.length)
  return fits ? [offsets] : []
}

interface WholeRun {
  readonly name: string
  readonly variant: string
  readonly onlyInFull?: boolean
  readonly sizesOf: (body: Bytes) => readonly number[]
}

const wholeRuns: readonly WholeRun[] = [
  { name: 'in chunks of one byte where it hurts', variant: 'fine', sizesOf: fineSizes },
  {
    name: 'in chunks of one byte',
    variant: 'bytes',
    onlyInFull: true,
    sizesOf: ({ length }) => Array.from({ length }, () => 1),
  },
]

/** Cases take turns with the small chunks and the random ones, unless everything is to be tried or one way was asked for. */
function wholeRunsOf(stressCase: StressCase): readonly WholeRun[] {
  const { sweep, only } = stressCase
  const seeded = seededRuns(stressCase)
  if (sweep.full || only !== undefined) return [...wholeRuns, ...seeded]
  return turnOf(stressCase) % 2 === 0 ? wholeRuns.filter(({ onlyInFull }) => onlyInFull !== true) : seeded
}

/** Three seeds from that of the run on with `full`, one of them without, or the one that a failure named. */
function seededRuns(stressCase: StressCase): readonly WholeRun[] {
  const { sweep, only } = stressCase
  const named = /^seed-(\d+)$/.exec(only ?? '')?.[1]
  const three = [sweep.seed, sweep.seed + 1, sweep.seed + 2]
  // Cases take turns, so that a run has all three without paying for each of them in every case.
  const own = sweep.full ? three : [sweep.seed + ((turnOf(stressCase) >> 1) % three.length)]
  const seeds = named === undefined ? own : [Number(named)]
  return seeds.map((seed) => ({
    name: `in random chunks (seed ${seed})`,
    variant: `seed-${seed}`,
    sizesOf: ({ length }: Bytes) => seededSizes(length, seed),
  }))
}

/** The responses of the replay in other chunks. Those that do not end well have to be played as they are, chunk by chunk. */
function rechunked(cassette: Cassette, fileName: string, sizesOf: WholeRun['sizesOf']) {
  if (cassette.exchanges.some(({ response }) => response.ending !== 'eof')) {
    return replayFetch(withSizes(cassette, sizesOf), fileName)
  }
  const { fetch: answer, replay } = replayFetch(cassette, fileName)
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { body, status, headers } = await answer(input, init)
    if (body === null) return new PlainResponse(body, { status, headers })
    const bytes = new Uint8Array(await new PlainResponse(body).arrayBuffer())
    return new PlainResponse(streamOf({ chunks: piecesOf(bytes, sizesOf(bytes)) }), { status, headers })
  }
  return { fetch, replay }
}

function withSizes(cassette: Cassette, sizesOf: WholeRun['sizesOf']): Cassette {
  return {
    ...cassette,
    exchanges: cassette.exchanges.map((exchange) => {
      const chunks: readonly Chunk[] = sizesOf(new Uint8Array(exchange.response.body)).map((bytes) => ({
        ms: 0,
        bytes,
      }))
      return { ...exchange, response: { ...exchange.response, chunks } }
    }),
  }
}

async function wholeRun(stressCase: StressCase, { name, sizesOf }: WholeRun): Promise<readonly Failure[]> {
  const { subject, scenario, mode, deadline, fileName, cassette } = stressCase
  const { fetch, replay } = rechunked(cassette, fileName, sizesOf)
  const evidence = await playScenario({ subject, scenario, mode, fetch, deadline })
  const expected = traceOf(stressCase.evidence.runs)
  const got = traceOf(evidence.runs)
  const problems = replayProblems(replay).slice(0, 1)
  if (canonicalJson(got) === canonicalJson(expected) && problems.length === 0) return []
  const diff = lineDiff(JSON.stringify(expected, undefined, 1), JSON.stringify(got, undefined, 1))
  const lines = diff.split('\n').filter((line) => !line.startsWith('  '))
  const message = `${name} the run gives another trace (- as recorded, + rechunked):\n${[...lines.slice(0, 8), ...problems].join('\n')}`
  return [{ message }]
}
