import { collectTurn, textHash, type TurnEvent } from '@steploop/core/adapter'
import { scanStream, scanUnknown, type StreamEvent } from '../wires/any-format/terminal-evidence.ts'
import { canonicalJson } from '../json.ts'
import { cutRun } from './cut-run.ts'
import { openSearch, type VariantSearch } from './variant-search.ts'
import {
  chunkSizes,
  recordedTurns,
  turnKey,
  turnLocation,
  turnReplayer,
  type RecordedTurn,
  type TurnOutcome,
} from './replay-turn.ts'
import { compareOutcomes } from './side-by-side.ts'
import { around, type Bytes } from './split-offsets.ts'
import { turnOf, type StressCase, type Stressor } from './stressor.ts'

/** A response that breaks off is never a finished turn, unless its end was announced before. */
export const truncate: Stressor = {
  id: 'truncate',
  sentence:
    'A response cut before its end was announced fails as `incomplete-stream` (JSON: `malformed-response`); what was delivered is a prefix; no tool runs.',
  cutsStreams: true,
  async run(stressCase) {
    const search = openSearch(stressCase)
    const { mode, sweep, only } = stressCase
    // What failed when it was whole proves nothing when it is cut.
    const whole = recordedTurns(stressCase).filter(({ turn }) => turn.error === undefined)
    for (const recorded of whole) {
      const key = `truncate ${mode} ${turnKey(recorded)}`
      if (only !== undefined || !sweep.seen.has(key)) await cutTurn(stressCase, recorded, search)
      sweep.seen.add(key)
      const variant = `${recorded.number}/run`
      if (isRun(stressCase, recorded) && search.tries(variant))
        search.found(variant, await cutRun(stressCase, recorded))
    }
    return search.outcome(whole.length === 0 ? 'no response of this case ended a turn well' : undefined)
  },
}

/** What the loop does about a cut is the same for every response of a run: cases take turns, unless everything is to be tried. */
function isRun(stressCase: StressCase, { number }: RecordedTurn): boolean {
  const { sweep, only, cassette } = stressCase
  const { length } = cassette.exchanges
  return sweep.full || only !== undefined || number - 1 === turnOf(stressCase) % length
}

interface Cut {
  readonly offset: number
  readonly ending: 'eof' | 'reset'
  /** The end was announced before the cut; `undefined`: the words of this wire format are not known here. */
  readonly proven: boolean | undefined
}

/** The first cut that fails says enough: those after it mostly fail for the same reason. */
async function cutTurn(stressCase: StressCase, recorded: RecordedTurn, search: VariantSearch): Promise<void> {
  const { body, number } = recorded
  const replay = turnReplayer(stressCase, recorded)
  const whole = await replay({ chunks: [body] })
  const lines = whole.events.map((event) => JSON.stringify(event))
  for (const cut of cutsOf(stressCase, recorded)) {
    const { offset, ending } = cut
    const variant = `${number}/${offset}-${ending}`
    if (!search.tries(variant)) continue
    const outcome = await replay({ chunks: offset === 0 ? [] : [body.subarray(0, offset)], ending })
    const wrong = await judgeCut(stressCase, { whole, lines, outcome, cut })
    if (wrong === undefined) continue
    const diff = compareOutcomes({ title: 'whole', ...whole }, { title: 'cut', ...outcome })
    const location = `byte ${offset} of ${body.length} (${ending === 'eof' ? 'clean end' : 'reset'}), ${around(body, offset)}`
    const message = `response ${number} is cut at ${location}: ${wrong}\n${diff}`
    search.found(variant, [{ message, where: turnLocation(stressCase.evidence, number) }])
    return
  }
}

const jsonCuts = 8

/**
 * Streams: after every event, inside of it, and before the first one; of events in a row that differ in their texts only, at the first and
 * the last one. JSON: at eight offsets, and before it. The two endings take turns from offset to offset; where one of the streams that
 * are cut everywhere begins and where it comes to its end, each offset has both. Everywhere and both, where everything is to be tried.
 */
