import { expect, test } from 'vitest'
import { begin, event, finished, readStream, readWhole, sendBack } from './testing.ts'

const call = (id: string, name: string, text: string) => ({ id, type: 'function', function: { name, arguments: text } })

const plan = 'I will look it up.'

const streamed = () =>
  readStream([
    begin,
    event('tool-plan-delta', { tool_plan: 'I will ' }),
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
  ['streamed', streamed],
  ['whole', whole],
])('an answer with calls: %s goes back with its plan', (_, read) => {
  expect(sendBack(read().turn.message)).toEqual({
    role: 'assistant',
    tool_plan: plan,
    tool_calls: [call('w_1', 'get_weather', '{"city":"Zürich"}'), call('t_1', 'get_time', '{}')],
  })
})

test('thoughts and text are parts of their own and go back as blocks', () => {
  const { turn } = readStream([
    begin,
    event('content-start', { content: { type: 'thinking', thinking: '' } }, { index: 0 }),
    event('content-delta', { content: { thinking: 'Hm.' } }, { index: 0 }),
    { type: 'content-end', index: 0 },
    event('content-start', { content: { type: 'text', text: '' } }, { index: 1 }),
    event('content-delta', { content: { text: 'Sun' } }, { index: 1 }),
    event('content-delta', { content: { text: 'ny.' } }, { index: 1 }),
    { type: 'content-end', index: 1 },
    finished(),
  ])
  expect(turn.message.content).toEqual([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Sunny.' },
  ])
  expect(sendBack(turn.message)?.['content']).toEqual([
    { type: 'thinking', thinking: 'Hm.' },
    { type: 'text', text: 'Sunny.' },
  ])
})

test('thoughts and text of two blocks of text stay two parts', () => {
  const { turn } = readStream([
    begin,
    event('content-delta', { content: { text: 'A' } }, { index: 0 }),
    event('content-delta', { content: { text: 'B' } }, { index: 1 }),
    finished(),
  ])
  expect(turn.message.content).toMatchObject([{ text: 'A' }, { text: 'B' }])
})

test('citations are one per source, at the text that they support', () => {
  const content = [
    { type: 'thinking', thinking: 'Hm.' },
    { type: 'text', text: 'By Matz.' },
  ]
  const { turn } = readWhole({ content, citations: [cited] })
  expect(turn.message.content[1]).toEqual({
    type: 'text',
    text: 'By Matz.',
    citations: [
      { kind: 'file', title: 'facts.txt', citedText: 'By Matz.', startIndex: 3, endIndex: 7 },
      { url: 'https://a.example', title: 'A', citedText: 'x', startIndex: 3, endIndex: 7 },
    ],
  })
})

const source = { type: 'document', id: 'doc:0', document: { id: 'doc:0', title: 'facts.txt', text: 'By Matz.' } }
const result = { type: 'tool', id: 'w_1:0', tool_output: { url: 'https://a.example', title: 'A', text: 'x' } }
const cited = { start: 3, end: 7, text: 'Matz', sources: [source, result], type: 'TEXT_CONTENT', content_index: 1 }

test.each(['Matz', undefined])('citations of %j that count UTF-16 units keep their place', (passage) => {
  const citations = [{ ...cited, start: 6, end: 10, text: passage, content_index: 0, sources: [source] }]
  const { turn } = readWhole({ content: [{ type: 'text', text: '🌞 By Matz.' }], citations })
  expect(textOf(turn.message.content[0]).citations).toMatchObject([{ startIndex: 6, endIndex: 10 }])
})

test('citations that count characters become UTF-16 units, and those that fit nowhere lose their place', () => {
  const text = '🌞 By Matz.'
  const events = [
    begin,
    event('content-delta', { content: { text } }, { index: 0 }),
    event('citation-start', { citations: { ...cited, start: 5, end: 9, content_index: 0, sources: [source] } }),
    event('citation-start', { citations: { ...cited, text: 'else', sources: [source] } }),
    finished(),
  ]
  const [first, second] = textOf(readStream(events).turn.message.content[0]).citations ?? []
  expect(text.slice(first?.startIndex, first?.endIndex)).toBe('Matz')
  expect(second).not.toHaveProperty('startIndex')
})

