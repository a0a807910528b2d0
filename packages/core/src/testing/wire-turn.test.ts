import { expect, test } from 'vitest'
import type { Adapter, TurnRequest, Warning } from '../contract/adapter.ts'
import type { WireFormat } from '../contract/wire-format.ts'
import { AdapterError } from '../contract/errors.ts'
import { defineHttpAdapter } from '../http/define-http-adapter.ts'
import { textOf, objectOf } from '../wire/json.ts'
import { askOnce } from './ask-once.ts'
import { decodeEvents } from './decode-events.ts'
import { decodeStream, decodeWhole, encodeTurn } from './wire-turn.ts'

const origin = { provider: 'acme', model: 'm-1' }
const request: TurnRequest = { messages: [{ role: 'user', content: 'Hello' }], turn: 0 }
const wire: WireFormat = {
  name: 'acme-chat',
  framing: 'sse',
  encode: ({ messages }, mode) => ({
    path: '/chat',
    body: JSON.stringify({ mode, messages, items: [1] }),
    warnings: [],
  }),
  createDecoder: () => ({
    push({ data }, out) {
      if (out.length === 0) out.push({ type: 'turn-start' }, { type: 'text-start', part: 0 })
      out.push({ type: 'text-delta', part: 0, text: data })
    },
    end: (out) => void out.push({ type: 'text-end', part: 0 }, { type: 'turn-end', finishReason: 'stop' }),
  }),
  decode(json, _request, out) {
    const text = textOf(objectOf(json)['text']) ?? ''
    out.push({ type: 'turn-start' }, { type: 'text-start', part: 0 }, { type: 'text-delta', part: 0, text })
    out.push({ type: 'text-end', part: 0 }, { type: 'turn-end', finishReason: 'stop' })
  },
  decodeError: () => ({ code: 'bad-request' }),
}
const make = (fetch: typeof globalThis.fetch): Adapter =>
  defineHttpAdapter(wire, { ...origin, fetch, apiKey: 'key-1', baseURL: 'https://acme.example', capabilities: {} })

test('an encoded turn is read again, with the list of the conversation apart', () => {
  const { path, headers, body, messages, text } = encodeTurn(wire, request)
  expect({ path, headers, mode: body['mode'], messages }).toEqual({
    path: '/chat',
    headers: {},
    mode: 'generate',
    messages: request.messages,
  })
  expect(JSON.parse(text)).toEqual(body)
  expect(encodeTurn(wire, request, 'stream', 'items')).toMatchObject({ body: { mode: 'stream' }, messages: [{}] })
})

test('frames of a stream are JSON or texts as they are, and an answer is decoded whole', () => {
  const content = decodeStream(wire, [{ a: 1 }, '[DONE]'], { request, origin }).turn.message.content
  expect(content).toEqual([{ type: 'text', text: '{"a":1}[DONE]' }])
  expect(decodeWhole(wire, { text: 'Hi' }, { request, origin }).turn.message).toMatchObject({
    content: [{ text: 'Hi' }],
    ...origin,
  })
})

test('one turn is run on an answer, in its mode, and what was sent is kept', async () => {
  const whole = await askOnce(make, Response.json({ text: 'Hi' }), { instructions: 'Be brief.' })
  expect(whole).toMatchObject({ error: undefined, requests: 1, url: 'https://acme.example/chat' })
  expect(whole.turn?.message.content).toEqual([{ type: 'text', text: 'Hi' }])
  expect([whole.headers.get('authorization'), whole.body['mode']]).toEqual(['Bearer key-1', 'generate'])
  const headers = { 'content-type': 'text/event-stream' }
  expect((await askOnce(make, new Response('data: Hi\n\n', { headers }))).body['mode']).toBe('stream')
})

test('a turn that fails gives what it threw', async () => {
  const { turn, error, requests } = await askOnce(make, new Response('no', { status: 400 }))
  expect([turn, error, requests]).toEqual([undefined, expect.objectContaining({ code: 'bad-request' }), 1])
})

test.each<[string, Warning]>([
  ['a setting that is none', { type: 'dropped', path: 'settings.topk', message: 'Left out.' }],
  ['no place', { type: 'dropped', path: '', message: 'Left out.' }],
  ['nothing to say', { type: 'dropped', path: 'tools[0].strict', message: '' }],
])('a warning of %s is refused', (_, warning) => {
  const warned = { ...wire, encode: () => ({ path: '/chat', body: '{}', warnings: [warning] }) }
  expect(() => encodeTurn(warned, request)).toThrow('not whole')
  const end = { type: 'turn-end', finishReason: 'stop', warnings: [warning] } as const
  expect(() => decodeEvents((out) => void out.push({ type: 'turn-start' }, end), origin)).toThrow(/whole|says nothing/)
})

test('an error that does not say whose it is is refused', () => {
  const fail = (): never => {
    throw new AdapterError({ code: 'unsupported', ...({} as typeof origin) })
  }
  expect(() => encodeTurn({ ...wire, encode: fail }, request)).toThrow('names no provider')
  expect(() => decodeWhole({ ...wire, decode: fail }, {}, { request, origin })).toThrow('names no provider')
})
