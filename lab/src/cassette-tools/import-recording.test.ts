import { fileURLToPath } from 'node:url'
import { printCassette, readCassette, type Cassette } from '@steploop/cassette'
import { expect, test } from 'vitest'
import { detectFormat } from './recording-format.ts'
import { exchangeViews } from './exchange-view.ts'
import { formatOf } from './recording-format.ts'
import { importRecording, type ImportOptions } from './import-recording.ts'

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const imported = (text: string, change: Partial<ImportOptions> = {}) =>
  importRecording({ text, file: 'a.json', scenario: 's', ...change })

const bodies = ({ exchanges }: Cassette): string[] => exchanges.map(({ response }) => textOf(response.body))

test.each([
  ['interactions:\n- request: {uri: x}', 'a.yaml', 'vcr'],
  ['{"version":1,"interactions":[{"request":{"uri":"x"}}]}', 'a.json', 'vcr'],
  ['{"interactions":[{"request":null,"response":{"status":200}}]}', 'a.json', 'sessions'],
  ['{"log":{"entries":[]}}', 'a.json', 'har'],
  ['{"fixtures":[]}', 'a.json', 'aimock'],
  ['{"type":"start"}\n{"type":"end"}', 'a.chunks.txt', 'chunks'],
  ['{"choices":[]}', 'a.chunks.txt', 'chunks'],
  ['{"choices":[]}', 'a.json', 'body'],
  ['{"log":', 'a.har', 'har'],
  ['{"interactions":', 'a.json', 'sessions'],
  ['{"name":"package"}', 'package.json', undefined],
  ['# Readme', 'README.md', undefined],
])('the text %j in a file %s is detected as the format %s', (text, file, format) => {
  expect(detectFormat(text, file)).toBe(format)
})

test('a format that is none, and a file of no format, are refused with the ones there are', () => {
  expect(() => formatOf('postman')).toThrow(/There are: vcr, har/)
  expect(() => imported('hello')).toThrow(expect.objectContaining({ code: 'unreadable-input', file: 'a.json' }))
})

test.each([
  [
    '{"type":"message_start","message":{"model":"m1"}}\n{"type":"message_stop"}',
    'anthropic-messages',
    'https://api.anthropic.com/v1/messages',
    'event: message_start\ndata: ',
  ],
  [
    '{"type":"response.created","response":{"model":"m1"}}',
    'openai-responses',
    'https://api.openai.com/v1/responses',
    'event: response.created\ndata: ',
  ],
  ['{"model":"m1","choices":[]}', 'openai-chat', 'https://unknown.invalid/chat/completions', 'data: {'],
  [
    '{"modelVersion":"m1","candidates":[]}',
    'gemini-generate',
    'https://generativelanguage.googleapis.com/v1beta/models/m1:streamGenerateContent?alt=sse',
    'data: {',
  ],
  ['{"model":"m1","message":{},"done":false}', 'ollama-chat', 'http://localhost:11434/api/chat', '{"model"'],
])('chunks %s become a stream of %s', (text, wire, url, start) => {
  const { cassette, guessed } = imported(text, { format: 'chunks' })
  expect(cassette.header).toMatchObject({ wire, model: 'm1', mode: 'stream', origin: { kind: 'imported' } })
  expect(cassette.exchanges[0]!.request.url).toBe(url)
  expect(bodies(cassette)[0]!.startsWith(start)).toBe(true)
  expect(guessed).toEqual(
    expect.arrayContaining(['requests: only responses were recorded', expect.stringContaining('framing')]),
  )
})

test('Chat Completions get their last line back, and several messages are taken apart', () => {
  expect(bodies(imported('{"choices":[]}', { format: 'chunks' }).cassette)[0]!.endsWith('data: [DONE]\n\n')).toBe(true)
  const two = '{"type":"message_start"}\n{"type":"message_stop"}\n{"type":"message_start"}'
  expect(imported(two, { format: 'chunks' }).cassette.exchanges).toHaveLength(2)
})

test('what is given wins over what is detected', () => {
  const { cassette } = imported('{"choices":[]}', { format: 'chunks', provider: 'groq', model: 'm2' })
  expect(cassette.header).toMatchObject({ provider: 'groq', wire: 'openai-chat', model: 'm2' })
  expect(cassette.exchanges[0]!.request.url).toBe('https://api.groq.com/openai/v1/chat/completions')
})

const entry = (url: string, body: unknown) => ({
  request: { method: 'POST', url, headers: [], postData: { mimeType: 'application/json', text: JSON.stringify(body) } },
  response: { status: 200, headers: [], content: { mimeType: 'application/json', text: '{}' } },
})

