import { AdapterError } from '@steploop/core/adapter'
import { expect, it } from 'vitest'
import {
  call,
  close,
  decoded,
  delta,
  ending,
  messageOf,
  open,
  requestOf,
  origin,
  start,
  stop,
  streamed,
  turnOf,
} from './testing.ts'
import { anthropicMessages } from './wire.ts'

it('streams skip unknown events, fields and blank data, and read the type from the payload', () => {
  const decoder = anthropicMessages(origin).createDecoder(requestOf())
  const out: Parameters<typeof decoder.push>[1] = []
  decoder.push({ event: 'later_addition', data: '{"type":"later_addition","x":1}' }, out)
  decoder.push({ event: 'message_start', data: '' }, out)
  for (const event of [start, open(0, { type: 'text', text: 'Hi', more: null }), close(0), ending('end_turn'), stop]) {
    decoder.push({ event: undefined, data: JSON.stringify(event) }, out)
  }
  decoder.end(out)
  expect(turnOf(out).message.content).toEqual([{ type: 'text', text: 'Hi' }])
})

it('streams keep in the first block what says no index', () => {
  const unnumbered = { ...delta(0, { type: 'text_delta', text: 'i' }), index: undefined }
  const events = streamed([start, open(0, { type: 'text', text: 'H' }), unnumbered, close(0), ending('end_turn'), stop])
  expect(turnOf(events).message.content).toEqual([{ type: 'text', text: 'Hi' }])
})

it.each([
  [
    { type: 'text_delta', text: 'Hi' },
    { type: 'text', text: 'Hi' },
  ],
  [
    { type: 'thinking_delta', thinking: 'Hi' },
    { type: 'reasoning', text: 'Hi' },
  ],
])('streams whose block was not begun read it by its delta: %j', (fields, part) => {
  const events = streamed([start, delta(0, fields), close(0), ending('end_turn'), stop])
  expect(turnOf(events).message.content).toMatchObject([part])
})

it('bodies end each block before the next begins', () => {
  const content = [
    { type: 'thinking', thinking: 'Hm.', signature: 's' },
    { type: 'text', text: 'Hi' },
  ]
  const types = decoded(messageOf(content)).map(({ type }) => type)
  const [thought, text] = ['reasoning', 'text'].map((name) => [`${name}-start`, `${name}-delta`, `${name}-end`])
  expect(types).toEqual(['turn-start', ...thought!, ...text!, 'turn-end'])
})

it.each([
  ['a block', [open(0, { type: 'text', text: 'Hi' }), stop]],
  ['a delta', [delta(0, { type: 'text_delta', text: 'Hi' }), stop]],
  ['nothing but their end', [stop]],
])('streams whose message_start is missing begin the turn with %s', (_title, events) => {
  expect(streamed(events)[0]).toMatchObject({ type: 'turn-start' })
})

it('streams fail with an error that only the line of its event names', () => {
  const decoder = anthropicMessages(origin).createDecoder(requestOf())
  const frame = { event: 'error', data: '{"message":"Overloaded"}' }
  expect(() => decoder.push(frame, [])).toThrow(AdapterError)
})

it('streams fail with an error that comes without a type', () => {
  const error = { error: { type: 'overloaded_error', message: 'Overloaded' } }
  expect(() => streamed([start, error])).toThrow(expect.objectContaining({ code: 'overloaded' }))
})

it('calls given whole but as no object are unparsable, never {}', () => {
  const block = { type: 'tool_use', id: 'toolu_1', name: 'now', input: 'oops' }
  expect(turnOf(decoded(messageOf([block]))).message.content).toMatchObject([
    { invalid: 'unparsable', inputText: 'oops' },
  ])
})

it('calls left open by a stream that breaks off are never handed over as valid', () => {
  const decoder = anthropicMessages(origin).createDecoder(requestOf())
  const out: Parameters<typeof decoder.push>[1] = []
  const begun = [start, ...call(0, 'toolu_1', 'weather', '{"from":1}').slice(0, -1)]
  for (const event of begun) decoder.push({ data: JSON.stringify(event) }, out)
  expect(() => decoder.end(out)).toThrow(AdapterError)
  expect(turnOf(out).message.content).toMatchObject([{ type: 'tool-call', invalid: 'truncated' }])
})

it('the end of a turn with a compaction is a pause', () => {
  const events = decoded(messageOf([], { stop_reason: 'compaction' }))
  expect(events.at(-1)).toMatchObject({ finishReason: 'pause', rawFinishReason: 'compaction' })
})

const counts = {
  input_tokens: 3,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 20,
  output_tokens: 50,
  output_tokens_details: { thinking_tokens: 30 },
}
const counted = {
  inputTokens: 123,
  outputTokens: 50,
  cachedInputTokens: 100,
  cacheWriteTokens: 20,
  reasoningTokens: 30,
}

it.each([
  ['what a later usage does not name as before, and null as nothing', [counts, { input_tokens: null }], counted],
  ['cache reads alone', [{ cache_read_input_tokens: 3 }], { inputTokens: 3, cachedInputTokens: 3 }],
  ['cache writes alone', [{ cache_creation_input_tokens: 3 }], { inputTokens: 3, cacheWriteTokens: 3 }],
  ['caches that gave nothing alone', [{ cache_read_input_tokens: 0 }], { cachedInputTokens: 0 }],
  ['nothing', [undefined], undefined],
])('the end of a turn counts %s', (_title, [first, ...later], expected) => {
  const begun = { type: 'message_start', message: messageOf([], { usage: first }) }
  const turn = turnOf(streamed([begun, ...later.map((usage) => ending('end_turn', usage)), stop]))
  expect(turn.usage).toEqual(expected)
})

it('the end of a turn keeps what has no neutral form with the message', () => {
  const facts = { stop_sequence: 'END', stop_details: { type: 'refusal', explanation: null }, container: { id: 'c_1' } }
  const beside = { context_management: { applied_edits: [] }, diagnostics: { cache: 'miss' } }
  const end = { type: 'message_delta', delta: { stop_reason: 'refusal', ...facts }, ...beside }
  expect(turnOf(streamed([start, end, stop])).message.providerMetadata).toEqual({
    ...origin,
    data: { ...facts, ...beside },
  })
})

it.each([[{}], [[]], ['text'], [{ content: 'text' }], [null]])(
  'whole answers of another shape (%j) are malformed',
  (json) => {
    expect(() => decoded(json)).toThrow(expect.objectContaining({ code: 'malformed-response' }))
  },
)

it('whole answers that are an error in place of a message throw it', () => {
  const json = { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' }, request_id: 'req_1' }
  expect(() => decoded(json)).toThrow(expect.objectContaining({ code: 'rate-limit', requestId: 'req_1' }))
})
