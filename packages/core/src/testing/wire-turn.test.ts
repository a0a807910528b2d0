import { expect, test } from 'vitest'
import type { Adapter, TurnRequest, Warning } from '../contract/adapter.ts'
import type { WireFormat } from '../contract/wire-format.ts'
import { AdapterError } from '../contract/errors.ts'
import { defineHttpAdapter } from '../http/define-http-adapter.ts'
import { textOf, objectOf } from '../wire/json.ts'
import { askOnce } from './ask-once.ts'
import { decodeEvents } from './decode-events.ts'
import { wholeWarnings } from './whole-warnings.ts'
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
  const listed = encodeTurn(wire, request, 'stream', 'items')
  expect([listed.body['mode'], listed.messages]).toEqual(['stream', [{}]])
})

test('frames of a stream are JSON or texts as they are, and an answer is decoded whole', () => {
  const createDecoder: WireFormat['createDecoder'] = (given) => {
    expect(given).toBe(request)
    return wire.createDecoder(given)
  }
  const frames = [{ a: 1 }, '[DONE]']
  const { content } = decodeStream({ ...wire, createDecoder }, frames, { request, origin }).turn.message
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
  expect(whole.body['messages']).toEqual([{ role: 'user', content: 'Hello' }])
  const headers = { 'content-type': 'text/event-stream' }
  expect((await askOnce(make, new Response('data: Hi\n\n', { headers }))).body['mode']).toBe('stream')
})

test('of an adapter is asked one word of a user, at the address that it asks, and what it gives is whole', async () => {
  const asked: unknown[] = []
  const given =
    (address: URL | undefined, message: string, error?: AdapterError) => (fetch: typeof globalThis.fetch) => ({
      ...make(fetch),
      async *turn(...[turn, { mode }]: Parameters<Adapter['turn']>) {
        asked.push(turn, mode)
        if (address) await fetch(address)
        if (error) throw error
        const warnings = [{ type: 'dropped', path: 'messages', message }] as const
        yield [{ type: 'turn-start' } as const, { type: 'turn-end', finishReason: 'stop', warnings } as const]
      },
    })
  const url = new URL('https://acme.example/a')
  const one = await askOnce(given(url, 'Left out.'), new Response(null), { instructions: 'Be brief.' })
  expect(one).toMatchObject({ url: url.href, turn: { message: origin } })
  expect(asked).toEqual([{ ...request, instructions: 'Be brief.' }, 'generate'])
  expect(await askOnce(given(undefined, 'Left out.'), new Response(null))).toMatchObject({ url: '', requests: 0 })
  await expect(askOnce(given(url, 'NaN'), new Response(null))).rejects.toThrow('not whole')
  const torn = new AdapterError({ ...origin, code: 'unsupported', message: 'NaN' })
  await expect(askOnce(given(url, '', torn), new Response(null))).rejects.toThrow('not whole')
})

test('a turn that fails gives what it threw', async () => {
  const { turn, error, requests } = await askOnce(make, new Response('no', { status: 400 }))
  expect([turn, error, requests]).toEqual([undefined, expect.objectContaining({ code: 'bad-request' }), 1])
})

const settings =
  'maxOutputTokens temperature topP topK presencePenalty frequencyPenalty stopSequences seed reasoning parallelToolCalls'
const places =
  'messages assistant.content tool.content[] assistant.content[12].input tool.content.output tools tools[12] tools[0].name ' +
  'tools[0].strict tools[0].inputSchema tools[0].inputSchema.a[0] toolChoice responseFormat responseFormat.schema ' +
  'responseFormat.schema.a.b providerOptions.a response message.content[0] stream response.choices[0].delta'

test('a warning may be of every place in a request, or in an answer', () => {
  const paths = [...settings.split(' ').map((name) => `settings.${name}`), ...places.split(' ')]
  const warnings = paths.map((path) => ({ type: 'dropped', path, message: 'Left out: undefinable.' }) as const)
  expect(wholeWarnings(warnings)).toBe(warnings)
})

const nowhere =
  'a-messages messages-b settings settings.topk user.content assistant.content[a] tools[] tools[0].type ' +
  'tools[0].inputSchema. responseFormat.name providerOptions. response. answer'

test.each(nowhere.split(' '))('a warning of %j is of no place', (path) => {
  expect(() => wholeWarnings([{ type: 'dropped', path, message: 'Left out.' }])).toThrow(`"path":"${path}"`)
})

test.each(['is undefined', 'NaN tokens', 'an [object Map]'])('texts with a gap are refused: %s', (message) => {
  expect(() => wholeWarnings([{ type: 'dropped', path: 'messages', message }])).toThrow('not whole')
  const fail = (): never => {
    throw new AdapterError({ ...origin, code: 'unsupported', message })
  }
  expect(() => encodeTurn({ ...wire, encode: fail }, request)).toThrow(
    expect.objectContaining({ message: 'This error is not whole', cause: expect.any(AdapterError) }),
  )
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
  const half = (): never => {
    throw new AdapterError({ code: 'unsupported', ...({ provider: 'acme' } as typeof origin) })
  }
  expect(() => encodeTurn({ ...wire, encode: half }, request)).toThrow(
    expect.objectContaining({ message: expect.stringContaining('no model'), cause: expect.any(AdapterError) }),
  )
  const mistake = (): never => {
    throw new RangeError('NaN')
  }
  expect(() => encodeTurn({ ...wire, encode: mistake }, request)).toThrow(RangeError)
  expect(() => encodeTurn({ ...wire, encode: fail }, request)).toThrow('names no provider')
  expect(() => decodeWhole({ ...wire, decode: fail }, {}, { request, origin })).toThrow('names no provider')
})
