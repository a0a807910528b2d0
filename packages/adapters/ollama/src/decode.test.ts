import { expect, test } from 'vitest'
import { AdapterError } from '@steploop/core/adapter'
import { done, question, readStream, readWhole, requestOf, send, sendBack } from './testing.ts'
import { ollamaChat } from './wire.ts'

function codeOf(error: unknown): string | undefined {
  return AdapterError.isInstance(error) ? error.code : undefined
}

const weather = { function: { name: 'get_weather', arguments: { city: 'Zürich' } } }

test('thinking is a part, and nothing beside the message', () => {
  const { message } = readWhole({ content: 'Sunny.', thinking: 'Hm.', tool_calls: [weather] }).turn
  expect(message.content).toMatchObject([{ type: 'reasoning', text: 'Hm.' }, { type: 'text' }, { type: 'tool-call' }])
  expect(message).not.toHaveProperty('providerMetadata')
})

test('text before a call and text behind it are two parts', () => {
  const { turn } = readStream([{ content: 'A' }, { tool_calls: [weather] }, { content: 'B' }, done()])
  expect(turn.message.content).toMatchObject([{ text: 'A' }, { toolName: 'get_weather' }, { text: 'B' }])
})

test('arguments that come as a text which is no JSON are kept as they are', () => {
  const call = { function: { name: 'get_weather', arguments: '{"city":' } }
  expect(readWhole({ tool_calls: [call] }).turn.message.content).toMatchObject([
    { inputText: '{"city":', invalid: 'unparsable' },
  ])
})

test('calls get ids from the ordinals of turn and call, which are never sent', () => {
  const { turn } = readWhole({ tool_calls: [weather] }, {}, requestOf({ turn: 3 }))
  expect(turn.message.content).toEqual([
    {
      type: 'tool-call',
      toolCallId: 'call_3_0',
      toolName: 'get_weather',
      input: { city: 'Zürich' },
      inputText: '{"city":"Zürich"}',
      owner: 'client',
    },
  ])
  expect(sendBack(turn.message)).toEqual({ role: 'assistant', content: '', tool_calls: [weather] })
})

test.each([{ id: 'call_ab12' }, { function: { index: 1, ...weather.function } }])(
  'calls keep what the server gives in one place alone, and return with it: %j',
  (fields) => {
    const given = { ...weather, ...fields }
    expect(sendBack(readWhole({ tool_calls: [given] }).turn.message)).toMatchObject({ tool_calls: [given] })
  },
)

test('calls keep what the server gives beside name and arguments, and return with it', () => {
  const given = { id: 'call_ab12', signature: 'S', function: { index: 1, ...weather.function } }
  const { turn } = readStream([{ tool_calls: [given] }, done()])
  expect(turn.message.content).toMatchObject([
    { toolCallId: 'call_ab12', providerMetadata: { provider: 'ollama', model: 'qwen3' } },
  ])
  expect(sendBack(turn.message)).toMatchObject({ tool_calls: [given] })
  const output = { type: 'text', value: '7 °C' } as const
  const results = [{ type: 'tool-result', toolCallId: 'call_ab12', toolName: 'get_weather', output }] as const
  const { messages } = send({ messages: [question, turn.message, { role: 'tool', content: results }] })
  expect(messages[2]).toMatchObject({ tool_call_id: 'call_ab12', tool_name: 'get_weather' })
})

test('usage and the reason stay what they were when the last line leaves them out', () => {
  const early = { done: false, message: {}, done_reason: 'length', prompt_eval_count: 26, eval_count: 2 }
  expect(readStream([early, { done: true }]).turn).toMatchObject({
    finishReason: 'length',
    usage: { inputTokens: 26, outputTokens: 2 },
  })
})

test.each([
  ['stop', 'stop'],
  ['length', 'length'],
  ['load', 'unknown'],
  [undefined, 'stop'],
])('the reason %j gives the finish reason `%s`', (raw, finishReason) => {
  expect(readWhole({ content: 'A' }, { done_reason: raw }).turn).toMatchObject({ finishReason, rawFinishReason: raw })
})

test('usage is unknown as far as the server leaves it out', () => {
  expect(readWhole({ content: 'Hi' }).turn.usage).toBeUndefined()
  expect(readWhole({ content: 'Hi' }, { eval_count: 5 }).turn.usage).toEqual({ outputTokens: 5 })
})

