import { createHash, createHmac } from 'node:crypto'
import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime'
import { SignatureV4 } from '@smithy/signature-v4'
import * as fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { escapeUri, signRequest } from './sign-request.ts'

afterEach(() => {
  vi.useRealTimers()
})

type Source = string | ArrayBuffer | ArrayBufferView

function bytesOf(source: Source): Uint8Array | string {
  if (typeof source === 'string') return source
  return source instanceof ArrayBuffer
    ? new Uint8Array(source)
    : new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
}

/** Node's own hashes, in the form in which the signer of the AWS SDK takes them. */
class Sha256 {
  private readonly hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>
  constructor(secret?: Source) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret))
  }
  update(data: Source): void {
    this.hash.update(bytesOf(data))
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.hash.digest()))
  }
  reset(): void {} // Every digest is made by a hash of its own.
}

const text = fc
  .string({ minLength: 1, maxLength: 40, unit: 'binary-ascii' })
  .filter((value) => /^[\x21-\x7e]+$/.test(value))
const name = fc.stringMatching(/^x-[a-z]{1,12}$/)
const credentials = fc.record(
  { accessKeyId: fc.stringMatching(/^AKIA[A-Z0-9]{16}$/), secretAccessKey: text, sessionToken: text },
  { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
)
const drawn = fc.record({
  model: fc.constantFrom(
    'amazon.nova-lite-v1:0',
    'arn:aws:bedrock:eu-west-1:123:application-inference-profile/a.b',
    "o'd(d)*!~ é",
  ),
  region: fc.constantFrom('us-east-1', 'eu-central-1', 'ap-southeast-2', 'us-gov-west-1'),
  headers: fc.dictionary(
    name,
    fc.string({ unit: 'binary-ascii', maxLength: 20 }).filter((value) => /^[\x20-\x7e]*$/.test(value)),
  ),
  body: fc.json(),
  seconds: fc.nat(4_000_000_000),
  credentials,
})

test('what `encodeURIComponent` leaves as it is is escaped too', () => {
  expect(escapeUri("a-_.~!'()*/ü")).toBe('a-_.~%21%27%28%29%2A%2F%C3%BC')
})

test('50 drawn requests are signed as the signer of the AWS SDK signs them, byte for byte', async () => {
  const requests = fc.sample(drawn, { numRuns: 50, seed: 16 })
  for (const { model, region, headers, body, seconds, credentials: known } of requests) {
    const date = new Date(seconds * 1000)
    const hostname = `bedrock-runtime.${region}.amazonaws.com`
    const path = `/model/${escapeUri(model)}/converse-stream`
    const all = { 'content-type': 'application/json', 'user-agent': 'steploop', ...headers }
    const own = await signRequest({
      method: 'POST',
      url: `https://${hostname}${path}`,
      headers: all,
      body: new TextEncoder().encode(body),
      credentials: known,
      region,
      date,
    })
    const signer = new SignatureV4({ credentials: known, region, service: 'bedrock', sha256: Sha256 })
    const theirs = await signer.sign(
      { method: 'POST', protocol: 'https:', hostname, path, query: {}, headers: { ...all, host: hostname }, body },
      { signingDate: date },
    )
    expect(own['authorization']).toBe(theirs.headers['authorization'])
    for (const added of ['x-amz-date', 'x-amz-content-sha256', 'x-amz-security-token']) {
      expect(own[added]).toBe(theirs.headers[added])
    }
  }
  expect(requests).toHaveLength(50)
})

const known = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI', sessionToken: 'session' }

test.each([
  { title: 'a query is sorted by name, then by value', query: { a: ['1', '2!', '2'], 'a-b': '2', 'a b': '3', A: '' } },
  { title: 'segments of the path that are empty are left out', path: '//model///m/converse/' },
  { title: 'the name of a header may be in any case', headers: { Host: 'proxy.test', 'X-Own': ' a  b ' } },
  { title: 'the host may be in any case', hostname: 'PROXY.test' },
  {
    title: 'a hash of the body that the caller gives is signed',
    headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
  },
])(
  '$title, as the signer of the AWS SDK has it',
  async ({ query = {}, path = '/model/m/converse', headers, hostname = 'a.test' }) => {
    const pairs = Object.entries(query).flatMap(([key, values]) =>
      [values].flat().map((value) => [key, value] as const),
    )
    const search = pairs.map(([key, value]) => `${escapeUri(key)}=${escapeUri(value)}`).toReversed()
    const date = new Date('2026-05-06T07:08:09Z')
    const rest = { method: 'POST', headers: headers ?? {}, credentials: known, region: 'eu-central-1' }
    const url = `https://${hostname}${path}?${search.join('&')}`
    const own = await signRequest({ ...rest, url, body: new Uint8Array(0), date })
    const signer = new SignatureV4({ ...rest, service: 'bedrock', sha256: Sha256 })
    const host = hostname.toLowerCase()
    const sent = { ...rest, protocol: 'https:', hostname: host, path, query, headers: { host, ...lowered(headers) } }
    const theirs = await signer.sign(sent, { signingDate: date })
    expect(own['authorization']).toBe(theirs.headers['authorization'])
  },
)

const lowered = (headers: object = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), String(value)]))

test("the caller's own `x-amz-date`, which is what goes out, is the time of the signature", async () => {
  const request = { method: 'POST', url: 'https://a.test/model/m/converse', body: new Uint8Array(0) }
  const rest = { ...request, credentials: known, region: 'eu-central-1' }
  const own = await signRequest({ ...rest, headers: { 'X-Amz-Date': '20260506T070809Z' }, date: new Date(0) })
  expect(own).toEqual(await signRequest({ ...rest, headers: {}, date: new Date('2026-05-06T07:08:09Z') }))
})

test('what the client of the AWS SDK sends for Converse has the signature that we make of it', async () => {
  vi.useFakeTimers({ now: new Date('2026-05-06T07:08:09Z'), toFake: ['Date'] })
  let sent: { path: string; hostname: string; headers: Record<string, string>; body: Uint8Array | string } | undefined
  const client = new BedrockRuntimeClient({
    region: 'eu-central-1',
    credentials: known,
    requestHandler: {
      handle(request: NonNullable<typeof sent>) {
        sent = request
        return Promise.reject(new Error('not sent'))
      },
    },
    maxAttempts: 1,
  })
  const messages = [{ role: 'user' as const, content: [{ text: 'Grüezi' }] }]
  await client.send(new ConverseCommand({ modelId: 'amazon.nova-lite-v1:0', messages })).catch(() => undefined)
  if (sent === undefined) throw new Error('the client made no request')
  const { authorization = '', ...headers } = sent.headers
  const body = typeof sent.body === 'string' ? new TextEncoder().encode(sent.body) : new Uint8Array(sent.body)
  const url = `https://${sent.hostname}${sent.path}`
  expect(authorization).toContain('AWS4-HMAC-SHA256')
  const own = await signRequest({
    method: 'POST',
    url,
    headers,
    body,
    credentials: known,
    region: 'eu-central-1',
    date: new Date(),
  })
  expect(own['authorization']).toBe(authorization)
})

test('an empty session token is none, as for the AWS SDK', async () => {
  const request = { method: 'POST', url: 'https://a.test/model/m/converse', headers: {}, body: new Uint8Array(0) }
  const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI' }
  const rest = { ...request, region: 'eu-central-1', date: new Date(0) }
  const empty = await signRequest({ ...rest, credentials: { ...keys, sessionToken: '' } })
  expect(empty).not.toHaveProperty('x-amz-security-token')
  expect(empty).toEqual(await signRequest({ ...rest, credentials: keys }))
})
