import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { AdapterError } from '../index.ts'
import { defineHttpAdapter, objectOf, type WireFormat } from '../adapter.ts'

const origin = { provider: 'toy', model: 'toy-1' }
const key = 'canary-key-42'

/** Every error of this format repeats what it received. */
const echo: WireFormat = {
  name: 'echo',
  framing: 'sse',
  encode: () => ({ path: '/', body: '{}', warnings: [] }),
  decode(json) {
    const providerMessage = String(objectOf(json)['said'])
    throw new AdapterError({ ...origin, code: 'bad-request', providerMessage, excerpt: providerMessage })
  },
  createDecoder: () => ({
    push(frame) {
      throw new AdapterError({ ...origin, code: 'server-error', message: frame.data, cause: new Error(frame.data) })
    },
    end: () => undefined,
  }),
  decodeError: (_status, _headers, text) => ({ code: 'authentication', providerMessage: text }),
}

const reply =
  (body: string, type: string, status = 200) =>
  () =>
    Promise.resolve(new Response(body, { status, headers: { 'content-type': type } }))

const answers: readonly (readonly [string, typeof fetch])[] = [
  ['an error status', reply(`bad ${key}`, 'text/plain', 401)],
  ['an error in a JSON answer', reply(JSON.stringify({ said: `bad ${key}` }), 'application/json')],
  ['an error in a stream', reply(`data: bad ${key}\n\n`, 'text/event-stream')],
  ['a page that is no JSON', reply(`<html>bad ${key}</html>`, 'text/html')],
  ['a fetch that throws', () => Promise.reject(new TypeError(`invalid header ${key}`, { cause: new Error(key) }))],
]

test.each(answers)('%s that repeats the key shows it nowhere', { tags: ['E13'] }, async (_what, fetch) => {
  const adapter = defineHttpAdapter(echo, {
    ...origin,
    capabilities: {},
    baseURL: 'https://api.example.com',
    apiKey: key,
    fetch,
  })
  const error = await readAll(adapter.turn({ messages: [], turn: 0 }, { mode: 'stream' }))
  expect(AdapterError.isInstance(error)).toBe(true)
  expect(everything(error)).not.toContain(key)
})

test('a key that no header takes is told before any request, without showing it', async () => {
  const options = { ...origin, capabilities: {}, baseURL: 'https://api.example.com', apiKey: `${key}\nx` }
  const adapter = defineHttpAdapter(echo, { ...options, fetch: () => Promise.reject(new Error('must not be called')) })
  const error = await readAll(adapter.turn({ messages: [], turn: 0 }, { mode: 'stream' }))
  expect(error).toMatchObject({ code: 'authentication', retryable: false })
  expect(everything(error)).not.toContain(key)
})

test('a source of credentials that fails is no failing connection', async () => {
  const auth = () => Promise.reject(new Error('token service down'))
  const adapter = defineHttpAdapter(echo, {
    ...origin,
    capabilities: {},
    baseURL: 'https://api.example.com',
    apiKey: key,
    auth,
  })
  const error = await readAll(adapter.turn({ messages: [], turn: 0 }, { mode: 'stream' }))
  expect(error).toMatchObject({ code: 'authentication', cause: { message: 'token service down' } })
})

async function readAll(turn: AsyncIterable<unknown>): Promise<unknown> {
  try {
    for await (const batch of turn) expect(batch).toBeDefined()
  } catch (error) {
    return error
  }
  return undefined
}

/** All texts of an error and of its causes. */
function everything(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return [
    String(error),
    error.stack,
    JSON.stringify(error),
    error.cause === undefined ? '' : everything(error.cause),
  ].join('\n')
}

test('keys of the caller’s own headers, and a request id that repeats a key, are shown nowhere either', async () => {
  const headers = { 'x-gateway-key': 'gateway-secret-51', cookie: 'session=cookie-secret-77' }
  const said = `${key} ${Object.values(headers).join(' ')}`
  const adapter = defineHttpAdapter(
    { ...echo, decodeError: () => ({ code: 'authentication', providerMessage: said, requestId: said }) },
    {
      ...origin,
      capabilities: {},
      baseURL: 'https://x.example',
      apiKey: key,
      headers,
      fetch: reply(said, 'text/plain', 401),
    },
  )
  const error = await readAll(adapter.turn({ messages: [], turn: 0 }, { mode: 'generate' }))
  expect(error).toMatchObject({ code: 'authentication', requestId: '[redacted] [redacted] [redacted]' })
  for (const secret of [key, 'gateway-secret-51', 'cookie-secret-77']) expect(everything(error)).not.toContain(secret)
})

