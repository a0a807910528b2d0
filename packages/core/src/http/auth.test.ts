import { inspect } from 'node:util'
import { expect, test, vi } from 'vitest'
import { AdapterError } from '../index.ts'
import {
  collectTurn,
  defineHttpAdapter,
  type HttpAdapterOptions,
  type UnsignedRequest,
  type WireFormat,
} from '../adapter.ts'

const origin = { provider: 'toy', model: 'toy-1' }

/** Answers end at once; errors repeat what came. */
const wire: WireFormat = {
  name: 'toy',
  framing: 'sse',
  encode: () => ({ path: '/turn?v=1', headers: { 'x-own': 'o' }, body: '{"city":"Zürich"}', warnings: [] }),
  decode: (_json, _request, out) => out.push({ type: 'turn-start' }, { type: 'turn-end', finishReason: 'stop' }),
  createDecoder: () => ({ push: () => undefined, end: () => undefined }),
  decodeError: (_status, _headers, providerMessage) => ({ code: 'authentication', providerMessage }),
}

function ask(options: Partial<HttpAdapterOptions>, signal?: AbortSignal) {
  const fetch = vi.fn<typeof globalThis.fetch>(options.fetch ?? (() => Promise.resolve(Response.json({}))))
  const adapter = defineHttpAdapter(wire, {
    ...origin,
    capabilities: {},
    baseURL: 'https://api.example.com/v1/',
    ...options,
    fetch,
  })
  const request = { messages: [], turn: 0, headers: { 'X-Given': 'g' } }
  return { fetch, turn: collectTurn(adapter.turn(request, { mode: 'generate', signal }), origin) }
}

async function errorOf(turn: Promise<unknown>): Promise<AdapterError> {
  const error: unknown = await turn.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (!AdapterError.isInstance(error)) throw new Error('no AdapterError')
  return error
}

test('a function that authorises sees the request as it goes out', async () => {
  const seen: UnsignedRequest[] = []
  const headers = { 'x-option': 'p' }
  const { fetch, turn } = ask({
    apiKey: 'k',
    headers,
    auth(apiKey, request) {
      seen.push(request)
      return { headers: { 'x-signature': `${apiKey}:${request.body.length}` } }
    },
  })
  await turn
  expect(seen).toMatchObject([{ method: 'POST', url: 'https://api.example.com/v1/turn?v=1' }])
  expect(new TextDecoder().decode(seen[0]?.body)).toBe('{"city":"Zürich"}')
  expect(seen[0]?.body).toBe(seen[0]?.body)
  const others = { 'content-type': 'application/json', 'x-own': 'o', 'x-option': 'p', 'x-given': 'g' }
  expect(seen[0]?.headers).toEqual(others)
  expect(fetch.mock.calls[0]?.[1]?.headers).toEqual({ ...others, 'x-signature': 'k:18' })
})

test('a function that authorises may replace the address and the body', async () => {
  const body = new TextEncoder().encode('signed')
  const url = 'https://api.example.com/v1/turn?sig=abc'
  const { fetch, turn } = ask({ apiKey: 'k', auth: () => ({ url, body }) })
  await turn
  expect(fetch.mock.calls[0]?.[0]).toBe(url)
  expect(fetch.mock.calls[0]?.[1]?.body).toBe(body)
})

test('a function that authorises is asked without a key where none is needed, but not where the caller’s headers authorise', async () => {
  const auth = vi.fn<NonNullable<HttpAdapterOptions['auth']>>(() => ({ headers: { authorization: 'made' } }))
  await ask({ auth, apiKeyOptional: true }).turn
  expect(auth.mock.calls[0]?.[0]).toBe('')
  const { fetch, turn } = ask({ auth, apiKeyOptional: true, headers: { Authorization: 'own' } })
  await turn
  expect(auth).toHaveBeenCalledTimes(1)
  expect(fetch.mock.calls[0]?.[1]?.headers).toMatchObject({ authorization: 'own' })
})

test('a header that cannot be sent is an authentication error, without its value', async () => {
  const { fetch, turn } = ask({ apiKey: 'k', auth: () => ({ headers: { 'x-token': 'canary-1234\nx' } }) })
  const error = await errorOf(turn)
  expect(error).toMatchObject({ ...origin, code: 'authentication', retryable: false })
  expect(error.message).toContain('the credentials cannot be sent')
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary-1234')
  expect(fetch).not.toHaveBeenCalled()
})

