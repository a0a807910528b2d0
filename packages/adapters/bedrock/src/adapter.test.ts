import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AdapterError, collectTurn, type Adapter } from '@steploop/core/adapter'
import { bedrock, bedrockConverse, createBedrock, createBedrockClaude, type BedrockOptions } from './index.ts'
import { joinBytes, message, origin, requestOf } from './testing.ts'

beforeEach(() => {
  for (const name of [
    'AWS_BEARER_TOKEN_BEDROCK',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'AWS_REGION',
    'AWS_DEFAULT_REGION',
  ]) {
    vi.stubEnv(name, undefined)
  }
})

afterEach(() => {
  vi.unstubAllEnvs()
})

const answer = { output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } }, stopReason: 'end_turn' }

function server(reply: () => Response = () => Response.json(answer)) {
  return vi.fn<typeof globalThis.fetch>(() => Promise.resolve(reply()))
}

function ask(adapter: Adapter, mode: 'generate' | 'stream' = 'generate') {
  return collectTurn(adapter.turn(requestOf(), { mode }), origin)
}

async function errorOf(turn: Promise<unknown>): Promise<AdapterError> {
  const error: unknown = await turn.catch((cause: unknown) => cause)
  if (!AdapterError.isInstance(error)) throw new Error(`no AdapterError: ${inspect(error)}`)
  return error
}

const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI-K7MDENG' }

function headersOf(fetch: ReturnType<typeof server>): Headers {
  return new Headers(fetch.mock.calls[0]?.[1]?.headers)
}

test('a request goes to the region with a Bedrock key as bearer token', async () => {
  vi.stubEnv('AWS_BEARER_TOKEN_BEDROCK', 'bedrock-api-key-1234')
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  const fetch = server()
  const turn = await ask(createBedrock({ fetch })(origin.model))
  expect(turn.message.content).toEqual([{ type: 'text', text: 'Hi' }])
  expect(fetch.mock.calls[0]?.[0]).toBe(
    'https://bedrock-runtime.eu-central-1.amazonaws.com/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse',
  )
  expect(headersOf(fetch).get('authorization')).toBe('Bearer bedrock-api-key-1234')
})

test.each([
  ['cn-north-1', 'bedrock-runtime.cn-north-1.amazonaws.com.cn'],
  ['eusc-de-east-1', 'bedrock-runtime.eusc-de-east-1.amazonaws.eu'],
  ['us-gov-west-1', 'bedrock-runtime.us-gov-west-1.amazonaws.com'],
  ['us-iso-east-1', 'bedrock-runtime.us-iso-east-1.c2s.ic.gov'],
  ['us-isob-east-1', 'bedrock-runtime.us-isob-east-1.sc2s.sgov.gov'],
  ['us-isof-south-1', 'bedrock-runtime.us-isof-south-1.csp.hci.ic.gov'],
  ['eu-isoe-west-1', 'bedrock-runtime.eu-isoe-west-1.cloud.adc-e.uk'],
  [' cn-north-1\n', 'bedrock-runtime.cn-north-1.amazonaws.com.cn'],
])('a request to %j goes to the domain of its partition', async (region, host) => {
  const fetch = server()
  await ask(createBedrock({ fetch, region, credentials: keys })(origin.model))
  expect(fetch.mock.calls[0]?.[0]).toEqual(expect.stringContaining(`https://${host}/`))
})

test('a request goes to the default region, and a blank session token is none', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', keys.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', keys.secretAccessKey)
  vi.stubEnv('AWS_SESSION_TOKEN', ' ')
  vi.stubEnv('AWS_DEFAULT_REGION', 'eu-west-1')
  const fetch = server()
  await ask(createBedrock({ fetch })(origin.model))
  expect(fetch.mock.calls[0]?.[0]).toContain('https://bedrock-runtime.eu-west-1.amazonaws.com/')
  expect(headersOf(fetch).has('x-amz-security-token')).toBe(false)
})

test.each([
  [' ', keys.secretAccessKey],
  [keys.accessKeyId, ' '],
  [keys.accessKeyId, undefined],
])('half of the credentials in the environment is none: %j and %j', async (accessKeyId, secretAccessKey) => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey)
  const error = await errorOf(ask(createBedrock({ fetch: server(), region: 'us-east-1' })(origin.model)))
  expect(error).toMatchObject({ code: 'missing-api-key' })
})

test('a request is signed with the credentials of the environment where there is no key', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', keys.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', keys.secretAccessKey)
  vi.stubEnv('AWS_SESSION_TOKEN', 'token-of-the-session')
  const fetch = server()
  await ask(createBedrock({ fetch, region: 'us-east-1', now: () => new Date('2026-05-06T07:08:09Z') })(origin.model))
  const headers = headersOf(fetch)
  expect(headers.get('authorization')).toContain(
    `Credential=${keys.accessKeyId}/20260506/us-east-1/bedrock/aws4_request`,
  )
  expect(headers.get('x-amz-security-token')).toBe('token-of-the-session')
  expect(headers.get('x-amz-date')).toBe('20260506T070809Z')
})

