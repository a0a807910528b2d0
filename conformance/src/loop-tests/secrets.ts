import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { AdapterError, LoopError, providerTool, tool, type StepLoopOptions } from '@steploop/core'
import { defineHttpAdapter, objectOf, type HttpAdapterOptions, type WireFormat } from '@steploop/core/adapter'
import type { MakeWholeLoop } from '../loop.ts'

export function testSecrets(makeLoop: MakeWholeLoop): void {
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

  /** The error of the turn in which a run failed, and the run's error as a log would print it. */
  async function failedBy(
    options: Partial<HttpAdapterOptions>,
    wire = echo,
    loop: Partial<StepLoopOptions> = {},
    run = {},
  ) {
    const capabilities = { tools: true, providerTools: true }
    const base = { ...origin, capabilities, baseURL: 'https://api.example.com', apiKey: key, ...options }
    const made = makeLoop({ model: defineHttpAdapter(wire, base), maxRetries: 0, ...loop })
    const failure: unknown = await made.stream('x', run).result.catch((error: unknown) => error)
    const error = LoopError.isInstance(failure) ? failure.cause : undefined
    expect(AdapterError.isInstance(error)).toBe(true)
    return {
      error: error as AdapterError,
      printed: `${inspect(failure, { depth: 10, showHidden: true })} ${JSON.stringify([failure, error])}`,
    }
  }

  const raise = (cause: unknown) => (): never => {
    throw cause
  }
  const throwing = (cause: unknown) => ({ fetch: () => Promise.reject(cause) })

  test.each<readonly [string, typeof fetch]>([
    ['an error status', reply(`bad ${key}`, 'text/plain', 401)],
    ['an error in a JSON answer', reply(JSON.stringify({ said: `bad ${key}` }), 'application/json')],
    ['an error in a stream', reply(`data: bad ${key}\n\n`, 'text/event-stream')],
    ['a page that is no JSON', reply(`<html>bad ${key}</html>`, 'text/html')],
    ['a fetch that throws', throwing(new TypeError(`invalid header ${key}`, { cause: new Error(key) })).fetch],
  ])('%s that repeats the key shows it nowhere', { tags: ['E13'] }, async (_what, fetch) => {
    expect((await failedBy({ fetch })).printed).not.toContain(key)
  })

  test('a key that no header takes is reported before any request, without showing it', async () => {
    const { error, printed } = await failedBy({ ...throwing(new Error('unasked')), apiKey: `${key}\nx` })
    expect(error).toMatchObject({ ...origin, code: 'authentication', retryable: false })
    expect(error.message).toContain('the API key cannot be sent')
    expect(printed).not.toContain(key)
  })

  test('a source of credentials that fails is no failing connection, and shows the key nowhere', async () => {
    const auth = (given: string) => Promise.reject(new Error(`no token for ${given}`))
    const { error, printed } = await failedBy({ ...throwing(new Error('unasked')), auth })
    expect(error).toMatchObject({ code: 'authentication', cause: { message: 'no token for [redacted]' } })
    expect(printed).not.toContain(key)
  })

  test.each([
    ['Bearer canary-word', 'Bearer [redacted]'],
    ['basic canary-word!', 'basic [redacted]'],
    ['client_secret=canary-word&grant=refresh', 'client_secret=[redacted]&grant=refresh'],
    ['{"access_token": "canary-word", "scope": "all"}', '{"access_token": "[redacted]", "scope": "all"}'],
    ['the token (a1b2c3d4e5f6a7b8c9)', 'the token ([redacted])'],
  ])(
    'a source of credentials that fails with %j is reported without what it was asked with',
    async (said, reported) => {
      const auth = () => Promise.reject(Object.assign(new TypeError(said), { code: said }))
      const { error } = await failedBy({ ...throwing(new Error('unasked')), auth })
      expect(error.cause).toMatchObject({ name: 'TypeError', message: reported })
      expect(error.cause).not.toHaveProperty('code')
    },
  )

  test('keys of the caller’s own headers, and a request id that repeats a key, are shown nowhere either', async () => {
    const headers = { 'x-gateway-key': 'gateway-secret-51', cookie: 'session=cookie-secret-77' }
    const said = `${key} ${Object.values(headers).join(' ')}`
    const wire: WireFormat = {
      ...echo,
      decodeError: () => ({ code: 'authentication', providerMessage: said, requestId: said }),
    }
    const { error, printed } = await failedBy({ headers, fetch: reply(said, 'text/plain', 401) }, wire)
    expect(error).toMatchObject({ code: 'authentication', requestId: '[redacted] [redacted] [redacted]' })
    expect(printed).not.toMatch(/canary-key-42|gateway-secret-51|cookie-secret-77/)
  })

  const mixed = 'a1b2c3d4e5f6a7b8c9'

  test.each<readonly [string, string, Partial<HttpAdapterOptions>]>([
    ['a user of a base URL', 'canary-user', { baseURL: 'https://canary-user:x@localhost' }],
    ['a password, encoded', 'canary/word', { baseURL: 'https://name:canary%2Fword@localhost' }],
    ['a step of a path', mixed, { baseURL: `https://localhost/${mixed}/v1` }],
    ['a parameter by its name', 'canary-word', { baseURL: 'https://localhost/v1?a=b&api-key=canary-word' }],
    ['a parameter by its look', mixed, { baseURL: `https://localhost/v1?sig=${mixed}#end` }],
    ['a header by its look', mixed, { headers: { 'x-plugin': mixed } }],
    ['a piece of a header', mixed, { headers: { 'x-plugin': `v1, ${mixed}; 3` } }],
    ['a piece of a header, in base64', btoa(mixed), { headers: { 'x-plugin': `v1, ${mixed}; 3` } }],
    ['a cookie', 'canary-word', { headers: { cookie: 'a=b; c=canary-word' } }],
    ['a header without its scheme', 'canary-word', { headers: { authorization: 'Token canary-word' } }],
    ['a password in base64', 'canary-word', { headers: { authorization: `Basic ${btoa('name:canary-word')}` } }],
    ['a name without a password', 'canary-name', { headers: { authorization: `Basic ${btoa('canary-name:')}` } }],
    [
      'what authorises, without its scheme',
      'canary-word',
      { auth: () => ({ headers: { 'x-a': 'Token canary-word' } }) },
    ],
    ['credentials without a colon', 'canary-name', { headers: { authorization: `Basic ${btoa('canary-name')}` } }],
  ])('%s is a secret', async (_what, secret, options) => {
    const { error } = await failedBy({ ...throwing(new Error(`sent ${secret}!`)), ...options })
    expect(error.message).toContain('sent [redacted]!')
  })

  const named = (token: string) => ({ mcp: providerTool({ provider: 'toy', name: 'mcp', definition: { token } }) })
  const look = tool({ inputSchema: { type: 'object', token: 'canary-word' } })

  test.each<readonly [string, string, Partial<StepLoopOptions>, object]>([
    ['a header of a run is', '[redacted]', {}, { headers: { 'x-plugin-key': 'canary-word' } }],
    ['an option of the provider is', '[redacted]', { providerOptions: { toy: { a: { token: 'canary-word' } } } }, {}],
    ['the definition of a tool that the provider runs is', '[redacted]', { tools: named('canary-word') }, {}],
    ['the schema of a tool of the caller’s is not', 'canary-word', { tools: { look } }, {}],
  ])('%s kept secret', async (_what, shown, options, run) => {
    const cause = new Error('sent canary-word!')
    const failing = { ...echo, encode: raise(cause) }
    for (const wire of [echo, failing])
      expect((await failedBy(throwing(cause), wire, options, run)).error.message).toContain(`sent ${shown}!`)
  })

  test.each<readonly [string, Partial<HttpAdapterOptions>]>([
    [mixed, { headers: { 'x-request-id': mixed } }],
    ['12345678901234567890', { headers: { 'x-plugin': '12345678901234567890' } }],
    ['somebody', { headers: { authorization: `Basic ${btoa('somebody:word')}` } }],
    ['localhost/chats', { baseURL: 'https://localhost/chats?kind=plain' }],
    ['toy closed', { headers: { 'x-portkey-provider': 'toy', authorization: 'Bearer portkey-secret' } }],
  ])('%s is no secret, and stays in the message', async (text, options) => {
    const { error } = await failedBy({ ...throwing(new Error(`${text} the socket`)), ...options })
    expect(error.message).toContain(`${text} the socket`)
  })

  class Printed extends Error {
    toJSON(): string {
      return key
    }
  }
  class Asked extends Error {
    get sent(): string {
      return key
    }
  }
  const holding = (members: object): Error => Object.assign(new Error('failed'), members)

  test.each<readonly [string, unknown]>([
    ['the request', holding({ config: { headers: { authorization: `Bearer ${key}` } } })],
    ['headers', holding({ request: { headers: new Headers({ authorization: `Bearer ${key}` }) } })],
    ['a map', holding({ sent: new Map([['authorization', `Bearer ${key}`]]) })],
    ['a list of errors', new AggregateError([new Error(`Bearer ${key}`)], 'failed')],
    ['a method that prints', holding({ toJSON: () => key })],
    ['how its class prints', new Printed('failed')],
    ['an accessor', Object.defineProperty(new Error('failed'), 'sent', { get: () => key, enumerable: true })],
    ['an accessor of its class', new Asked('failed')],
    ['a symbol', holding({ sent: Symbol(key) })],
    ['the name of a member', holding({ [key]: 1 })],
    ['no error at all', { reason: { text: key } }],
  ])('a cause that keeps the key in %s is reported without it', async (_what, cause) => {
    const { error, printed } = await failedBy(throwing(cause))
    expect(error).toMatchObject({ code: 'connection' })
    expect(error.cause).not.toBe(cause)
    expect(printed).not.toContain(key)
  })

  test('a cause that leads back to itself is kept, and no hang', async () => {
    const cause = new Error('round')
    cause.cause = cause
    expect((await failedBy(throwing(cause))).error).toMatchObject({ code: 'connection', cause })
  })

  test('the password of a base URL, which `fetch` refuses and repeats, is shown nowhere', async () => {
    const baseURL = 'https://gateway:canary-password@localhost'
    const { error, printed } = await failedBy({ baseURL })
    expect(error).toMatchObject({ code: 'connection', message: expect.not.stringContaining('not a function') })
    expect(printed).not.toContain('canary-password')
  })

  test('of two secrets of which one begins with the other neither leaves its end behind', async () => {
    const headers = { 'x-auth': `${key}-and-more` }
    const { error } = await failedBy({ ...throwing(new Error(`sent ${key}-and-more, ${key}!`)), headers })
    expect(error.message).toContain('sent [redacted], [redacted]!')
  })

  test('a cause that is plain stays the very error that was thrown', async () => {
    class OwnError extends TypeError {
      readonly code = 'E_OWN'
      help(): string {
        return this.code
      }
    }
    const cause = new OwnError('refused', { cause: { errno: -111, tried: ['::1'], none: null } })
    expect((await failedBy(throwing(cause))).error.cause).toBe(cause)
  })

  test('a cause that is not plain keeps its message, its name, its code and the same of its own cause', async () => {
    const cause = Object.assign(new TypeError('fetch failed', { cause: new Error(`connect ${key}`) }), {
      code: 'ECONNREFUSED',
      request: new Request('https://api.example.com'),
    })
    const { error } = await failedBy(throwing(cause))
    expect(error).toMatchObject({
      cause: {
        name: 'TypeError',
        message: 'fetch failed',
        code: 'ECONNREFUSED',
        cause: { message: 'connect [redacted]' },
      },
    })
    expect(error.cause).not.toHaveProperty('request')
  })

  test('a 404 names the address that was asked, without what may be secret in it', async () => {
    const fetch = reply('Not found', 'text/plain', 404)
    const wire: WireFormat = {
      ...echo,
      encode: () => ({ path: '/chat?api-version=1', body: '{}', warnings: [] }),
      decodeError: () => ({ code: 'not-found', providerMessage: 'Not found' }),
    }
    for (const baseURL of ['https://api.example.com', `https://user:pass@api.example.com`]) {
      expect((await failedBy({ fetch, baseURL }, wire)).error).toMatchObject({
        message:
          'toy/toy-1: the model or resource does not exist at https://api.example.com/chat (HTTP 404). Provider message: Not found. Check the model id and the base URL.',
      })
    }
  })

  /** A stream in which an error with this text comes. */
  function failingWith(
    field: 'message' | 'refusal' | 'providerMessage' | 'excerpt' | 'cause',
    text: string,
  ): WireFormat {
    const cause = field === 'cause' ? new Error(text) : undefined
    const facts = { ...origin, code: 'server-error', ...(field === 'cause' ? { cause } : { [field]: text }) } as const
    return {
      ...echo,
      createDecoder: () => ({
        push() {
          throw new AdapterError(facts)
        },
        end: () => undefined,
      }),
    }
  }

  const stream = reply('data: x\n\n', 'text/event-stream')

  test.each([
    ['message', 1000],
    ['refusal', 4000],
    ['providerMessage', 1000],
    ['excerpt', 200],
    ['cause', 1000],
  ] as const)(
    'a key that stands where the %s of an error is cut, at %i, shows no piece of itself',
    async (field, most) => {
      for (const before of [most - 5, most - 9]) {
        const dots = '.'.repeat(before)
        const { error, printed } = await failedBy({ fetch: stream }, failingWith(field, `${dots}${key}!`))
        const texts = {
          cause: (error.cause as Error | undefined)?.message,
          message: error.message,
          refusal: error.message,
        }
        const text = { ...texts, providerMessage: error.providerMessage, excerpt: error.excerpt }[field]
        expect(text).toContain(`${dots}[redacted]!`.slice(0, most))
        expect(text).not.toContain(`${dots}[redacted]!`.slice(0, most + 1))
        expect(printed).not.toContain('.cana')
      }
    },
  )

  test.each(['message', 'refusal', 'providerMessage', 'excerpt', 'cause'] as const)(
    'what lies behind 10 000 characters in the %s of an error is never looked through, and never shown',
    async (field) => {
      const apiKey = Array.from({ length: 111 }, (_, at) => `k${String(at).padStart(8, '0')}`).join('')
      const text = `${apiKey.repeat(10)}${'.'.repeat(10_000 - apiKey.length * 10 - 1)}`
      const { printed } = await failedBy({ apiKey, fetch: stream }, failingWith(field, `${text}<>`))
      expect(printed).toContain('.<')
      expect(printed).not.toContain('<>')
    },
  )

  test('a cause with a text of 10 000 characters stays as it is, and of one more it is only said what it is', async () => {
    const kept = holding({ note: '.'.repeat(10_000) })
    expect((await failedBy(throwing(kept))).error.cause).toBe(kept)
    const { cause } = (await failedBy(throwing(holding({ note: '.'.repeat(10_001) })))).error
    expect(cause).toMatchObject({ message: 'failed' })
    expect(cause).not.toHaveProperty('note')
  })

  /** What is left of a text that the provider says, in a run with this key. */
  async function hidden(apiKey: string, said: string): Promise<string | undefined> {
    return (await failedBy({ apiKey, fetch: reply(said, 'text/plain', 401) })).error.providerMessage
  }

  const long = 'sk-live-0123456789abcdefghijklmnop'
  // In base64 it has `/` and `+`.
  const odd = 'p"a/s\\s&w<o>r%d+12???>>>'
  const escapedByCode = (text: string, form: (code: number) => string): string =>
    Array.from(text, (character) => form(character.codePointAt(0) ?? 0)).join('')

  test.each<readonly [string, (secret: string) => string]>([
    ['as it is', (secret) => secret],
    ['in JSON', (secret) => JSON.stringify({ secret })],
    ['in JSON in JSON', (secret) => JSON.stringify(JSON.stringify({ secret }))],
    ['in JSON with escaped slashes', (secret) => JSON.stringify(secret).replaceAll('/', '\\/')],
    ['in JSON by numbers', (secret) => escapedByCode(secret, (code) => `\\u${code.toString(16).padStart(4, '0')}`)],
    ['in JavaScript by numbers', (secret) => escapedByCode(secret, (code) => `\\x${code.toString(16)}`)],
    ['in a URL', (secret) => encodeURIComponent(secret)],
    ['in a URL in a URL', (secret) => encodeURIComponent(encodeURIComponent(secret))],
    ['in a URL, all of it', (secret) => escapedByCode(secret, (code) => `%${code.toString(16)}`)],
    ['in HTML', (secret) => secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')],
    ['in HTML by numbers', (secret) => escapedByCode(secret, (code) => `&#${code};`)],
    ['in HTML by hexadecimal numbers', (secret) => escapedByCode(secret, (code) => `&#x${code.toString(16)};`)],
    ['in base64', (secret) => btoa(secret)],
    ['in base64 behind one character', (secret) => btoa(`:${secret}`)],
    ['in base64 behind two, with more behind it', (secret) => btoa(`u:${secret}!`)],
    ['in base64 for URLs', (secret) => btoa(secret).replaceAll('+', '-').replaceAll('/', '_')],
  ])('a key is hidden %s', async (_how, spell) => {
    for (const secret of [long, odd]) {
      const spelled = spell(secret)
      const left = await hidden(secret, `before:${spelled} after`)
      expect(left).toMatch(/^before:.*\[redacted\].* after$/s)
      expect(left?.length).toBeLessThan(`before: after`.length + '[redacted]'.length + 24)
      expect(await hidden(secret, spelled)).not.toContain(spelled)
    }
  })

  test('a key that is percent-encoded itself is hidden in both forms', async () => {
    const said = 'one a%2Fb%3Dlong, two a/b=long, three a%252Fb%253Dlong'
    expect(await hidden('a%2Fb%3Dlong', said)).toBe('one [redacted], two [redacted], three [redacted]')
  })

  test('pieces of a key are hidden wherever they stand, but not eleven characters', { tags: ['E13'] }, async () => {
    const secret = 'q7Zk2mWx9Rt4Lp0V'
    for (let from = 0; from + 12 <= secret.length; from++) {
      for (let length = 12; from + length <= secret.length; length++) {
        const dots = '.'.repeat(from + length)
        const cut = `${dots}${secret.slice(from, from + length)}`
        expect(await hidden(secret, `${cut}" was cut`)).toBe(`${dots}[redacted]" was cut`)
      }
    }
    for (let before = 0; before < 14; before++) {
      const shorter = `${'.'.repeat(before)}${secret.slice(2, 13)} and more`
      expect(await hidden(secret, shorter)).toBe(shorter)
    }
  })

  test('pieces that are escaped are hidden, too', async () => {
    const said = String.raw`cut:p\/0123456789ab and:\u0030123456789abcde`
    expect(await hidden('p/0123456789abcdef', said)).toBe('cut:[redacted] and:[redacted]')
  })

  test('a short key that is escaped is hidden, wherever it stands', async () => {
    expect(await hidden('pass/word', String.raw`pass\/word and pass\u002fword!`)).toBe('[redacted] and [redacted]!')
  })

  test('a text that ends within a key does not show its beginning', async () => {
    for (let length = 6; length < long.length; length++)
      expect(await hidden(long, `cut:${long.slice(0, length)}`)).toBe('cut:[redacted]')
    expect(await hidden('pass-word', 'cut:pass-wo')).toBe('cut:[redacted]')
    expect(await hidden('pass-word', 'cut pass-')).toBe('cut pass-')
  })

  test('what is no key stays as it is', async () => {
    const text = 'a "quoted" \\ path, 100%, &amp; \\u0041 %41 sk-live- keys'
    for (const secret of [long, 'abc']) expect(await hidden(secret, text)).toBe(text)
  })
}
