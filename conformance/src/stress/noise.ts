import { isObject } from '@steploop/core/adapter'
import { parsed } from '../json.ts'
import { isMessageStream, withOtherHeaders } from '../wires/read/odd-messages.ts'
import { openSearch, type VariantSearch } from './variant-search.ts'
import {
  fingerprint,
  recordedTurns,
  turnKey,
  turnLocation,
  turnReplayer,
  type RecordedTurn,
  type TurnOutcome,
} from './replay-turn.ts'
import { shrink } from './shrink.ts'
import { compareOutcomes } from './side-by-side.ts'
import type { StressCase, Stressor } from './stressor.ts'

/** What a stream may hold beside its content must not change what it says. */
export const noise: Stressor = {
  id: 'noise',
  sentence:
    'Comments, CR LF, a BOM, blank events, other fields and headers and another order of fields and keys change nothing.',
  async run(stressCase) {
    const search = openSearch(stressCase)
    const turns = stressCase.mode === 'stream' ? recordedTurns(stressCase) : []
    const texts = turns.filter(isTextStream)
    const frames = turns.filter(isMessageStream)
    for (const recorded of texts) await disturb(stressCase, recorded, search)
    for (const recorded of frames) await addHeaders(stressCase, recorded, search)
    return search.outcome(
      texts.length + frames.length === 0 ? 'no response is a stream of events, in text or in frames of AWS' : undefined,
    )
  },
}

/** Frames of AWS may bear headers of any type beside those that say what they are. */
async function addHeaders(stressCase: StressCase, recorded: RecordedTurn, search: VariantSearch): Promise<void> {
  const { sweep, only } = stressCase
  const key = `other-headers ${turnKey(recorded)}`
  const variant = `${recorded.number}/other-headers`
  if ((only === undefined && sweep.seen.has(key)) || !search.tries(variant)) return
  sweep.seen.add(key)
  const replay = turnReplayer(stressCase, recorded)
  const whole = await replay({ chunks: [recorded.body] })
  const noisy = await replay({ chunks: [withOtherHeaders(recorded.body)] })
  const diff = compareOutcomes({ title: 'as recorded', ...whole }, { title: 'with other headers', ...noisy })
  if (diff === '') return
  const message = `with headers of every type before those of each frame the stream gives other events\n${diff}`
  search.found(variant, [{ message, where: turnLocation(stressCase.evidence, recorded.number) }])
}

function isTextStream({ exchange }: RecordedTurn): boolean {
  return exchange.response.headers['content-type']?.startsWith('text/event-stream') === true
}

/** Each noise on all events at once; what fails is shrunk to the events that it needs. */
async function disturb(stressCase: StressCase, recorded: RecordedTurn, search: VariantSearch): Promise<void> {
  const { sweep, only } = stressCase
  const key = `noise ${turnKey(recorded)}`
  if (only === undefined && sweep.seen.has(key)) return
  const replay = turnReplayer(stressCase, recorded)
  const events = eventsOf(recorded)
  const whole = await replay({ chunks: [recorded.body] })
  const told = fingerprint(whole)
  const expected = wordsOf(whole)
  // Most noise does not even change the order of keys.
  const isSame = (outcome: TurnOutcome): boolean => fingerprint(outcome) === told || wordsOf(outcome) === expected
  let passed = 0
  for (const noiseOne of noises) {
    const variant = `${recorded.number}/${noiseOne.id}`
    if (!search.tries(variant)) continue
    const indexes = indexesOf(noiseOne, events)
    const noisy = (at: readonly number[]) => replay({ chunks: [bytesWith(noiseOne, events, at)] })
    if (isSame(await noisy(indexes))) {
      passed++
      continue
    }
    const least = await shrink(indexes, async (at) => !isSame(await noisy(at)))
    const [first = 0] = least
    const changed = JSON.stringify(noiseOne.change(events[first] ?? '')).slice(0, 160)
    const diff = compareOutcomes({ title: 'as recorded', ...whole }, { title: noiseOne.title, ...(await noisy(least)) })
    const which = least.length === 1 ? `event ${first + 1}` : `events ${least.map((at) => at + 1).join(', ')}`
    const message = `with ${noiseOne.title} at ${which} of ${events.length} the stream gives other events; it begins ${changed}\n${diff}`
    search.found(variant, [{ message, where: turnLocation(stressCase.evidence, recorded.number) }])
  }
  // What fails is shown in each case, so that a known failure is one whatever runs before.
  if (passed === noises.length) sweep.seen.add(key)
}