/** The error of a turn whose `fetch` fails with `cause`, as a log would print it. */
async function failedBy(cause: unknown, options: Partial<Parameters<typeof defineHttpAdapter>[1]> = {}) {
  const base = { ...origin, capabilities: {}, baseURL: 'https://api.example.com', apiKey: key }
  const adapter = defineHttpAdapter(echo, { ...base, fetch: () => Promise.reject(cause), ...options })
  const error = await readAll(adapter.turn({ messages: [], turn: 0 }, { mode: 'stream' }))
  return { error, printed: inspect(error, { depth: 10 }) }
}

test('a cause that keeps the request, its headers or a list of errors with the key is told without it', async () => {
  const authorization = `Bearer ${key}`
  const causes = [
    Object.assign(new Error('failed'), { config: { headers: { authorization } } }),
    Object.assign(new Error('failed'), { request: { headers: new Headers({ authorization }) } }),
    Object.assign(new Error('failed'), { sent: new Map([['authorization', authorization]]) }),
    new AggregateError([new Error(authorization)], 'failed'),
    { reason: { text: authorization } },
  ]
  for (const cause of causes) {
    const { error, printed } = await failedBy(cause)
    expect(error).toMatchObject({ code: 'connection' })
    expect(printed).not.toContain(key)
  }
})

test('what a header says that is no secret stays in the message', async () => {
  const headers = { 'x-portkey-provider': 'toy', authorization: 'Bearer portkey-secret' }
  const { error } = await failedBy(new Error('toy closed the socket, portkey-secret'), { headers })
  expect(error).toMatchObject({ message: expect.stringMatching(/^toy\/toy-1: .*toy closed the socket, \[redacted\]/) })
})

test('a cause that leads back to itself is kept, and no hang', async () => {
  const cause = new Error('round')
  cause.cause = cause
  expect((await failedBy(cause)).error).toMatchObject({ code: 'connection', cause })
})

test('a source of credentials that repeats the key in its failure shows it nowhere', async () => {
  const auth = (given: string) => Promise.reject(new Error(`no token for ${given}`))
  const { error, printed } = await failedBy(new Error('must not be called'), { auth })
  expect(error).toMatchObject({ code: 'authentication' })
  expect(printed).not.toContain(key)
})

test('the password of a base URL, which `fetch` refuses and repeats, is shown nowhere', async () => {
  const baseURL = 'https://gateway:canary-password@localhost'
  const { error, printed } = await failedBy(undefined, { baseURL, fetch: globalThis.fetch })
  expect(error).toMatchObject({ code: 'connection' })
  expect(printed).not.toContain('canary-password')
})

test('of two secrets of which one begins with the other neither leaves its end behind', async () => {
  const { printed } = await failedBy(new Error(`sent ${key}-and-more`), { headers: { 'x-auth': `${key}-and-more` } })
  expect(printed).not.toContain(key)
  expect(printed).not.toContain('-and-more')
})

test('a cause that is plain stays the very error that was thrown', async () => {
  class OwnError extends TypeError {
    readonly code = 'E_OWN'
    help(): string {
      return this.code
    }
  }
  const cause = new OwnError('refused', { cause: { errno: -111, tried: ['::1'] } })
  const { error } = await failedBy(cause)
  expect(error instanceof Error && error.cause).toBe(cause)
})

test('a cause that is not plain keeps its message, its name, its code and the same of its own cause', async () => {
  const cause = Object.assign(new TypeError('fetch failed', { cause: new Error(`connect ${key}`) }), {
    code: 'ECONNREFUSED',
    request: new Request('https://api.example.com'),
  })
  const { error } = await failedBy(cause)
  expect(error).toMatchObject({
    cause: {
      name: 'TypeError',
      message: 'fetch failed',
      code: 'ECONNREFUSED',
      cause: { message: 'connect [redacted]' },
    },
  })
  expect(error instanceof Error && error.cause).not.toHaveProperty('request')
})

test('a 404 names the address that was asked, without what may be secret in it', async () => {
  const fetch = reply('Not found', 'text/plain', 404)
  const wire: WireFormat = {
    ...echo,
    encode: () => ({ path: '/chat?api-version=1', body: '{}', warnings: [] }),
    decodeError: () => ({ code: 'not-found', providerMessage: 'Not found' }),
  }
  const base = { ...origin, capabilities: {}, apiKey: key, fetch }
  for (const baseURL of ['https://api.example.com', `https://user:pass@api.example.com`]) {
    const turn = defineHttpAdapter(wire, { ...base, baseURL }).turn({ messages: [], turn: 0 }, { mode: 'generate' })
    expect(await readAll(turn)).toMatchObject({
      message:
        'toy/toy-1: the model or resource does not exist at https://api.example.com/chat (HTTP 404). Provider message: Not found. Check the model id and the base URL.',
    })
  }
})
