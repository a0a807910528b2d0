import { arrayOf, objectOf, type JsonObject } from '@steploop/core/adapter'
import type { Derivation } from '../../derivation.ts'
import { leaveOut } from '../simulate/leave-out.ts'
import { parsed } from '../../json.ts'
import { asks } from '../../scenario-parts/asks.ts'
import { typedFailure } from '../../scenario-parts/typed-failure.ts'
import type { WireQuirk } from '../variants/quirk.ts'
import { answers, bodies, both, eachObject, events, perMode, requests, responses } from '../variants/recipe.ts'
import { countedAsAtTheEnd } from '../variants/usage-of-base.ts'

const streamed = ['anthropic-messages/anthropic/stream']
const always = ['anthropic-messages/anthropic']

/** Input of a call by the index of its block, put together from its deltas. */
function inputs(text: string): ReadonlyMap<unknown, unknown> {
  const pieces = new Map<unknown, string>()
  for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) {
    const event = objectOf(parsed(data))
    const { partial_json: piece } = objectOf(event['delta'])
    if (typeof piece === 'string') pieces.set(event['index'], (pieces.get(event['index']) ?? '') + piece)
  }
  return new Map([...pieces].map(([index, json]) => [index, parsed(json === '' ? '{}' : json)]))
}

/** A recipe for events that has to know the inputs of the whole stream. */
function withInputs(
  change: (event: JsonObject, known: ReadonlyMap<unknown, unknown>) => readonly JsonObject[],
): Derivation['change'] {
  return (exchanges, mode) =>
    exchanges.flatMap((exchange) => {
      const known = inputs(exchange.response)
      return events((event) => change(event, known))([exchange], mode)
    })
}

const inputInStart: WireQuirk = {
  of: 'parallel-calls',
  id: 'anthropic-input-in-start',
  title: 'Calls whose input stands whole in the start of their block, without a delta.',
  at: streamed,
  recipe:
    'whole `input` in `content_block_start`, no `input_json_delta` (docs/wire.md#anthropic-input-at-the-start-of-a-block)',
  change: withInputs((event, known) => {
    if (objectOf(event['delta'])['type'] === 'input_json_delta') return []
    const block = objectOf(event['content_block'])
    if (block['type'] !== 'tool_use') return [event]
    return [{ ...event, content_block: { ...block, input: known.get(event['index']) } }]
  }),
}

/** The blocks of the calls of a stream, whole. */
function callBlocks(text: string, known: ReadonlyMap<unknown, unknown>): readonly JsonObject[] {
  return [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, data = '']) => {
    const event = objectOf(parsed(data))
    const block = objectOf(event['content_block'])
    return block['type'] === 'tool_use' ? [{ ...block, input: known.get(event['index']) }] : []
  })
}

const callsInMessageStart: WireQuirk = {
  of: 'parallel-calls',
  id: 'anthropic-calls-in-message-start',
  title: 'Calls that stand in `message_start`, without any event of their blocks.',
  at: streamed,
  recipe:
    'calls in `message_start.message.content`, no block events (docs/wire.md#anthropic-calls-inside-message-start)',
  change: (exchanges, mode) =>
    exchanges.flatMap((exchange) => {
      const blocks = callBlocks(exchange.response, inputs(exchange.response))
      const change = events((event) => {
        const type = String(event['type'])
        if (blocks.length > 0 && type.startsWith('content_block_')) return []
        if (type !== 'message_start') return [event]
        return [{ ...event, message: { ...objectOf(event['message']), content: blocks } }]
      })
      return change([exchange], mode)
    }),
}

/** The word for an answer that has come to its end, whatever is in it. */
function endTurn(value: JsonObject): JsonObject {
  return eachObject(value, (object) =>
    object['stop_reason'] === 'tool_use' ? { ...object, stop_reason: 'end_turn' } : object,
  )
}

const callsAtEndTurn: WireQuirk = {
  of: 'parallel-calls',
  id: 'anthropic-calls-at-end-turn',
  title: 'Calls in an answer whose stop reason is `end_turn`: they run.',
  at: always,
  recipe: '`stop_reason: end_turn` beside calls (docs/wire.md#anthropic-calls-at-the-end-of-a-turn)',
  change: answers(endTurn),
}

const lateInputTokens: WireQuirk = {
  of: 'text-only',
  id: 'anthropic-late-input-tokens',
  title: 'Input tokens that grow during the stream: the last count holds.',
  at: streamed,
  recipe: 'fewer `input_tokens` in `message_start` than in `message_delta` (docs/wire.md#anthropic-usage)',
  change: events((event) => {
    if (event['type'] !== 'message_start') return [event]
    const message = objectOf(event['message'])
    return [{ ...event, message: { ...message, usage: { ...objectOf(message['usage']), input_tokens: 43 } } }]
  }),
  moreChecks: [countedAsAtTheEnd],
}

function withoutThought(value: JsonObject): JsonObject {
  return eachObject(value, (object) => (object['type'] === 'thinking' ? { ...object, thinking: '' } : object))
}