test('the end of a stream is the line that says so, and final: what follows is not looked at', () => {
  const decoder = ollamaChat({ provider: 'ollama', model: 'qwen3' }).createDecoder(requestOf())
  expect(decoder.progress?.()).toBe('open')
  decoder.push({ data: JSON.stringify(done()) }, [])
  expect(decoder.progress?.()).toBe('done')
  expect(readStream([{ content: 'Hi' }]).error).toMatchObject({
    code: 'incomplete-stream',
    message: expect.stringContaining('"done": true') as unknown,
  })
  const { events, turn } = readStream([{ content: 'Hi' }, done(), { content: '!' }, 'no JSON', { error: 'late' }])
  expect(turn.message.content).toMatchObject([{ text: 'Hi' }])
  expect(events.filter(({ type }) => type === 'turn-end')).toHaveLength(1)
})

test('lines that are no objects are skipped, and what is no JSON is malformed', () => {
  expect(readStream(['1', '[]', 'null', { content: 'Hi' }, done()]).turn.message.content).toMatchObject([
    { text: 'Hi' },
  ])
  const { error, turn } = readStream([{ content: 'Hi' }, '{"model":'])
  expect(codeOf(error)).toBe('malformed-response')
  expect(turn.message.content).toMatchObject([{ text: 'Hi' }])
})

test('a JSON answer without a message, or one that is not done, is malformed', () => {
  expect(codeOf(readWhole({}, { message: undefined }).error)).toBe('malformed-response')
  expect(codeOf(readWhole({ content: 'Hi' }, { done: false }).error)).toBe('malformed-response')
})

test('the model is the one that the server names', () => {
  for (const { turn, events } of [readWhole({ content: 'Hi' }), readStream([{ content: 'Hi' }, done()])]) {
    expect(turn).toMatchObject({ model: 'qwen3:8b', responseId: undefined })
    expect(events[0]).toMatchObject({ type: 'turn-start', model: 'qwen3:8b' })
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', model: 'qwen3:8b' })
  }
  expect(readStream([{ content: 'Hi' }, done({ model: 'another' })]).turn.model).toBe('qwen3:8b')
})

test.each([
  ['a', 'b', 'ab'],
  [['a'], ['b'], ['a', 'b']],
  [['a'], 'b', 'b'],
  ['a', ['b'], ['b']],
])('members that nobody knows grow as pieces of a kind, or are replaced: %j, %j', (first, second, whole) => {
  const { turn } = readStream([{ novelty: first }, { novelty: second }, done()])
  expect(sendBack(turn.message)).toMatchObject({ novelty: whole })
})

test('lists that every line repeats grow by one list for each', () => {
  const line = { content: 'A', novelty: ['a'] }
  expect(sendBack(readStream([line, line, line, done()]).turn.message)).toMatchObject({ novelty: ['a', 'a', 'a'] })
})

test.each([
  [{}, undefined],
  [[], undefined],
  [[{ token: 'A', logprob: -1 }], { logprobs: [{ token: 'A', logprob: -1 }] }],
])('log probabilities of %j are kept where there are any', (logprobs, data) => {
  expect(readWhole({ content: 'A' }, { logprobs }).turn.message.providerMetadata?.data).toEqual(data)
})

test('members of a message that nobody knows return with it, and log probabilities are kept', () => {
  const { turn } = readStream([
    { content: 'Hi', novelty: 1, images: ['iVBORw0KGgo='] },
    { done: false, message: { content: '!' }, logprobs: [{ token: '!', logprob: -0.1 }] },
    done({ logprobs: [{ token: '', logprob: 0 }] }),
  ])
  expect(turn.message.providerMetadata).toMatchObject({ data: { logprobs: [{ token: '!' }, { token: '' }] } })
  expect(turn.logprobs).toMatchObject([
    { token: '!', logprob: -0.1 },
    { token: '', logprob: 0 },
  ])
  const sent = sendBack(turn.message)
  expect(sent).toEqual({ role: 'assistant', content: 'Hi!', novelty: 1, images: ['iVBORw0KGgo='] })
})

test('a list that no client of today knows is whole, in however many pieces it comes', () => {
  // A list that is copied for each of them takes minutes.
  const pieces = Array.from({ length: 60_000 }, (_, at) => ({ novelties: [at, at, at, at] }))
  const { message } = readStream([...pieces, done()]).turn
  const novelties = pieces.flatMap((piece) => piece.novelties)
  expect(message.providerMetadata?.data).toEqual({ fields: { novelties } })
})