test.each(['text', 'snippet', 'content'])('citations quote the %s of what a tool found', (name) => {
  const found = { type: 'tool', id: 'w_1:0', tool_output: { [name]: 'x' } }
  const { turn } = readWhole({
    content: [{ type: 'text', text: 'By Matz.' }],
    citations: [{ ...cited, content_index: 0, sources: [found] }],
  })
  expect(turn.message.content).toMatchObject([{ citations: [{ kind: 'file', title: 'w_1:0', citedText: 'x' }] }])
})

test('citations of thoughts and plans are left out', () => {
  const citations = [{ ...cited, type: 'PLAN' }]
  const { turn } = readWhole({ content: [{ type: 'text', text: 'By Matz.' }], citations })
  expect(turn.message.content).toEqual([{ type: 'text', text: 'By Matz.' }])
})

test.each([
  ['COMPLETE', 'stop'],
  ['STOP_SEQUENCE', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['NOVELTY', 'unknown'],
])('the end: %s is %s', (raw, finishReason) => {
  expect(readStream([begin, finished(raw)]).turn).toMatchObject({ finishReason, rawFinishReason: raw })
})

test.each([
  ['ERROR', 'server-error'],
  ['TIMEOUT', 'timeout'],
])('the end: %s is an error of the code %s, with the words of the server', (raw, code) => {
  const { error } = readStream([begin, finished(raw, { error: 'out of luck' })])
  const message = expect.stringContaining(`finish_reason: ${raw}`) as string
  expect(error).toMatchObject({ code, message, providerMessage: 'out of luck', retryable: true })
})

test('calls whose pieces come by turns keep theirs', () => {
  const piece = (index: number, text: string) =>
    event('tool-call-delta', { tool_calls: { function: { arguments: text } } }, { index })
  const { turn } = readStream([
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
})

test('the end of a call by MAX_TOKENS leaves it truncated', () => {
  const { turn } = readStream([
    begin,
    event('tool-call-start', { tool_calls: call('w_1', 'get_weather', '') }, { index: 0 }),
    event('tool-call-delta', { tool_calls: { function: { arguments: '{"ci' } } }, { index: 0 }),
    finished('MAX_TOKENS'),
  ])
  expect(turn).toMatchObject({ finishReason: 'length', message: { content: [{ invalid: 'truncated' }] } })
})

function textOf(part: unknown) {
  return part as { citations?: { startIndex?: number; endIndex?: number }[] }
}

test('the end is where progress says done, and nothing after it counts', () => {
  const { turn } = readStream([begin, finished(), event('content-delta', { content: { text: 'A' } })])
  expect(turn.message.content).toEqual([])
})

test('images are counted apart, and billed units stand in for tokens that are not reported', () => {
  const tokens = { input_tokens: 34, output_tokens: 70, reasoning_tokens: 8, image_tokens: 259 }
  expect(readWhole({}, { usage: { tokens, cached_tokens: 0 } }).turn.usage).toEqual({
    inputTokens: 293,
    outputTokens: 70,
    reasoningTokens: 8,
    cachedInputTokens: 0,
  })
  const billed = { input_tokens: 5, output_tokens: 2 }
  expect(readWhole({}, { usage: { billed_units: billed } }).turn.usage).toMatchObject({ inputTokens: 5 })
})

test('log probabilities are of pieces of text, streamed or not', () => {
  const logprobs = { text: ' sun', token_ids: [1, 2], logprobs: [-0.5, -0.25] }
  const expected = [{ token: ' sun', logprob: -0.75 }]
  const delta = { ...event('content-delta', { content: { text: ' sun' } }), logprobs }
  expect(readStream([begin, delta, finished()]).events.at(-1)).toMatchObject({ logprobs: expected })
  expect(readWhole({}, { logprobs: [logprobs] }).events.at(-1)).toMatchObject({ logprobs: expected })
})

test.each([
  [{ id: 'x' }, 'malformed-response'],
  [{ id: 'x', message: 'internal server error' }, 'server-error'],
])('a body that is no answer is an error: %j', (body, code) => {
  expect(readWhole({}, { message: undefined, ...body }).error).toMatchObject({ code })
})

test('an event that is an error ends the stream', () => {
  expect(readStream([begin, { id: 'x', message: 'no luck' }]).error).toMatchObject({
    code: 'server-error',
    providerMessage: 'no luck',
  })
})
