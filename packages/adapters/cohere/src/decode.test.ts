import type { JsonObject } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { begin, event, finished, origin, readStream, readWhole, requestOf } from './testing.ts'
import { cohereChat } from './wire.ts'

const call = (id: string, name: string, text: string) => ({ id, type: 'function', function: { name, arguments: text } })

const plan = 'I will look it up.'

const streamed = () =>
  readStream([
    begin,
    event('tool-plan-delta', { tool_plan: 'I will ' }),
    event('tool-plan-delta'),
    event('tool-plan-delta', { tool_plan: 'look it up.' }),
    event('tool-call-start', { tool_calls: call('w_1', 'get_weather', '') }, { index: 0 }),
    event('tool-call-delta', { tool_calls: { function: { arguments: '{"city":' } } }, { index: 0 }),
    event('tool-call-delta', { tool_calls: { function: { arguments: '"Zürich"}' } } }, { index: 0 }),
    { type: 'tool-call-end', index: 0 },
    event('tool-call-start', { tool_calls: call('t_1', 'get_time', '') }, { index: 1 }),
    { type: 'tool-call-end', index: 1 },
    finished('TOOL_CALL', { usage: { tokens: { input_tokens: 500, output_tokens: 40 }, cached_tokens: 448 } }),
  ])
const whole = () =>
  readWhole(
    {
      tool_plan: plan,
      tool_calls: [call('w_1', 'get_weather', '{"city":"Zürich"}'), call('t_1', 'get_time', '{}')],
    },
    { finish_reason: 'TOOL_CALL', usage: { tokens: { input_tokens: 500, output_tokens: 40 }, cached_tokens: 448 } },
  )

test.each([
  ['streamed', streamed],
  ['whole', whole],
])('an answer with calls: %s has the plan as reasoning, and a call without arguments', (_, read) => {
  const { turn, error } = read()
  expect(error).toBeUndefined()
  expect(turn.message.content).toMatchObject([
    { type: 'reasoning', text: plan },
    { type: 'tool-call', toolCallId: 'w_1', toolName: 'get_weather', input: { city: 'Zürich' } },
    { type: 'tool-call', toolCallId: 't_1', toolName: 'get_time', input: {} },
  ])
  expect(turn).toMatchObject({
    finishReason: 'tool-calls',
    rawFinishReason: 'TOOL_CALL',
    usage: { inputTokens: 500, outputTokens: 40, cachedInputTokens: 448 },
    message: { responseId: 'r-1' },
  })
})

test.each([
  ['content-delta', { index: 0 }, { index: 1 }],
  ['content-start', { index: 0 }, { index: 0 }],
])('two blocks of text stay two parts: by %s', (type, first, second) => {
  const { turn } = readStream([
    begin,
    event(type, { content: { text: 'A' } }, first),
    event(type, { content: { text: 'B' } }, second),
    finished(),
  ])
  expect(turn.message.content).toMatchObject([{ text: 'A' }, { text: 'B' }])
})

test.each([
  [{ type: 'text' }, []],
  [{ type: 'thinking' }, []],
  [{ type: 'note', text: 'A' }, ['text']],
  [{ type: 'note', thinking: 'A' }, ['reasoning']],
  [{ thinking: 'A', text: 'A' }, ['reasoning', 'text']],
])('a block is what its texts say, whatever its type, each a part that ends: %j', (block, types) => {
  for (const { events, turn } of [
    readWhole({ content: [block] }),
    readStream([begin, event('content-start', { content: block }), finished()]),
  ]) {
    expect(turn.message.content).toEqual(types.map((type) => ({ type, text: 'A' })))
    const expected = types.flatMap((type) => [`${type}-start`, `${type}-delta`, `${type}-end`])
    expect(events.map(({ type }) => type)).toEqual(['turn-start', ...expected, 'turn-end'])
  }
})

test('a part ends before the call behind it begins', () => {
  const content = [{ type: 'text', text: 'Hm.' }]
  const expected = ['turn-start', 'text-start', 'text-delta', 'text-end', 'tool-call-start']
  const time = call('', 'get_time', '{}')
  const parts = [event('content-start', { content: { text: 'Hm.' } }), event('tool-call-start', { tool_calls: time })]
  for (const { events, turn } of [
    readWhole({ content, tool_calls: [time] }, {}, requestOf({ turn: 3 })),
    readStream([begin, ...parts, finished()], requestOf({ turn: 3 })),
  ]) {
    expect(events.map(({ type }) => type).slice(0, 5)).toEqual(expected)
    expect(turn.message.content[1]).toMatchObject({ toolCallId: 'call_3_0' })
  }
})