function cutsOf({ mode, subject, sweep, only }: StressCase, { body, exchange }: RecordedTurn): readonly Cut[] {
  const all = sweep.full || only !== undefined
  const at = (index: number, cut: Omit<Cut, 'ending'>, isDelicate = false): readonly Cut[] => {
    const both: readonly Cut['ending'][] = ['eof', 'reset']
    const turn = index % 2
    const endings = all || (isDelicate && body.length <= sweep.budget) ? both : both.slice(turn, turn + 1)
    return endings.map((ending) => ({ ...cut, ending }))
  }
  if (mode === 'generate') {
    const indexes = Array.from({ length: jsonCuts + 1 }, (_, index) => index)
    const offsetOf = (index: number): number => Math.floor(((body.length - 1) * index) / jsonCuts)
    return indexes.flatMap((index) => at(index, { offset: offsetOf(index), proven: false }))
  }
  const scanned = scanStream(body, subject.wire)
  const events = scanned?.events ?? scanUnknown(body, chunkSizes(exchange))
  const terminal = scanned?.terminal ?? events.length
  const isWanted = all ? () => true : inNewShape(body, { events, terminal, seen: sweep.seen })
  const known = (proven: boolean): boolean | undefined => (scanned === undefined ? undefined : proven)
  const later = events.flatMap(({ middle, end }, index) => {
    if (!isWanted(index)) return []
    const isDelicate = index >= terminal - 1
    const inside = at(index, { offset: middle, proven: known(index > terminal) }, isDelicate)
    if (end >= body.length) return inside
    return [...inside, ...at(index + 1, { offset: end, proven: known(index >= terminal) }, isDelicate)]
  })
  return [...later, ...at(0, { offset: 0, proven: false }, true)]
}

interface ShapedStream {
  readonly events: readonly StreamEvent[]
  readonly terminal: number
  readonly seen: Set<string>
}

/**
 * False for an event between two that are like it in all but their texts and numbers, and for one before which the stream is, in that sense,
 * like one that was cut there; always true at the end of the turn.
 */
function inNewShape(body: Bytes, { events, terminal, seen }: ShapedStream): (index: number) => boolean {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')
  const shapes = events.map(({ start, end }) => shapeOf(text.slice(start, end)))
  let before = 'truncate'
  const isNew = shapes.map((shape, index) => {
    if (shape === shapes[index - 1] && shape === shapes[index + 1]) return false
    if (shape !== shapes[index - 1]) before = `${before} ${textHash(shape)}`
    const key = `${before} ${shape === shapes[index + 1]}`
    const isFirst = !seen.has(key)
    seen.add(key)
    return isFirst
  })
  return (index) => index >= terminal - 1 || isNew[index] === true
}

function shapeOf(event: string): string {
  return event.replaceAll(/(?<!"type":\s?)"(?:[^"\\]|\\.)*"(?!\s*:)/g, '""').replaceAll(/-?\d[\d.e+-]*/g, '0')
}

interface CutOutcome {
  readonly whole: TurnOutcome
  /** The events of `whole`, one text each. */
  readonly lines: readonly string[]
  readonly outcome: TurnOutcome
  readonly cut: Cut
}

async function judgeCut({ mode }: StressCase, { whole, lines, outcome, cut }: CutOutcome): Promise<string | undefined> {
  const { offset, ending, proven } = cut
  if (outcome.error === undefined) {
    if (isUnproven(outcome.events) && isUnproven(whole.events)) return undefined
    if (proven === false) return 'it is taken for a finished turn, although its end was not announced'
    const lost = await sameMessage(whole, outcome)
    return lost === undefined || proven
      ? lost
      : 'it is taken for a finished turn, although the answer was not all there: let `end` throw `incomplete-stream` unless the provider said that it was done'
  }
  const unexpected = outcome.events.map((event) => JSON.stringify(event)).find((line, index) => line !== lines[index])
  if (unexpected !== undefined)
    return `it delivers ${unexpected.slice(0, 160)}, which the whole response does not give at this offset`
  // In an unknown framing the first message may not have been there yet.
  const isNothing = offset === 0 || (proven === undefined && outcome.events.length === 0)
  const legal = legalCodes(mode, ending, isNothing)
  return legal.includes(outcome.error)
    ? undefined
    : `it fails as '${outcome.error}' instead of '${legal[0]}': ${outcome.message ?? ''}`
}

function legalCodes(mode: 'generate' | 'stream', ending: 'eof' | 'reset', isNothing: boolean): readonly string[] {
  if (mode === 'generate') return ending === 'reset' ? ['connection'] : ['malformed-response', 'empty-response']
  // Nothing at all is rather empty, or a broken connection, than incomplete.
  return isNothing ? ['incomplete-stream', 'empty-response', 'malformed-response', 'connection'] : ['incomplete-stream']
}

/** A provider that never announces the end: each turn says so in a warning, the whole ones too. */
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
