import { describe, expect, test } from 'vitest'
import type { JsonObject } from '@steploop/core/adapter'
import { question, readStream, readWhole, send, sendBack } from './testing.ts'

const finished = [{ finish_reason: 'stop' }, '[DONE]']

const content = { title: 'Apples', tags: ['a'] }

test('content that is an object (Cloudflare, with a response format) is its JSON text, in both modes, and goes back as that text', () => {
  const text = '{"title":"Apples","tags":["a"]}'
  for (const { turn } of [readWhole({ content, refusal: null }), readStream([{ content }, ...finished])]) {
    expect(turn.message.content).toEqual([{ type: 'text', text }])
    expect(sendBack(turn.message)).toEqual({ role: 'assistant', content: text })
  }
})

const usage = (members: object): unknown => readWhole({ content: 'x' }, { body: { usage: members } }).turn.usage

test('usage that leaves something out: audio that the total counts belongs to the input (Mistral)', () => {
  const apart = { prompt_tokens: 11, completion_tokens: 15, prompt_tokens_details: { audio_tokens: 375 } }
  expect(usage({ ...apart, total_tokens: 401 })).toMatchObject({ inputTokens: 386, outputTokens: 15 })
  expect(usage({ ...apart, total_tokens: 26 })).toMatchObject({ inputTokens: 11, outputTokens: 15 })
  const both = { ...apart, completion_tokens_details: { reasoning_tokens: 9 }, total_tokens: 410 }
  expect(usage(both)).toMatchObject({ inputTokens: 386, outputTokens: 24 })
  // What is missing is the reasoning alone: the audio is in the input already.
  expect(usage({ ...both, total_tokens: 35 })).toMatchObject({ inputTokens: 11, outputTokens: 24 })
})

const counts = { prompt_tokens: 61, completion_tokens: 10, total_tokens: 71 }
const body = { usage: { ...counts, completion_tokens_details: { reasoning_tokens: 96 } } }
const reported = (upstream: JsonObject): JsonObject => ({
  provider_metadata: { gateway: { cost: '0.0002' }, google: { usageMetadata: upstream } },
})

test('usage that leaves something out: reasoning that the upstream counts beside the answer belongs to the output (Vercel AI Gateway)', () => {
  const upstream = reported({ promptTokenCount: 61, candidatesTokenCount: 10, thoughtsTokenCount: 96 })
  expect(readWhole({ content: 'x', ...upstream }, { body }).turn.usage).toMatchObject({ outputTokens: 106 })
  for (const chunks of [
    [{ choices: [{ index: 0, delta: { content: 'x', ...upstream } }] }, body],
    [body, { content: 'x', ...upstream }],
  ]) {
    const { usage: read } = readStream([...chunks, ...finished]).turn
    expect(read).toMatchObject({ inputTokens: 61, outputTokens: 106, reasoningTokens: 96 })
  }
})

test('usage that leaves something out and does not, where the upstream counts it in the answer, or another answer is meant', () => {
  for (const upstream of [
    { candidatesTokenCount: 106, thoughtsTokenCount: 96 },
    { candidatesTokenCount: 10, thoughtsTokenCount: 4 },
    { candidatesTokenCount: 10 },
  ]) {
    expect(readWhole({ content: 'x', ...reported(upstream) }, { body }).turn.usage).toMatchObject({ outputTokens: 10 })
  }
})

const pieces = [
  { tool_calls: [{ index: 0, id: 'call_c', type: 'custom', custom: { name: 'math_exp', input: '' } }] },
  { tool_calls: [{ index: 0, custom: { input: '4 +' } }] },
  { tool_calls: [{ index: 0, custom: { input: ' 4' } }] },
]

test('a call of a `custom` tool that was cut is no whole one', () => {
  const { turn } = readStream([...pieces.slice(0, 2), { finish_reason: 'length' }, '[DONE]'])
  expect(turn.message.content).toMatchObject([{ invalid: 'truncated', input: undefined, inputText: '4 +' }])
})

