import { expect, onTestFinished, test, vi } from 'vitest'
import { AdapterError, type TurnEvent } from '@steploop/core/adapter'
import { bedrockConverse } from './wire.ts'
import { begin, delta, end, origin, readStream, readWhole, requestOf, send, stopped, type Event } from './testing.ts'

const usage = { inputTokens: 3, outputTokens: 9, cacheReadInputTokens: 20, cacheWriteInputTokens: 5 }
const toolStart = (index: number, toolUseId: string, name: string, type?: string): Event => [
  'contentBlockStart',
  { contentBlockIndex: index, start: { toolUse: { toolUseId, name, ...(type !== undefined && { type }) } } },
]

const signed = { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig-1' } } }
const redacted = { reasoningContent: { redactedContent: 'aGk=' } }
const events: readonly Event[] = [
  begin,
  delta(0, { text: '' }), // Recorded: an empty block of text before it.
  stopped(0),
  delta(1, { reasoningContent: { text: 'Hm.' } }),
  delta(1, { reasoningContent: { signature: 'sig-1' } }),
  stopped(1),
  delta(2, { reasoningContent: { redactedContent: 'aA==' } }),
  delta(2, { reasoningContent: { redactedContent: 'aQ==' } }),
  stopped(2),
  end(),
]

test.each([
  ['streamed', () => readStream(events)],
  ['whole', () => readWhole([signed, redacted, { reasoningContent: {} }])],
])('reasoning: %s goes back with its signature, and what was redacted as it came', (_, read) => {
  const { turn } = read()
  expect(turn.message.content).toMatchObject([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'reasoning', text: '' },
  ])
  const { messages } = send({ messages: [{ role: 'user', content: 'Q' }, turn.message] })
  expect(messages[1]?.['content']).toEqual([signed, redacted])
})

const citation = {
  title: 'facts',
  sourceContent: [{ text: 'By Matz.' }],
  location: { documentChar: { documentIndex: 0, start: 0, end: 8 } },
}
const block = { citationsContent: { content: [{ text: 'Matz made it.' }], citations: [citation] } }

test.each([
  ['whole', () => readWhole([block])],
  [
    'streamed',
    () => readStream([begin, delta(0, { citation }), delta(0, { text: 'Matz made it.' }), stopped(0), end()]),
  ],
])('citations: %s stand at their text and go back with it', (_, read) => {
  const { turn } = read()
  expect(turn.message.content).toMatchObject([
    { text: 'Matz made it.', citations: [{ kind: 'file', title: 'facts', citedText: 'By Matz.' }] },
  ])
  expect(send({ messages: [{ role: 'user', content: 'Q' }, turn.message] }).messages[1]?.['content']).toEqual([block])
})

test('citations of search results and of the web have an address', () => {
  const found = { title: 'A', source: 'https://a.example', location: { searchResultLocation: {} } }
  const web = { title: 'B', location: { web: { url: 'https://b.example', domain: 'b.example' } } }
  const named = { source: 'page 7', sourceContent: [{ text: 'One ' }, {}, { text: 'two.' }] }
  const citations = [found, web, named, { source: 'https://c.example' }, { source: 1 }]
  const citationsContent = { content: [{ text: 'X' }], citations }
  expect(readWhole([{ citationsContent }]).turn.message.content).toMatchObject([
    {
      citations: [
        { url: 'https://a.example', title: 'A' },
        { url: 'https://b.example', title: 'B' },
        { title: 'page 7', citedText: 'One two.' },
        { url: 'https://c.example' },
        {},
      ],
    },
  ])
})

test('a result is whole where the next block begins, or the answer ends, though no event says so', () => {
  const results = [0, 1].map((index): Event => [
    'contentBlockStart',
    { contentBlockIndex: index, start: { toolResult: { toolUseId: `t_${index}`, status: 'success' } } },
  ])
  const { turn } = readStream([begin, ...results, delta(2, { text: 'A' }), end()])
  expect(turn.message.content.map(({ type }) => type)).toEqual(['opaque', 'opaque', 'text'])
  const alone = readStream([begin, ...results, end()])
  expect(alone.turn.message.content.map(({ type }) => type)).toEqual(['opaque', 'opaque'])
})

test.each([
  [[{ json: { a: 1 } }], { type: 'json', value: { a: 1 } }],
  [[{ text: 'A' }, { text: 'B' }], { type: 'text', value: 'AB' }],
  [[{ text: 'A' }, { json: 1 }], { type: 'json', value: [{ text: 'A' }, { json: 1 }] }],
])('a result of %j is the output %j', (content, output) => {
  const toolUse = { toolUseId: 't_1', name: 'nova_grounding', input: {}, type: 'server_tool_use' }
  const { turn } = readWhole([{ toolUse }, { toolResult: { toolUseId: 't_1', content, status: 'success' } }])
  expect(turn.message.content[1]).toMatchObject({ output })
})

