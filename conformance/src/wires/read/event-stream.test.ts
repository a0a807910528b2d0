import { expect, test } from 'vitest'
import { detectExchange } from '../any-format/detect.ts'
import { isEventStream, messagePayloads, printMessage, scanMessages } from './event-stream.ts'
import { wireKit } from '../index.ts'
import { parseRecording } from './recording.ts'
import { eventMessage } from '../simulate/event-message.ts'
import { scanStream } from '../any-format/terminal-evidence.ts'

const join = (...messages: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.concat(messages))
const chunk = (event: object): Uint8Array => printMessage(JSON.stringify(event), { name: 'chunk' })

const converse = [
  { messageStart: { role: 'assistant' } },
  { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Hm.' } } } },
  { contentBlockStop: { contentBlockIndex: 0 } },
  { contentBlockDelta: { contentBlockIndex: 1, delta: { text: 'Zür' } } },
  { contentBlockDelta: { contentBlockIndex: 1, delta: { text: 'ich' } } },
  { contentBlockStart: { contentBlockIndex: 2, start: { toolUse: { toolUseId: 'c1', name: 'add' } } } },
  { contentBlockDelta: { contentBlockIndex: 2, delta: { toolUse: { input: '{"a":' } } } },
  { contentBlockDelta: { contentBlockIndex: 2, delta: { toolUse: { input: '1}' } } } },
  { messageStop: { stopReason: 'tool_use' } },
  { metadata: { usage: { inputTokens: 5, outputTokens: 3, cacheReadInputTokens: 2, cacheWriteInputTokens: 1 } } },
]
const stream = join(...converse.map((payload) => printMessage(JSON.stringify(payload), { name: '' })))

test('payloads that are printed as messages are read back', () => {
  expect(messagePayloads(stream)).toEqual(converse)
  const claude = [{ type: 'message_start', message: { id: 'msg_1' } }, { type: 'message_stop' }]
  expect(messagePayloads(join(...claude.map(chunk)))).toEqual(claude)
})

test('a payload that is cut is printed under its own name, and does not become one that parses', () => {
  const [message] = scanMessages(printMessage('{"contentBlockDelta":{"delta":{"te', { name: 'messageStop' }))
  expect(message).toMatchObject({ name: 'contentBlockDelta', data: '{"delta":{"te' })
  const [cut] = scanMessages(printMessage('{"type":"mess', { name: 'chunk' }))
  expect(cut).toMatchObject({ name: 'chunk', data: '{"type":"mess' })
})

test('no text is taken for an event stream, and half a message is none', () => {
  expect(isEventStream(stream)).toBe(true)
  for (const text of ['data: {"a":1}\n\n', '{"message":"Too many requests"}', ''])
    expect(isEventStream(new TextEncoder().encode(text))).toBe(false)
  const half = stream.subarray(0, stream.length - 9)
  expect(scanMessages(half)).toHaveLength(converse.length - 1)
})

test('the end of a turn is found in messages, of Converse and of Claude in its own format', () => {
  expect(scanStream(stream, 'bedrock-converse')?.terminal).toBe(8)
  expect(scanStream(stream.subarray(0, 300), 'bedrock-converse')?.terminal).toBeUndefined()
  const claude = join(chunk({ type: 'message_start', message: {} }), chunk({ type: 'message_stop' }))
  expect(scanStream(claude, 'anthropic-messages')?.terminal).toBe(1)
})

test('Converse is read as a person reads it, whole and in pieces', () => {
  const parts = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Zürich' },
    { type: 'call', id: 'c1', toolName: 'add', input: { a: 1 } },
  ]
  const usage = { input: 8, output: 3, cached: 2 }
  const read = wireKit('bedrock-converse')!.readResponse!
  expect(read(converse)).toMatchObject({ parts, usage, finish: 'tool_use', error: undefined })
  const content = [
    { reasoningContent: { reasoningText: { text: 'Hm.', signature: 's' } } },
    { citationsContent: { content: [{ text: 'Zürich' }], citations: [] } },
    { toolUse: { toolUseId: 'c1', name: 'add', input: { a: 1 } } },
  ]
  const whole = { output: { message: { content } }, stopReason: 'tool_use', usage: converse[9]!.metadata!.usage }
  expect(read([whole])).toMatchObject({ parts, usage, finish: 'tool_use', error: undefined })
})

test('an exception is an error, in a stream and in place of an answer', () => {
  const read = wireKit('bedrock-converse')!.readResponse!
  const failed = eventMessage('throttlingException', '{"message":"Too many requests"}', 'exception')
  expect(read(messagePayloads(failed)).error).toBe('Too many requests')
  expect(read([{ message: 'The security token is invalid.' }]).error).toBe('The security token is invalid.')
})

const bedrock = 'https://bedrock-runtime.us-east-1.amazonaws.com/model'
const asked = { anthropic_version: 'bedrock-2023-05-31', messages: [] }

test.each<[string, string, object, string]>([
  ['Converse', `${bedrock}/amazon.nova-lite-v1%3A0/converse-stream`, { messages: [] }, 'bedrock-converse'],
  ['Claude', `${bedrock}/anthropic.claude-v2/invoke-with-response-stream`, asked, 'anthropic-messages'],
  ['another model', `${bedrock}/ai21.jamba/invoke-with-response-stream`, { messages: [] }, 'unknown'],
  ['a hidden region', `${bedrock.replace('us-east-1', '<AWS_REGION>')}/m/converse-stream`, {}, 'bedrock-converse'],
])('a recording of %s in messages is known by its address and body', (_, url, body, wire) => {
  const chat = chunk({ choices: [{ delta: { content: 'Hi' } }] })
  const response = { status: 200, bytesBase64: Buffer.from(chat).toString('base64') }
  const recording = parseRecording(JSON.stringify({ interactions: [{ request: { url, body }, response }] }), 'a.json')
  const detected = detectExchange(recording.interactions[0]!)
  expect(detected).toMatchObject({ wire, mode: 'stream', isTurn: true })
  expect(detected.host).toMatch(/amazonaws\.com$/)
})

test('of a recorder that kept events alone the messages are made again', () => {
  const events = converse
    .flatMap((payload) => Object.entries(payload))
    .map(([event, said]) => ({ event, payload: said }))
  const failed = { event: 'throttlingException', messageType: 'exception', payload: { message: 'Too many requests' } }
  const response = { status: 200, events: [...events, failed] }
  const [one] = parseRecording(JSON.stringify({ interactions: [{ response }] }), 'a.json').interactions
  expect(one?.response.streamed).toBe(true)
  expect(messagePayloads(one!.response.bytes!)).toEqual([...converse, { throttlingException: failed.payload }])
  expect(Buffer.from(one!.response.bytes!).toString('latin1')).toContain(':exception-type')
})