test('a part ends as soon as its end is told', () => {
  const decoder = cohereChat(origin).createDecoder(requestOf())
  const out: Parameters<typeof decoder.push>[1] = []
  for (const given of [begin, event('content-start', { content: { text: 'A' } }), { type: 'content-end' }]) {
    decoder.push({ data: JSON.stringify(given) }, out)
  }
  expect(out.at(-1)).toEqual({ type: 'text-end', part: 0 })
})

test.each([
  ['content-start', {}, { index: 0 }],
  ['content-delta', {}, { index: 0 }],
  ['content-start', { index: 1 }, { index: 1 }],
])('pieces of one index are one block, and what says none belongs to the first: %s %j', (type, first, second) => {
  const content = { text: 'A' }
  const { turn } = readStream([
    begin,
    event(type, { content }, first),
    event('content-delta', { content }, second),
    finished(),
  ])
  expect(turn.message.content).toEqual([{ type: 'text', text: 'AA' }])
})

test('a block of a kind that we do not know is kept as it came: its texts grow, and the rest is replaced', () => {
  const pieces = [
    { type: 'note', body: 'A', size: 1, at: '1' },
    { body: 'B', size: 2, at: 2 },
  ]
  const events = pieces.map((content, n) => event(n === 0 ? 'content-start' : 'content-delta', { content }))
  const data = { type: 'note', body: 'AB', size: 2, at: 2 }
  for (const { turn } of [readStream([begin, ...events, finished()]), readWhole({ content: [data] })]) {
    expect(turn.message.content).toEqual([{ type: 'opaque', providerMetadata: { ...origin, data } }])
  }
})

test('citations stand on the block that they name, with what is known of their sources', () => {
  const sources = [
    { type: 'document', id: 'doc:0', document: { snippet: 'By Matz.' } },
    { type: 'tool', id: 'doc:1', tool_output: { title: 'Ruby', url: 'https://a.example', text: 'Gems' } },
  ]
  const content = ['One.', 'Two.'].map((text) => ({ type: 'text', text }))
  const { turn } = readWhole({ content, citations: [{ content_index: 1, start: 0, end: 3, text: 'Two', sources }] })
  const range = { startIndex: 0, endIndex: 3 }
  expect(turn.message.content).toEqual([
    { type: 'text', text: 'One.' },
    {
      type: 'text',
      text: 'Two.',
      citations: [
        { kind: 'file', title: 'doc:0', citedText: 'By Matz.', ...range },
        { url: 'https://a.example', title: 'Ruby', citedText: 'Gems', ...range },
      ],
    },
  ])
})

test.each([
  [
    { start: 2, end: 6, text: 'Matz' },
    { startIndex: 3, endIndex: 7 },
  ],
  [
    { start: 3, end: 7, text: 'Matz' },
    { startIndex: 3, endIndex: 7 },
  ],
  [{ start: 0, end: 4, text: 'Matz' }, {}],
  [
    { start: 2, end: 6 },
    { startIndex: 2, endIndex: 6 },
  ],
  [{ start: 3, text: 'Matz' }, {}],
  [{ end: 7, text: 'Matz' }, {}],
])(
  'a citation of no block is of the first, where its passage stands, counted in characters or not: %j',
  (at, range) => {
    const [first, second] = ['😀 Matz', 'B'].map((text) => ({ type: 'text', text }))
    const sources = [{ id: 'doc:0', document: { content: 'By Matz.' } }]
    const { turn } = readWhole({ content: [first, second], citations: [null, { ...at, sources }] })
    const citations = [{ kind: 'file', title: 'doc:0', citedText: 'By Matz.', ...range }]
    expect(turn.message.content).toEqual([{ ...first, citations }, second])
  },
)

test.each([
  ['THINKING_CONTENT', [{ type: 'text', text: 'A' }]],
  ['TEXT_CONTENT', []],
])('a citation that has no text to stand on is left out: %s', (type, content) => {
  const { turn, error } = readWhole({ content, citations: [{ type, start: 0, end: 1, sources: [{ id: 'doc:0' }] }] })
  expect(error).toBeUndefined()
  expect(turn.message.content).toEqual(content)
})

test.each([
  [{ output_tokens: 4 }, { outputTokens: 4 }],
  [
    { output_tokens: 4, reasoning_tokens: 3 },
    { outputTokens: 4, reasoningTokens: 3 },
  ],
  [{ input_tokens: 4, image_tokens: 3 }, { inputTokens: 7 }],
  [{ image_tokens: 4 }, undefined],
])('usage is unknown as far as the server leaves it out: %j', (tokens, expected) => {
  expect(readWhole({}, { usage: { tokens } }).turn.usage).toEqual(expected)
})