test('a function that authorises is not asked with a key that no header takes', async () => {
  const auth = vi.fn<NonNullable<HttpAdapterOptions['auth']>>(() => ({}))
  const error = await errorOf(ask({ apiKey: 'k\u2028', auth }).turn)
  expect([error.code, auth.mock.calls]).toEqual(['authentication', []])
})

test('neither headers nor address that authorise show in an error', async () => {
  const signature = 'f00dcafe1234567890abcdef'
  const url = `https://api.example.com/v1/turn?X-Amz-Signature=${signature}`
  const fetch = () => Promise.resolve(new Response(`no: ${signature} token-of-a-session`, { status: 403 }))
  const { turn } = ask({ apiKey: 'k', fetch, auth: () => ({ url, headers: { 'x-session': 'token-of-a-session' } }) })
  const shown = inspect(await errorOf(turn), { depth: 9, showHidden: true })
  expect(shown).not.toContain(signature)
  expect(shown).not.toContain('token-of-a-session')
})

test('a token is asked for at each request, and goes out in place of the key', async () => {
  const sent: unknown[] = []
  const fetch: typeof globalThis.fetch = (_url, init) => {
    sent.push(new Headers(init?.headers).get('authorization'))
    return Promise.resolve(Response.json({}))
  }
  const accessToken = () => `token-${sent.length + 1}`
  const options = { ...origin, capabilities: {}, baseURL: 'https://api.example.com', apiKey: 'key', accessToken, fetch }
  const adapter = defineHttpAdapter(wire, options)
  for (const turn of [0, 1]) await collectTurn(adapter.turn({ messages: [], turn }, { mode: 'generate' }), origin)
  expect(sent).toEqual(['Bearer token-1', 'Bearer token-2'])
})

test('a token function that gives none, or fails, is an authentication error', async () => {
  const { fetch, turn } = ask({ accessToken: () => '' })
  const error = await errorOf(turn)
  expect(error).toMatchObject({ code: 'authentication', retryable: false })
  expect(error.message).toContain('`accessToken` gave no token')
  expect(fetch).not.toHaveBeenCalled()
  const failing = ask({ accessToken: () => Promise.reject(new Error('service down')) })
  expect(await errorOf(failing.turn)).toMatchObject({ code: 'authentication', cause: { message: 'service down' } })
})

test('of what a source of credentials throws only name, code and text are kept, without what looks like a credential', async () => {
  const secrets = ['1//0gRefreshToken', 'GOCSPX-client-secret', 'eyJhbGciOiJSUzI1NiJ9', 'ya29.a0-token']
  const [refresh, client, jwt, bearer] = secrets
  const text = `invalid_grant at oauth2.googleapis.com: refresh_token=${refresh}&client_secret=${client} {"token":"${refresh}"} Bearer ${bearer} ${jwt}`
  const hung = { code: 'ECONNRESET', config: { data: refresh }, cause: new Error(jwt) }
  const thrown = Object.assign(new TypeError(text), hung)
  const error = await errorOf(ask({ accessToken: () => Promise.reject(thrown) }).turn)
  const shown = inspect(error, { depth: 9, showHidden: true })
  for (const secret of secrets) expect(shown).not.toContain(secret)
  expect(error.cause).toMatchObject({ name: 'TypeError', code: 'ECONNRESET' })
  expect(shown).toContain('invalid_grant at oauth2.googleapis.com')
})

test('a turn that is aborted while it waits for credentials sends nothing', async () => {
  const controller = new AbortController()
  let given: AbortSignal | undefined
  let release = () => {}
  const { fetch, turn } = ask(
    {
      apiKey: 'k',
      auth: (_, { signal }) => {
        given = signal
        return new Promise((resolve) => (release = () => resolve({})))
      },
    },
    controller.signal,
  )
  controller.abort()
  expect(await errorOf(turn)).toMatchObject({ code: 'aborted' })
  expect(given?.aborted).toBe(true)
  release()
  await new Promise((resolve) => setTimeout(resolve, 0))
  expect(fetch).not.toHaveBeenCalled()
})