const signatureOnly: WireQuirk = {
  of: 'reasoning-replay',
  id: 'anthropic-signature-only',
  title: 'A thought without a text: its signature goes back all the same.',
  at: [...always, 'anthropic-messages/bedrock', 'anthropic-messages/vertex'],
  recipe: 'thinking blocks with a signature and no text, there and back (docs/wire.md#anthropic-thinking-without-text)',
  change: both(
    requests(withoutThought),
    perMode(
      bodies(withoutThought),
      events((event) => (objectOf(event['delta'])['type'] === 'thinking_delta' ? [] : [event])),
    ),
  ),
}

const retryAfterOnSuccess: WireQuirk = {
  of: 'single-call',
  id: 'anthropic-retry-after-on-success',
  title: '`retry-after` on an answer that succeeded: nobody waits.',
  at: always,
  recipe: '`retry-after: 61` on status 200 (docs/wire.md#retry-after)',
  change: (exchanges) =>
    exchanges.map((exchange) => ({ ...exchange, headers: { ...exchange.headers, 'retry-after': '61' } })),
}

/** A block that no client of today knows stands before the others. */
const future = {
  type: 'compaction',
  content: 'Bisher: Gruss aus Zürich und 東京 🗜️.',
  encrypted_content: 'EsSimCompaction',
}

function shifted(event: JsonObject): JsonObject {
  return typeof event['index'] === 'number' ? { ...event, index: event['index'] + 1 } : event
}

const opaqueBlock: WireQuirk = {
  of: 'single-call',
  id: 'anthropic-opaque-block',
  title: 'A block that is neither text, thought nor call, with deltas of its own: it passes through and comes back.',
  at: always,
  recipe:
    'a `compaction` block before the first block, with `compaction_delta` when streamed, there and back (docs/wire.md#anthropic-whole-blocks)',
  change: both(
    requests((body) => ({
      ...body,
      messages: arrayOf(body['messages']).map((message) => {
        const { role, content } = objectOf(message)
        const calls = arrayOf(content).some((block) => objectOf(block)['type'] === 'tool_use')
        return role === 'assistant' && calls ? { role, content: [future, ...arrayOf(content)] } : message
      }),
    })),
    perMode(
      bodies((body, exchange) => (exchange === 0 ? { ...body, content: [future, ...arrayOf(body['content'])] } : body)),
      events((event, { exchange }) => {
        if (exchange !== 0) return [event]
        if (event['type'] !== 'message_start') return [shifted(event)]
        return [
          event,
          { type: 'content_block_start', index: 0, content_block: { ...future, content: '', encrypted_content: null } },
          { type: 'content_block_delta', index: 0, delta: { ...future, type: 'compaction_delta' } },
          { type: 'content_block_stop', index: 0 },
        ]
      }),
    ),
  ),
  golden: `
    step 1 tool-calls: opaque + call get_weather {"city":"Zürich"} by loop + result get_weather json
    step 2 stop: text
    completed answer
  `,
}

/** A proxy asks again when a stream breaks, and puts the second answer after the half of the first. */
function spliced(text: string): string {
  const blocks = text.split('\n\n')
  const deltas = blocks.flatMap((block, index) => (block.includes('input_json_delta') ? [index] : []))
  const middle = deltas[Math.floor(deltas.length / 2)] ?? 0
  return [...blocks.slice(0, middle), ...blocks].join('\n\n')
}

const splicedStart: WireQuirk = {
  of: 'single-call',
  id: 'anthropic-spliced-start',
  title: 'A second `message_start` in the middle of a call: the turn fails, and no half call runs.',
  at: streamed,
  recipe: 'the stream begins again inside of a call (docs/wire.md#anthropic-a-second-start)',
  change: (exchanges, mode) => responses((text) => spliced(text))(exchanges.slice(0, 1), mode),
  golden: `
    failed turn-failed from malformed-response
  `,
  run: asks('Wie ist das Wetter in Zürich?', ['get_weather'], { maxRetries: 0 }),
  checks: [typedFailure({ code: 'malformed-response', worded: false })],
}

const unpadded: WireQuirk = {
  of: 'text-only',
  id: 'anthropic-tidy-blocks',
  title: 'Old recordings: no pings, no caller, no padding.',
  at: streamed,
  recipe: 'no `ping` events, no blanks before the last brace (docs/wire.md#padding, docs/wire.md#anthropic-pings)',
  change: events((event) => (event['type'] === 'ping' ? [] : [leaveOut(event, [])])),
}

/** https://docs.claude.com/en/docs/build-with-claude/streaming, as it really comes. */
export const anthropicMessagesQuirks: readonly WireQuirk[] = [
  inputInStart,
  callsInMessageStart,
  callsAtEndTurn,
  lateInputTokens,
  signatureOnly,
  retryAfterOnSuccess,
  opaqueBlock,
  splicedStart,
  unpadded,
]