test('an event that is no object is passed over', () => {
  expect(readStream([begin, null as unknown as JsonObject, finished()])).toMatchObject({
    turn: { finishReason: 'stop' },
  })
})

test.each([
  ['ERROR', 'server-error'],
  ['TIMEOUT', 'timeout'],
])('the end: %s is an error of the code %s, with the words of the server', (raw, code) => {
  const { error } = readStream([begin, finished(raw, { error: 'out of luck' })])
  const message = expect.stringContaining(`finish_reason: ${raw}`) as string
  expect(error).toMatchObject({ code, message, providerMessage: 'out of luck', retryable: true })
})

test('calls whose pieces come by turns keep theirs, and are complete where their end is told', () => {
  const piece = (index: number, text: string) =>
    event('tool-call-delta', { tool_calls: { function: { arguments: text } } }, { index })
  const { turn, events } = readStream([
    begin,
    event('tool-call-start', { tool_calls: call('w_1', 'get_weather', '') }, { index: 0 }),
    event('tool-call-start', { tool_calls: call('t_1', 'get_time', '') }, { index: 1 }),
    piece(1, '{"a":'),
    piece(0, '{"b":2}'),
    { type: 'tool-call-end', index: 0 },
    piece(1, '1}'),
    { type: 'tool-call-end', index: 1 },
    finished('TOOL_CALL'),
  ])
  expect(turn.message.content).toMatchObject([
    { toolCallId: 'w_1', input: { b: 2 } },
    { toolCallId: 't_1', input: { a: 1 } },
  ])
  expect(events.slice(-4).map(({ type }) => type)).toEqual(['tool-call', 'tool-call-delta', 'tool-call', 'turn-end'])
})

test.each([
  ['MAX_TOKENS', 'length', 'truncated'],
  ['TOOL_CALL', 'tool-calls', 'unparsable'],
])('calls whose text is no JSON when the answer ends by %s: %s, %s', (raw, finishReason, invalid) => {
  const starts = ['w_1', 'w_2'].map((id, index) =>
    event('tool-call-start', { tool_calls: call(id, 'get_weather', '{"ci') }, { index }),
  )
  const { turn } = readStream([begin, ...starts, finished(raw)])
  expect(turn).toMatchObject({ finishReason, message: { content: [{ invalid }, { invalid }] } })
})

test('log probabilities are of pieces of text, streamed or not', () => {
  const logprobs = { text: ' sun', token_ids: [1, 2], logprobs: [-0.5, -0.25] }
  const expected = [{ token: ' sun', logprob: -0.75 }]
  const delta = { ...event('content-delta', { content: { text: ' sun' } }), logprobs }
  expect(readStream([begin, delta, finished()]).events.at(-1)).toMatchObject({ logprobs: expected })
  const unsure = [{ text: 'x', logprobs: [] }, { text: 'x', logprobs: [null] }, { logprobs: [-1] }]
  expect(readWhole({}, { logprobs: [...unsure, logprobs] }).events.at(-1)).toMatchObject({ logprobs: expected })
  expect(readWhole({}, { logprobs: unsure }).events.at(-1)).not.toHaveProperty('logprobs')
})

test.each([
  [{ id: 'x' }, 'malformed-response'],
  [{ id: 'x', message: 'internal server error' }, 'server-error'],
])('a body that is no answer is an error: %j', (body, code) => {
  expect(readWhole({}, { message: undefined, ...body }).error).toMatchObject({ code })
})

test.each([
  [498, { message: 'blocked input' }, 'content-filter'],
  [400, { message: "model 'x' not found" }, 'not-found'],
  [400, { message: "the model 'x' not found" }, 'bad-request'],
  [422, { message: "model 'x' not found" }, 'bad-request'],
  [400, { message: 'no', error_type: 'TOO_MANY_TOKENS' }, 'context-overflow'],
  [400, { message: 'too many tokens: max tokens must be less' }, 'bad-request'],
])('what a status does not say its body does: %d %j', (status, body, code) => {
  const headers = new Headers({ 'retry-after': '2' })
  const facts = cohereChat(origin).decodeError(status, headers, JSON.stringify({ ...body, id: 'x' }))
  expect(facts).toMatchObject({ code, providerMessage: body.message, requestId: 'x', retryAfterMs: 2000 })
})

test('an event that is an error ends the stream', () => {
  expect(readStream([begin, { id: 'x', message: 'no luck' }]).error).toMatchObject({
    code: 'server-error',
    providerMessage: 'no luck',
  })
})

test('a message that is a text is an error, which its words name', () => {
  const message = 'too many tokens: the total number of tokens is too large'
  const answer = { id: 'r-1', message }
  expect(readWhole({}, answer).error).toMatchObject({ code: 'context-overflow', providerMessage: message })
})