test('a request with a key to an address of its own needs no region', async () => {
  const fetch = server()
  await ask(createBedrock({ fetch, apiKey: 'k', baseURL: 'https://proxy.example.com' })(origin.model))
  expect(fetch.mock.calls[0]?.[0]).toMatch(/^https:\/\/proxy\.example\.com\/model\//)
})

test('a request asks a function for credentials each time', async () => {
  const credentials = vi.fn(() => Promise.resolve(keys))
  const adapter = createBedrock({ fetch: server(), region: 'us-east-1', credentials })(origin.model)
  await ask(adapter)
  await ask(adapter)
  expect(credentials).toHaveBeenCalledTimes(2)
})

const expired = { ...keys, expiration: new Date('2026-01-01T00:00:00Z') }
const cases: readonly (readonly [string, BedrockOptions, string, RegExp])[] = [
  [
    'no credentials',
    { region: 'us-east-1' },
    'missing-api-key',
    /AWS_BEARER_TOKEN_BEDROCK.*AWS_ACCESS_KEY_ID.*`credentials`/,
  ],
  [
    'credentials whose end is a text that has passed',
    { region: 'us-east-1', credentials: { ...keys, expiration: '2026-01-01T00:00:00Z' } },
    'authentication',
    /expired at 2026-01-01/,
  ],
  [
    'credentials whose end is no date',
    { region: 'us-east-1', credentials: { ...keys, expiration: 'soon' } },
    'authentication',
    /is no date/,
  ],
  [
    'credentials that have expired',
    { region: 'us-east-1', credentials: expired },
    'authentication',
    /expired at 2026-01-01/,
  ],
  [
    'half of the credentials',
    { region: 'us-east-1', credentials: { ...keys, secretAccessKey: '' } },
    'authentication',
    /secretAccessKey/,
  ],
  [
    'credentials that expire now',
    { region: 'us-east-1', credentials: expired, now: () => expired.expiration },
    'authentication',
    /expired/,
  ],
  [
    'a blank secret',
    { region: 'us-east-1', credentials: { ...keys, secretAccessKey: ' ' } },
    'authentication',
    /no `secretA/,
  ],
  ['a blank key', { region: 'us-east-1', credentials: { ...keys, accessKeyId: ' ' } }, 'authentication', /accessKeyId/],
  ['no region', { credentials: keys }, 'bad-request', /AWS_REGION/],
  ['a key and no region', { apiKey: 'bedrock-api-key' }, 'bad-request', /AWS_REGION/],
  ['a region that is none', { credentials: keys, region: 'Frankfurt' }, 'bad-request', /'Frankfurt' is no AWS region/],
  [
    'a source that fails',
    { region: 'us-east-1', credentials: () => Promise.reject(new Error('down')) },
    'authentication',
    /credentials failed/,
  ],
]
test.each(cases)('what is missing or wrong is reported before any request: %s', async (_, options, code, words) => {
  const fetch = server()
  const error = await errorOf(ask(createBedrock({ ...options, fetch })(origin.model)))
  expect(error).toMatchObject({ ...origin, code, retryable: false })
  expect(error.message).toMatch(words)
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(keys.secretAccessKey)
  expect(fetch).not.toHaveBeenCalled()
})

test('neither key nor signature nor session token shows in an error that repeats them', async () => {
  let sent = ''
  const fetch: typeof globalThis.fetch = (_, init) => {
    sent = JSON.stringify(init?.headers)
    return Promise.resolve(
      Response.json(
        { message: `The request signature we calculated does not match: ${sent} ${keys.secretAccessKey}` },
        { status: 403 },
      ),
    )
  }
  const credentials = { ...keys, sessionToken: 'FwoGZXIvYXdzEJr-session-token' }
  const error = await errorOf(ask(createBedrock({ fetch, region: 'us-east-1', credentials })(origin.model)))
  expect(error).toMatchObject({ code: 'authentication' })
  const shown = inspect(error, { depth: 9, showHidden: true })
  const signature = /Signature=([0-9a-f]+)/.exec(sent)?.[1] ?? 'none'
  for (const secret of [signature, credentials.sessionToken, ...Object.values(keys)])
    expect(shown).not.toContain(secret)
})

const apiKey = 'bedrock-api-key-1234567890'
const begin = message('messageStart', { role: 'assistant' })
const streamed = (bytes: Uint8Array<ArrayBuffer>) =>
  new Response(bytes, { headers: { 'content-type': 'application/vnd.amazon.eventstream' } })
const changed = (at: number, value: number) => streamed(begin.map((byte, index) => (index === at ? value : byte)))
const refused = (type: string, said: string, status: number) =>
  Response.json({ message: said }, { status, headers: { 'x-amzn-errortype': type } })
test.each<[string, () => Response, string, RegExp]>([
  ['a wrong checksum', () => changed(begin.length - 1, 0x7f), 'malformed-response', /its checksum is wrong/],
  ['a wrong length', () => changed(3, 0x10), 'malformed-response', /the checksum of its prelude is wrong/],
  ['a wrong type of a header', () => changed(24, 0x2a), 'malformed-response', /checksum is wrong/],
  ['a cut inside a frame', () => streamed(begin.slice(0, -9)), 'incomplete-stream', /without `messageStop`/],
  [
    'credentials that AWS calls expired',
    () => refused('ExpiredTokenException', `The security token ${apiKey} is expired`, 403),
    'authentication',
    /refused .HTTP 403.*is expired/s,
  ],
  [
    'a model that takes no tools',
    () => refused('ValidationException', "This model doesn't support tool use.", 400),
    'bad-request',
    /doesn't support tool use/,
  ],
])('what comes back wrong names its location, is typed, and shows no key: %s', async (_, reply, code, words) => {
  for (const create of [createBedrock, createBedrockClaude]) {
    const adapter = create({ fetch: server(reply), apiKey, region: 'us-east-1' })(origin.model)
    const error = await errorOf(ask(adapter, 'stream'))
    expect(error).toMatchObject({ code })
    expect(error.message).toMatch(create === createBedrock ? words : /./)
    expect(error.message).toContain(`${adapter.provider}/${origin.model}`)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(apiKey)
  }
})

const event = (payload: object) =>
  message('chunk', { bytes: Buffer.from(JSON.stringify(payload)).toString('base64'), p: 'abc' })
const stream = joinBytes(
  event({
    type: 'message_start',
    message: { id: 'msg_1', model: 'claude', content: [], usage: { input_tokens: 3 } },
  }),
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüezi' } }),
  event({ type: 'content_block_stop', index: 0 }),
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }),
  event({ type: 'message_stop' }),
)
const framed = (bytes: Uint8Array<ArrayBuffer>) => () =>
  new Response(bytes, { headers: { 'content-type': 'application/vnd.amazon.eventstream' } })

test('Claude in its own format says its version in the body and neither model nor stream, and reads events in frames', async () => {
  const fetch = server(framed(stream))
  const adapter = createBedrockClaude({ fetch, apiKey: 'k', region: 'us-east-1', betas: ['b-1'] })(origin.model)
  const turn = await ask(adapter, 'stream')
  expect(turn.message.content).toEqual([{ type: 'text', text: 'Grüezi' }])
  expect(turn).toMatchObject({ finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 2 } })
  const [url, init] = fetch.mock.calls[0] ?? []
  expect(url).toMatch(/v1%3A0\/invoke-with-response-stream$/)
  const body = JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as Record<string, unknown>
  expect(body).toMatchObject({ anthropic_version: 'bedrock-2023-05-31', anthropic_beta: ['b-1'] })
  expect(body).not.toHaveProperty('model')
  expect(body).not.toHaveProperty('stream')
  expect(headersOf(fetch).has('anthropic-version')).toBe(false)
})

test('Claude in its own format: an exception in the stream is a typed error, and a cut one is incomplete', async () => {
  const broken = joinBytes(stream.slice(0, 200), message('x', {}))
  const throttled = message('throttlingException', { message: 'Too many tokens, please wait' }, 'exception')
  for (const [bytes, code] of [
    [throttled, 'rate-limit'],
    [stream.slice(0, -20), 'incomplete-stream'],
    [broken, 'malformed-response'],
    [message('chunk', {}), 'malformed-response'],
  ] as const) {
    const adapter = createBedrockClaude({ fetch: server(framed(bytes)), apiKey: 'k', region: 'us-east-1' })
    const error = await errorOf(ask(adapter(origin.model), 'stream'))
    expect(error).toMatchObject({ code, provider: 'bedrock-claude', model: origin.model })
  }
})

test('the default instance names provider, model and what Converse can do', () => {
  const can = ['tools', 'parallel', 'reasoning', 'reasoningReplay', 'imageInput', 'fileInput', 'toolResultImages']
  const always = Object.fromEntries([...can, 'streamUsage', 'cacheControl'].map((name) => [name, true]))
  const forced = { toolChoice: ['auto', 'required', 'tool'] }
  const [claude, nova] = [true, false].map((structured) => ({ structured, structuredWithTools: structured }))
  expect(bedrock(origin.model)).toMatchObject({
    ...origin,
    capabilities: { ...always, ...forced, ...claude, providerTools: false },
  })
  expect(bedrock('amazon.nova-lite-v1:0').capabilities).toEqual({ ...always, ...forced, ...nova, providerTools: true })
  expect(bedrockConverse(origin)).toHaveProperty('name', 'bedrock-converse')
  expect(bedrock('openai.gpt-oss-120b-1:0').capabilities.toolChoice).toEqual(['auto'])
  expect(createBedrockClaude()(origin.model)).toMatchObject({
    provider: 'bedrock-claude',
    model: origin.model,
    capabilities: { tools: true, providerTools: false, pause: false },
  })
})