test('a call comes before its result, though no event says that its block ends', () => {
  const { events: told } = readStream([
    begin,
    toolStart(0, 't_0', 'nova_grounding', 'server_tool_use'),
    ['contentBlockStart', { contentBlockIndex: 1, start: { toolResult: { toolUseId: 't_0', status: 'success' } } }],
    end(),
  ])
  expect(told.map(({ type }) => type)).toEqual([
    'turn-start',
    'tool-call-start',
    'tool-call',
    'tool-result',
    'turn-end',
  ])
})

test('images that the model made are files, of a format or of none, and go back as they came', () => {
  const images = [{ image: { format: 'jpeg', source: { bytes: 'aGk=' } } }, { image: { source: { bytes: 'aGo=' } } }]
  const { turn } = readWhole([{ reasoningContent: {} }, ...images])
  expect(turn.message.content).toMatchObject([
    { type: 'file', mediaType: 'image/jpeg', data: 'aGk=' },
    { type: 'file', mediaType: 'image/png', data: 'aGo=' },
  ])
  const { messages } = send({ messages: [{ role: 'user', content: 'Q' }, turn.message] })
  expect(messages[1]?.['content']).toEqual(images)
})

test('a thought without a signature says nothing of the wire, and what nobody knows beside a text is left out', () => {
  const { turn } = readStream([
    begin,
    delta(0, { reasoningContent: { text: 'Hm.' } }),
    stopped(0),
    delta(1, { text: 'A' }),
    delta(1, { novelty: 1 }),
    stopped(1),
    end(),
  ])
  expect(turn.message.content).toEqual([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'A' },
  ])
})

test('a streamed block of a kind that nobody knows is kept in its pieces', () => {
  const pieces = [{ novelty: { a: 1 } }, { novelty: { b: 2 } }]
  const { turn } = readStream([
    begin,
    ...pieces.map((piece) => delta(0, piece)),
    stopped(0),
    delta(1, { text: 'A' }),
    end(),
  ])
  expect(turn.message.content).toEqual([
    { type: 'opaque', providerMetadata: { ...origin, data: { pieces } } },
    { type: 'text', text: 'A' },
  ])
  const { messages, warnings } = send({ messages: [{ role: 'user', content: 'Q' }, turn.message] })
  expect(messages[1]?.['content']).toEqual([{ text: 'A' }])
  expect(warnings).toMatchObject([{ type: 'dropped', message: expect.stringContaining('came in pieces') as unknown }])
})

test.each([
  [[{ text: 'no' }], 'no'],
  [[{ weird: 1 }], '[{"weird":1}]'],
])('a tool of the provider that failed with %j says so', (content, message) => {
  const toolUse = { toolUseId: 't_1', name: 'nova_code_interpreter', input: {}, type: 'server_tool_use' }
  const { turn } = readWhole([{ toolUse }, { toolResult: { toolUseId: 't_1', content, status: 'error' } }])
  expect(turn.message.content[1]).toMatchObject({ output: { type: 'error', value: { code: 'tool-failed', message } } })
})

test('a block that becomes one of another kind is closed before', () => {
  const read = readStream([
    begin,
    delta(0, { text: 'So.' }),
    delta(0, { reasoningContent: { text: 'Hm.' } }),
    stopped(0),
    end('end_turn'),
  ])
  expect(read.events.map(({ type }) => type).filter((type) => /text-|reasoning-/.test(type))).toEqual([
    'text-start',
    'text-delta',
    'text-end',
    'reasoning-start',
    'reasoning-delta',
    'reasoning-end',
  ])
})

