import { expect, it } from 'vitest'
import { detectExchange, type Detected } from './detect.ts'
import { parseRecording } from '../read/recording.ts'

interface Exchange {
  readonly url?: string | undefined
  readonly method?: string | undefined
  readonly body?: unknown
  readonly answer?: unknown
  readonly sse?: string | undefined
  readonly status?: number | undefined
  readonly wire?: string | undefined
  readonly provider?: string | undefined
}

function detect(exchange: Exchange, ...speakers: Parameters<typeof detectExchange>[1] & {}): Detected {
  const { url, method = 'POST', body, answer = {}, sse, status = 200, wire, provider } = exchange
  const request = url === undefined ? null : { method, url, body }
  const response = sse === undefined ? { status, body: answer } : { status, sse }
  const recording = parseRecording(JSON.stringify({ interactions: [{ wire, provider, request, response }] }), 'a.json')
  return detectExchange(recording.interactions[0]!, speakers)
}

it.each([
  ['https://api.openai.com/v1/chat/completions', 'openai-chat'],
  ['https://x.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=1', 'openai-chat'],
  ['https://generativelanguage.googleapis.com/v1beta/openai/chat/completions', 'openai-chat'],
  ['https://gateway.example/responses/v1/chat/completions', 'openai-chat'],
  ['https://api.x.ai/v1/responses', 'openai-responses'],
  ['https://api.anthropic.com/v1/messages?beta=true', 'anthropic-messages'],
  ['https://host.example/v1beta/models/gemini-3:streamGenerateContent?alt=sse', 'gemini-generate'],
  ['http://localhost:11434/api/chat', 'ollama-chat'],
  ['http://localhost:11434/v1/chat/completions', 'openai-chat'],
  ['https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse-stream', 'bedrock-converse'],
  ['https://api.cohere.com/v2/chat', 'cohere-chat'],
])('the wire format is read from the URL %s', (url, wire) => {
  expect(detect({ url, wire: 'something else' })).toMatchObject({ wire, isTurn: true })
})

it('what is recorded in the format of a subject is in that format, where the suite does not know it, whatever its path', () => {
  for (const url of ['https://api.marmot.example/v1/messages', 'https://api.marmot.example/api/chat', undefined]) {
    const exchange = { url, wire: 'marmot-blocks', answer: { type: 'message', content: [] } }
    expect(detect(exchange, { wire: 'marmot-blocks' })).toMatchObject({ wire: 'marmot-blocks', isTurn: true })
    expect(detect(exchange, { wire: 'anthropic-messages' }).wire).not.toBe('marmot-blocks')
    expect(detect({ ...exchange, wire: 'anthropic-messages' }, { wire: 'anthropic-messages' }).wire).not.toBe(
      'marmot-blocks',
    )
  }
})

it('a body without messages at the path of Anthropic is of the format that was recorded', () => {
  const exchange = { url: 'https://api.marmot.example/v1/messages', wire: 'marmot-blocks', answer: { blocks: [] } }
  expect(detect({ ...exchange, body: { blocks: [] } }).wire).toBe('marmot-blocks')
  expect(detect({ ...exchange, body: { messages: [] } }).wire).toBe('anthropic-messages')
})

it('the wire format of Claude on Bedrock is recognised by a member of the body', () => {
  const url = 'https://bedrock-runtime.eu-west-1.amazonaws.com/model/claude/invoke'
  expect(detect({ url, body: { anthropic_version: 'bedrock-2023-05-31' } }).wire).toBe('anthropic-messages')
  expect(detect({ url, body: { prompt: 'Hi' } }).wire).toBe('unknown')
})

it.each([
  [{ object: 'response', output: [] }, 'openai-responses'],
  [{ choices: [] }, 'openai-chat'],
  [{ type: 'message', content: [] }, 'anthropic-messages'],
  [{ candidates: [] }, 'gemini-generate'],
  [{ message: {}, done: true }, 'ollama-chat'],
])('the wire format without a URL is read from the shape of %j', (answer, wire) => {
  expect(detect({ answer, wire: 'something else' }).wire).toBe(wire)
})

it.each([
  [': ping\n\nevent: response.created\ndata: {"type":"response.created"}\n\n', 'openai-responses'],
  ['event: message_start\r\ndata: {"type":"message_start"}\r\n\r\n', 'anthropic-messages'],
  ['data: {"id":"","choices":[]}\n\n', 'openai-chat'],
  ['data: {"candidates":[]}\r\n\r\n', 'gemini-generate'],
])('the wire format without a URL is read from the first events of %j', (sse, wire) => {
  expect(detect({ sse })).toMatchObject({ wire, mode: 'stream' })
})

it('the wire format of an error without a URL is what the recorder wrote down', () => {
  const answer = { error: { message: 'no' } }
  expect(detect({ answer, status: 429, wire: 'groq' }).wire).toBe('openai-chat')
})

it('a wire format that nobody knows is what the recorder wrote down, wherever it was sent', () => {
  expect(detect({ url: 'https://api.tide.example/v1/talk', wire: 'tide-talk' }).wire).toBe('tide-talk')
})

it('the wire format of another endpoint is unknown, whatever the recorder wrote down', () => {
  const url = 'https://api.anthropic.com/v1/messages/count_tokens'
  expect(detect({ url, answer: { input_tokens: 3 }, wire: 'anthropic' }).wire).toBe('unknown')
})

it.each([
  ['GET', 'https://api.openai.com/v1/responses/resp_1'],
  ['POST', 'https://api.openai.com/v1/responses/compact'],
  ['POST', 'https://api.openai.com/v1/responses/resp_1/cancel'],
])('what is no turn: %s %s', (method, url) => {
  expect(detect({ method, url })).toMatchObject({ wire: 'openai-responses', isTurn: false })
})

it('the host is that of the URL, with its port', () => {
  expect(detect({ url: 'https://API.Groq.com:8443/openai/v1/chat/completions' }).host).toBe('api.groq.com:8443')
})

it('the host of a gateway on this machine is that of the provider in its path', () => {
  expect(detect({ url: 'http://localhost:8787/groq/openai/v1/chat/completions' }).host).toBe('api.groq.com')
})

it('the host without a URL is that of the recorded provider', () => {
  expect(detect({ provider: 'deepseek' }).host).toBe('api.deepseek.com')
  expect(detect({ provider: 'nobody' }).host).toBeUndefined()
})

it('the mode is stream when the request asked for one, even if an error came as JSON', () => {
  const url = 'https://api.openai.com/v1/responses'
  expect(detect({ url, body: { stream: true }, status: 400 }).mode).toBe('stream')
  expect(detect({ url, body: { stream: false } }).mode).toBe('generate')
})

it('the mode is read from a request body that was recorded as text', () => {
  expect(detect({ url: 'https://api.openai.com/v1/responses', body: '{"stream":true}' }).mode).toBe('stream')
})