test('a call of a `custom` tool beside a function is not meant (Snowflake)', () => {
  const functionCall = { id: 'c', function: { name: 'f', arguments: '{"a":1}' }, custom: { name: '', input: '' } }
  const { turn } = readWhole({ tool_calls: [functionCall] })
  expect(turn.message.content).toMatchObject([{ toolName: 'f', input: { a: 1 } }])
  expect(sendBack(turn.message)?.['tool_calls']).toMatchObject([{ type: 'function', function: { name: 'f' } }])
})

const audio = { id: 'audio_1', data: 'UklGRgAA', expires_at: 9, transcript: 'Hello.' }

test('an answer in audio is a file whose kind its first bytes tell, and goes back by its id', () => {
  const { turn } = readWhole({ content: null, refusal: null, audio })
  expect(turn.message.content).toMatchObject([{ type: 'file', mediaType: 'audio/wav', data: 'UklGRgAA' }])
  expect(sendBack(turn.message)).toEqual({ role: 'assistant', content: null, audio: { id: 'audio_1' } })
})

test.each([
  ['SUQzBAAA', 'audio/mpeg'],
  ['//vQAAAA', 'audio/mpeg'],
  ['//PQAAAA', 'audio/mpeg'],
  ['ZkxhQwAA', 'audio/flac'],
  ['T2dnUwAA', 'audio/ogg'],
  ['//FQAAAA', 'audio/aac'],
  ['AAAAAAAA', 'audio/pcm'],
])('an answer in audio that begins with %s is %s', (data, mediaType) => {
  const { message } = readWhole({ content: null, audio: { id: 'a', data } }).turn
  expect(message.content).toMatchObject([{ mediaType, providerMetadata: { data: { audio: { id: 'a' } } } }])
  expect(message.content).not.toHaveProperty('0.providerMetadata.data.audio.transcript')
})

test('an answer in audio may come in pieces, each padded on its own', () => {
  const { turn } = readStream([
    { audio: { id: 'audio_1', transcript: 'Hel' } },
    { audio: { data: 'AQ==' } },
    { audio: { data: 'AgM=', transcript: 'lo.' } },
    { audio: { expires_at: 9 } },
    ...finished,
  ])
  const wire = { data: { audio: { id: 'audio_1', transcript: 'Hello.', expires_at: 9 } } }
  expect(turn.message.content).toMatchObject([
    { type: 'file', mediaType: 'audio/pcm', data: 'AQID', providerMetadata: wire },
  ])
})

test('an answer in audio of another provider is left out with a warning', () => {
  const { turn } = readWhole({ content: null, audio })
  const [part] = turn.message.content
  const foreign = part?.type === 'file' ? [{ ...part, providerMetadata: undefined }] : []
  const { messages, warnings } = send({ messages: [question, { role: 'assistant', content: foreign }] })
  expect(messages).toHaveLength(1)
  expect(warnings).toMatchObject([{ type: 'dropped' }])
})

describe('the legacy `function_call`', () => {
  const functionCall = { name: 'get_weather', arguments: '{"city":"Oslo"}' }

  test('the legacy `function_call` is not run, and a warning says so', () => {
    for (const { turn } of [
      readWhole({ content: null, function_call: functionCall }, { finish: 'function_call' }),
      readStream([
        { function_call: { name: 'get_weather', arguments: '' } },
        { function_call: { arguments: '{}' } },
        { finish_reason: 'function_call' },
        '[DONE]',
      ]),
    ]) {
      expect(turn.warnings).toMatchObject([{ type: 'dropped', path: 'message.function_call' }])
      expect(turn.warnings[0]?.message).toContain("'get_weather'")
      expect(turn.message.content).toEqual([])
    }
  })

  test('a legacy `function_call` without a name is nothing (Snowflake)', () => {
    const { turn } = readWhole({ content: 'Hi', function_call: { name: '', arguments: '' } })
    expect(turn.warnings).toEqual([])
  })
})