test('a call without an id gets one of the ordinals of turn and call', () => {
  const request = requestOf({ turn: 3 })
  const whole = { message: { content: [{ toolUse: { name: 'f', input: {} } }] } }
  const out: TurnEvent[] = []
  bedrockConverse(origin).decode({ output: whole }, request, out)
  const { events: streamed } = readStream(
    [begin, ['contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { name: 'f' } } }], stopped(0), end()],
    request,
  )
  for (const told of [out, streamed])
    expect(told.find(({ type }) => type === 'tool-call')).toMatchObject({ toolCallId: 'call_3_0' })
})

test.each([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['guardrail_intervened', 'content-filter'],
  ['content_filtered', 'content-filter'],
  ['malformed_tool_use', 'error'],
  ['novelty', 'unknown'],
])('the stop reason %s gives the finish reason `%s`', (raw, finishReason) => {
  expect(readStream([begin, end(raw)]).turn).toMatchObject({ finishReason, rawFinishReason: raw })
})

test.each([
  ['max_tokens', '{}', 'truncated'],
  ['model_context_window_exceeded', '{}', 'truncated'],
  ['model_context_window_exceeded', '{', 'truncated'],
  ['tool_use', '{', 'unparsable'],
  ['tool_use', '{}', undefined],
])(
  'a call of a turn that stopped with `%s`, and whose input is the text %s, is invalid as %s',
  (raw, input, invalid) => {
    const { turn } = readStream([begin, toolStart(0, 't_1', 'f'), delta(0, { toolUse: { input } }), end(raw)])
    const [call] = turn.message.content
    expect(call?.type === 'tool-call' && call.invalid).toBe(invalid)
  },
)

test('what is said beside a whole answer is reported with the message', () => {
  const { turn } = readWhole([{ text: 'Hi' }], { serviceTier: { type: 'flex' } })
  expect(turn.message.providerMetadata?.data).toEqual({ serviceTier: { type: 'flex' } })
})

test('calls whose pieces come by turns keep theirs', () => {
  const piece = (index: number, input: string): Event => delta(index, { toolUse: { input } })
  const { turn } = readStream([
    begin,
    toolStart(0, 't_1', 'f'),
    toolStart(1, 't_2', 'g'),
    piece(0, '{"a":'),
    piece(1, '{"b":'),
    piece(0, '1}'),
    stopped(0),
    piece(1, '2}'),
    stopped(1),
    end('tool_use'),
  ])
  expect(turn.message.content).toMatchObject([{ input: { a: 1 } }, { input: { b: 2 } }])
})

test('what a guardrail found and how it was served is reported with the message', () => {
  const trace = { guardrail: { actionReason: 'Guardrail blocked.' } }
  const { turn } = readStream([
    begin,
    end('guardrail_intervened'),
    ['metadata', { usage, trace, serviceTier: { type: 'flex' } }],
  ])
  expect(turn.message.providerMetadata?.data).toEqual({ trace, serviceTier: { type: 'flex' } })
})

test.each([
  [{ outputTokens: 9 }, { outputTokens: 9 }],
  [
    { inputTokens: 3, cacheReadInputTokens: 20 },
    { inputTokens: 23, cachedInputTokens: 20 },
  ],
  [
    { inputTokens: 3, cacheWriteInputTokens: 5 },
    { inputTokens: 8, cacheWriteTokens: 5 },
  ],
  [{ totalTokens: 9 }, undefined],
])('a usage of %j is what is known of it', (counts, expected) => {
  expect(readWhole([{ text: 'A' }], { usage: counts }).turn.usage).toEqual(expected)
})

test('the end is messageStop, with or without the usage behind it', () => {
  const decoder = bedrockConverse(origin).createDecoder(requestOf())
  decoder.push({ event: 'messageStart', data: '{}' }, [])
  expect(decoder.progress?.()).toBe('open')
  decoder.push({ event: 'messageStop', data: '{"stopReason":"end_turn"}' }, [])
  expect(decoder.progress?.()).toBe('answered')
  decoder.push({ event: 'metadata', data: '{}' }, [])
  expect(decoder.progress?.()).toBe('done')
  const { error } = readStream([begin, delta(0, { text: 'A' }), stopped(0), ['metadata', { usage }]])
  expect(AdapterError.isInstance(error) && error.code).toBe('incomplete-stream')
})

test.each([
  ['exception:throttlingException', 'rate-limit', true],
  ['exception:modelStreamErrorException', 'server-error', true],
  ['exception:validationException', 'bad-request', false],
  ['exception:serviceUnavailableException', 'overloaded', true],
  ['error:InternalFailure', 'server-error', true],
])('the event %s within a stream is thrown as an AdapterError `%s`', (event, code, retryable) => {
  const decoder = bedrockConverse(origin).createDecoder(requestOf())
  let error: unknown
  try {
    decoder.push({ event, data: '{"message":"no luck"}' }, [])
  } catch (thrown) {
    error = thrown
  }
  expect(error).toMatchObject({ code, retryable, providerMessage: 'no luck' })
})

test.each([
  [{ output: {} }, 'malformed-response'],
  [{ output: {}, message: 'busy', __type: 'ServiceUnavailableException' }, 'overloaded'],
  [{ output: {}, message: 'oops' }, 'server-error'],
])('an answer without a message is an error: %j', (body, code) => {
  expect(readWhole([], body).error).toMatchObject({ code })
})

test('what comes in pieces of base64 is put together once, not anew with each of them', () => {
  const read = vi.spyOn(globalThis, 'atob')
  onTestFinished(() => read.mockRestore())
  const pieces = Array.from({ length: 50 }, () => btoa('x'))
  const images = pieces.map((bytes) => delta(0, { image: { source: { bytes } } }))
  const thoughts = pieces.map((redactedContent) => delta(1, { reasoningContent: { redactedContent } }))
  const { turn } = readStream([begin, ...images, stopped(0), ...thoughts, stopped(1), end()])
  const data = btoa('x'.repeat(50))
  expect(turn.message.content).toMatchObject([
    { type: 'file', data },
    { type: 'reasoning', providerMetadata: { data: { redactedContent: data } } },
  ])
  expect(read.mock.calls.flat().join('')).toHaveLength(2 * pieces.join('').length)
})