/** Each with the blank line that ends it. Some providers end lines with CR LF; the changes below are written for LF. */
function eventsOf({ body }: RecordedTurn): readonly string[] {
  return new TextDecoder()
    .decode(body)
    .replaceAll('\r\n', '\n')
    .split(/(?<=\n\n)/)
}

/** Keys may come in another order in what the events hold, too. */
function wordsOf({ events, error }: TurnOutcome): string {
  return `${error ?? ''} ${JSON.stringify(events.map((event) => sorted(event)))}`
}

function indexesOf({ position = 'every' }: Noise, events: readonly string[]): readonly number[] {
  if (position === 'first') return [0]
  if (position === 'last') return [events.length - 1]
  // A stream that was left in the middle of an event: to end the event would change what it says.
  return events.flatMap((event, at) => (event.endsWith('\n\n') ? [at] : []))
}

function bytesWith({ change }: Noise, events: readonly string[], at: readonly number[]): Uint8Array<ArrayBuffer> {
  const changed = new Set(at)
  return new TextEncoder().encode(events.map((event, index) => (changed.has(index) ? change(event) : event)).join(''))
}

interface Noise {
  /** Part of the variant's name. */
  readonly id: string
  readonly title: string
  /** Which events can carry it. Default `every`. */
  readonly position?: 'first' | 'last' | 'every' | undefined
  /** From one event, with the blank line that ends it, to a noisy one. */
  readonly change: (event: string) => string
}

const onLines =
  (change: (lines: readonly string[]) => readonly string[]): Noise['change'] =>
  (event) =>
    event.replace(/[^\n]+(?:\n[^\n]+)*/, (block) => change(block.split('\n')).join('\n'))

/** Applies a change to the JSON of each `data:` line. */
const onPayload = (change: (payload: Readonly<Record<string, unknown>>) => unknown): Noise['change'] =>
  onLines((lines) =>
    lines.map((line) => {
      const payload = line.startsWith('data:') ? parsed(line.slice(5)) : undefined
      return isObject(payload) ? `data: ${JSON.stringify(change(payload))}` : line
    }),
  )

const unknown = { deep: [1, null], text: '東京' }

const noises: readonly Noise[] = [
  { id: 'lf', title: 'LF alone', change: (event) => event },
  { id: 'comment-before', title: 'a comment before it', change: (event) => `: keep-alive 東京\n${event}` },
  { id: 'comments-between', title: 'comments after it', change: (event) => `${event}: ping\n\n:\n\n` },
  { id: 'crlf', title: 'CR LF for LF', change: (event) => event.replaceAll('\n', '\r\n') },
  { id: 'cr', title: 'CR for LF', change: (event) => event.replaceAll('\n', '\r') },
  { id: 'bom', title: 'a byte order mark', position: 'first', change: (event) => `\uFEFF${event}` },
  { id: 'blank-lines', title: 'blank lines after it', change: (event) => `${event}\n\n` },
  { id: 'no-data', title: 'an event without data before it', change: (event) => `event: nothing\n\n${event}` },
  { id: 'data-first', title: '`event:` after `data:`', change: onLines((lines) => lines.toReversed()) },
  { id: 'other-fields', title: 'other fields', change: (event) => `id: 7\nretry: 3000\nx-unknown: 1\n${event}` },
  {
    id: 'no-blank',
    title: 'no blank after the colon',
    change: onLines((lines) => lines.map((line) => line.replace(/^(data|event): /, '$1:'))),
  },
  { id: 'no-end', title: 'no blank line at its end', position: 'last', change: (event) => event.trimEnd() },
  {
    id: 'unknown-key',
    title: 'an unknown key in front',
    change: onPayload((payload) => ({ x_unknown: unknown, ...payload })),
  },
  { id: 'key-order', title: 'keys in another order', change: onPayload((payload) => reordered(payload, 'reversed')) },
]

function sorted(value: unknown): unknown {
  return reordered(value, 'sorted')
}

function reordered(value: unknown, order: 'sorted' | 'reversed'): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => reordered(item, order))
  if (!isObject(value)) return value
  const names = order === 'sorted' ? Object.keys(value).toSorted() : Object.keys(value).toReversed()
  return Object.fromEntries(names.map((name) => [name, reordered(value[name], order)]))
}