test('provider, wire format and model are read from the exchange, and several of them are called mixed', () => {
  const one = entry('https://api.mistral.ai/v1/chat/completions', { model: 'm1' })
  const other = entry('https://api.anthropic.com/v1/messages', { model: 'm2', messages: [] })
  const har = (...entries: unknown[]): string => JSON.stringify({ log: { entries } })
  expect(imported(har(one)).cassette.header).toMatchObject({ provider: 'mistral', wire: 'openai-chat', model: 'm1' })
  expect(imported(har(one, other)).cassette.header).toMatchObject({ provider: 'mixed', wire: 'mixed', model: 'm1' })
  const only = imported(har(one, other), { url: 'anthropic' })
  expect(only.cassette.header).toMatchObject({ provider: 'anthropic', wire: 'anthropic-messages' })
  expect(only.left).toContain('1 exchanges of other URLs')
  expect(() => imported(har(one), { url: 'nowhere' })).toThrow(/no exchange that can be imported/)
})

const fixtures = JSON.stringify({
  fixtures: [
    {
      match: { userMessage: 'hello', systemMessage: ['brief', 'polite'] },
      response: { content: 'Good day', reasoning: 'hm' },
    },
    {
      match: { toolName: 'add' },
      response: {
        toolCalls: [
          { id: 'call_7', name: 'add', arguments: '{"a":1}' },
          { name: 'add', arguments: { a: 2 } },
        ],
      },
    },
    { match: { userMessage: 'both' }, response: { blocks: [{ type: 'toolCall', name: 'add', arguments: {} }] } },
    { match: { userMessage: 'shape' }, response: { content: { x: 1 } } },
    {
      match: { userMessage: 'wait' },
      response: { error: { message: 'slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 3 },
    },
    { match: { endpoint: 'embedding' }, response: { embedding: [1] } },
  ],
})

test.each(['openai-chat', 'openai-responses', 'anthropic-messages'])('fixtures of aimock are written as %s', (wire) => {
  for (const mode of ['generate', 'stream'] as const) {
    const { cassette, guessed, left } = imported(fixtures, { wire, mode })
    expect(cassette.header).toMatchObject({ wire, mode })
    const views = exchangeViews(cassette)
    const calls = views.map(({ response }) =>
      response?.parts.flatMap((part) => (part.type === 'call' ? [part.input] : [])),
    )
    expect(calls).toEqual([[], [{ a: 1 }, { a: 2 }], [{}], [], []])
    expect(views[0]?.response?.parts.at(-1)).toEqual({ type: 'text', text: 'Good day' })
    expect(views[1]?.response?.parts[0]).toMatchObject({ id: 'call_7' })
    expect(views[3]?.response?.parts).toEqual([{ type: 'text', text: '{"x":1}' }])
    expect(views[0]?.request).toMatchObject({ instructions: 'brief\npolite', items: [{ type: 'user', text: 'hello' }] })
    expect(cassette.exchanges[4]?.response).toMatchObject({ status: 429, headers: { 'retry-after': '3' } })
    expect(guessed[0]).toContain(wire)
    expect(left).toEqual(['fixture 6: is for embedding, not for conversations'])
  }
})

test('fixtures cannot be written in a format that the simulator does not speak, and other JSON is none', () => {
  expect(() => imported(fixtures, { wire: 'bedrock-converse' })).toThrow(
    /cannot be written as 'bedrock-converse'. There are: openai-/,
  )
  expect(() => imported('[]', { format: 'aimock' })).toThrow(expect.objectContaining({ code: 'unreadable-input' }))
})

test('an import prints the same twice', () => {
  const today = () => new Date('2026-11-21')
  expect(printCassette(imported(fixtures, { today }).cassette)).toBe(
    printCassette(imported(fixtures, { today }).cassette),
  )
})

test('a response in messages of AWS, whose request is not known, is a stream of Converse', () => {
  const file = fileURLToPath(new URL('../../../cassettes/bedrock/single-call.stream.yaml', import.meta.url))
  const [recorded] = readCassette(file).exchanges
  const headers = { 'content-type': 'application/vnd.amazon.eventstream' }
  const bytesBase64 = Buffer.from(recorded!.response.body).toString('base64')
  const interaction = { wire: 'bedrock-converse', provider: 'bedrock', request: null }
  const session = { interactions: [{ ...interaction, response: { status: 200, headers, bytesBase64 } }] }
  const { cassette } = imported(JSON.stringify(session))
  const [view] = exchangeViews(cassette)
  expect(view).toMatchObject({ wire: 'bedrock-converse', mode: 'stream', response: { finish: 'tool_use' } })
  expect(view?.url).toMatch(/amazonaws\.com\/model\/unknown\/converse-stream$/)
  expect(view?.response?.parts).toMatchObject([{ type: 'call', toolName: 'get_weather', input: { city: 'Zürich' } }])
})
