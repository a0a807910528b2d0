import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Cassette } from '../cassette.ts'
import { CassetteError } from '../errors.ts'
import { writeCassette } from '../file/cassette-file.ts'
import { cassetteOf, exchange } from '../testing.ts'
import { scanCassette } from './scan-cassette.ts'

// Values are put together here, so that the repository itself holds nothing that looks like a key.
const digits = (count: number): string => '7b2Kq9XzR4mWv81TcY6hLp3s5NdQ0uEj'.repeat(4).slice(0, count)
const lower = (count: number): string => digits(count).toLowerCase()
const upper = (count: number): string => digits(count).toUpperCase()
const base64 = (text: string): string => btoa(text)
const dash = '-'
const glue = (...pieces: readonly string[]): string => pieces.join('')
const openai = ['sk', 'proj', digits(40)].join(dash)
const anthropic = ['sk', 'ant', 'api03', digits(60)].join(dash)
const google = glue('AI', 'za', digits(35))
const jwt = [`ey${base64('{"alg":"HS256"}').slice(2)}`, `ey${base64('{"sub":"12345678"}').slice(2)}`, digits(43)]
  .join('.')
  .replaceAll('=', '')
const pem = ['-----BEGIN', 'RSA PRIVATE', 'KEY-----'].join(' ')
const mail = ['ada.lovelace', 'analytical.org'].join('@')
const env = { DEMO_API_KEY: 'plain words only!', SHORT_KEY: 'abc', DEMO_NAME: 'innocent value', SOME_TOKEN: undefined }
const known = env.DEMO_API_KEY

const response = (text: string): Cassette => cassetteOf(exchange({ chunks: [text] }))
const request = (value: unknown): Cassette => cassetteOf(exchange({ sent: JSON.stringify(value) }))
const url = (tail: string): Cassette => cassetteOf(exchange({ url: `https://api.example.com/v1/chat${tail}` }))
const header = (name: string, value: string): Cassette => cassetteOf(exchange({ headers: { [name]: value } }))
const prompt = (text: string): Cassette => request({ messages: [{ role: 'user', content: text }] })

/** A stream of events whose deltas spell the text, three characters each. */
function streamed(text: string, event: (piece: string) => unknown): Cassette {
  const pieces = text.match(/[^]{1,3}/g) ?? []
  return response(pieces.map((piece) => `event: delta\ndata: ${JSON.stringify(event(piece))}\n\n`).join(''))
}

const chatDelta = (piece: string) => ({ choices: [{ index: 0, delta: { content: piece } }] })

/** Two interleaved calls: the text in one, filling in the other. */
function interleaved(text: string): Cassette {
  const pieces = text.match(/[^]{1,4}/g) ?? []
  const lines = pieces.flatMap((piece) => [
    { type: 'input_json_delta', index: 1, delta: { partial_json: piece } },
    { type: 'input_json_delta', index: 2, delta: { partial_json: 'fill' } },
  ])
  return response(lines.map((line) => `data: ${JSON.stringify(line)}\n\n`).join(''))
}

const planted: readonly [where: string, rule: string, cassette: Cassette][] = [
  ['an Anthropic key in a prompt', 'anthropic-key', prompt(`use ${anthropic}`)],
  ['an OpenAI key in a prompt', 'openai-key', prompt(openai)],
  ['an OpenAI-like key of lower case', 'openai-key', prompt(['sk', lower(32)].join(dash))],
  ['a Google key in a query', 'url-credential', url(`?key=${google}`)],
  ['a Google key in a path', 'google-key', url(`/${google}`)],
  ['a Google OAuth token', 'google-oauth', prompt(glue('ya29', '.', digits(40)))],
  ['a Groq key', 'groq-key', prompt(glue('gsk', '_', digits(40)))],
  ['an xAI key', 'xai-key', prompt(`xai${dash}${digits(40)}`)],
  ['a Hugging Face key', 'huggingface-key', prompt(glue('hf', '_', digits(34)))],
  ['a GitHub token', 'github-token', prompt(glue('gh', 'p', '_', digits(36)))],
  ['a fine-grained GitHub token', 'github-token', prompt(glue('github', '_pat_', digits(50)))],
  ['a GitLab token', 'gitlab-token', prompt(glue('gl', 'pat', '-', digits(20)))],
  ['an AWS key id', 'aws-key-id', prompt(glue('AK', 'IA', upper(16)))],
  ['a Slack token', 'slack-token', prompt(glue('xo', 'xb', '-', digits(30)))],
  ['a Slack webhook', 'slack-webhook', prompt(glue('https://hooks.slack', '.com/services', '/T012/B345/', digits(24)))],
  ['an npm token', 'npm-token', prompt(glue('npm', '_', digits(36)))],
  ['a Stripe key', 'stripe-key', prompt(glue('sk', '_live_', digits(24)))],
  ['a SendGrid key', 'sendgrid-key', prompt(['SG', digits(22), digits(43)].join('.'))],
  ['a key in a response header', 'openai-key', header('x-request-id', openai)],
  [
    'a key in an error message',
    'openai-key',
    response(`{"error":{"message":"Incorrect API key provided: ${openai}."}}`),
  ],
  ['a key deep in JSON', 'openai-key', request({ a: [{ b: { c: [[openai]] } }] })],
  ['a key as the name of a member', 'openai-key', request({ [openai]: 1 })],
  ['a key with JSON escapes', 'openai-key', response(`{"a":"${openai.replace(dash, '\\u002d')}"}`)],
  ['a key in base64', 'openai-key', prompt(base64(`key=${openai};`))],
  ['a URL-encoded key', 'bearer-token', url(`?note=${encodeURIComponent(`Bearer ${digits(30)}`)}`)],
  ['a percent-encoded key', 'openai-key', url(`?note=${openai.replaceAll(dash, '%2D')}`)],
  ['a key split over chat deltas', 'openai-key', streamed(`It is ${openai}, keep it.`, chatDelta)],
  ['a key split over deltas of interleaved calls', 'anthropic-key', interleaved(`{"key":"${anthropic}"}`)],
  ['a base64-encoded key split over deltas', 'openai-key', streamed(base64(openai), chatDelta)],
  [
    'a key split over lines of JSON',
    'openai-key',
    response(openai.replaceAll(/(.{5})/g, '{"message":{"content":"$1"}}\n')),
  ],
  [
    'a key with CR LF framing',
    'google-key',
    response(
      google
        .split('')
        .map((piece) => `data: {"text":"${piece}"}\r\n\r\n`)
        .join(''),
    ),
  ],
  ['a bearer token in a tool result', 'bearer-token', prompt(`Authorization: Bearer ${digits(24)}`)],
  ['basic credentials', 'basic-credentials', prompt(`Authorization: Basic ${base64('admin:letmein1')}`)],
  [
    'an authorization header',
    'credential-header',
    cassetteOf(exchange({ requestHeaders: { authorization: 'Bearer abc' } })),
  ],
  ['an API key header', 'credential-header', cassetteOf(exchange({ requestHeaders: { 'x-goog-api-key': 'abc' } }))],
  ['a cookie header', 'cookie', header('set-cookie', 'session=1')],
  ['a cookie in a body', 'cookie', response(`{"headers":{"Set-Cookie":"session=${digits(20)}; Path=/"}}`)],
  ['a JWT', 'jwt', prompt(jwt)],
  ['a JWT split over deltas', 'jwt', streamed(jwt, chatDelta)],
  ['a private key', 'private-key', prompt(`${pem}\nMIIE`)],
  ['an e-mail address', 'e-mail', prompt(`write to ${mail} today`)],
  ['an e-mail address in a query', 'e-mail', url(`?user=${encodeURIComponent(mail)}`)],
  ['a home folder', 'home-path', prompt(glue('/', 'home', '/alovelace/notes.txt'))],
  ['a home folder of macOS', 'home-path', prompt(glue('/', 'Users', '/alovelace/notes.txt'))],
  ['a home folder of Windows', 'home-path', prompt(['C:', 'Users', 'alovelace', 'notes.txt'].join('\\'))],
  ['an organisation id in a header', 'organisation-id', header('x-request-id', `org${dash}${digits(24)}`)],
  ['an organisation id in an error', 'organisation-id', response(`{"message":"Limit for org_${lower(26)} reached"}`)],
  ['a password in a tool call', 'secret-field', prompt(`{"password": "${digits(12)}"}`)],
  ['the key to an MCP server', 'secret-field', prompt(`{"tools":[{"authorization":"${digits(12)}"}]}`)],
  ['the token for an MCP server', 'secret-field', prompt(`{"mcp_servers":[{"authorization_token":"${digits(12)}"}]}`)],
  ['an AWS secret by its name', 'secret-field', prompt(`aws_secret_access_key = "${digits(40)}"`)],
  ['a password in a database URL', 'url-password', prompt(`postgres://app:${digits(10)}@db.example.com/x`)],
  ['a signed URL', 'url-credential', response(`{"url":"https://files.example.com/a?sig=${digits(30)}"}`)],
  ['a variable', 'environment:DEMO_API_KEY', prompt(`say ${known}`)],
  ['a URL-encoded variable', 'environment:DEMO_API_KEY', url(`/${encodeURIComponent(known)}`)],
  ['a variable in base64 among binary', 'environment:DEMO_API_KEY', prompt(base64(`\u0001\u00ff${known}\u00fe\u0002`))],
  ['a variable split over deltas', 'environment:DEMO_API_KEY', streamed(known, chatDelta)],
  [
    'a variable in the header of the cassette',
    'environment:DEMO_API_KEY',
    { ...response(''), header: { ...response('').header, scenario: known } },
  ],
]

test.each(planted)('%s stops the write: %s', (_, rule, cassette) => {
  const path = join(tmpdir(), `cassette-${crypto.randomUUID()}`, 'never-written.yaml')
  let caught: unknown
  try {
    writeCassette(path, cassette, { env })
  } catch (error) {
    caught = error
  }
  expect(CassetteError.isInstance(caught) && caught.code).toBe('secret-found')
  const message = caught instanceof Error ? caught.message : ''
  expect(message).toContain(rule)
  expect(message).toMatch(/ in (?:URL|header|request|response)/)
  for (const value of [openai, anthropic, google, jwt, mail, known, digits(12), lower(26), upper(16), 'alovelace'])
    expect(message).not.toContain(value)
  expect(existsSync(path)).toBe(false)
})

test(
  'a secret in the name of the file stops the write, and the message does not repeat the name',
  { tags: ['E18'] },
  () => {
    expect(() => writeCassette(`/nowhere/${openai}.yaml`, response('{}'), { env })).toThrow(
      expect.objectContaining({ code: 'secret-found', message: expect.not.stringContaining(openai) }),
    )
  },
)

const signature = base64(digits(90)).replaceAll('=', '')
// Bytes that are not text, as images and ciphertext are.
const noise = base64(
  Array.from({ length: 1200 }, (_, index) => String.fromCharCode((index * 197 + (index >> 3) * 31) % 256)).join(''),
)
const hex = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

/** Put together here, so that the repository itself names no such path. */
const path = (...names: readonly string[]): string => ['', ...names].join('/')

const innocent: readonly [what: string, text: string][] = [
  ['an OpenAI call id', `call_${digits(24)}`],
  ['an Anthropic call id', `toolu_01${digits(22)}`],
  ['a server tool id', `srvtoolu_01${digits(22)}`],
  ['a message id', `msg_01${digits(22)}`],
  ['a response id', `resp_${lower(50)}`],
  ['a completion id', `chatcmpl-${digits(29)}`],
  ['a reasoning item id', `rs_${lower(50)}`],
  ['a function call id', `fc_${lower(50)}`],
  ['a request id', `req_${digits(24)}`],
  ['a generation id', `gen-1732200000-${digits(20)}`],
  ['a system fingerprint', `fp_${lower(10)}`],
  ['a batch id', `batch_${digits(24)}`],
  ['a UUID', '3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
  ['a SHA-256', hex],
  ['a git commit', hex.slice(0, 40)],
  ['a thinking signature', `ErUB${noise}`],
  ['a signature of letters and digits', signature],
  ['encrypted reasoning', `gAAAAA${noise.replaceAll('+', '-').replaceAll('/', '_')}`],
  ['a base64 image', `data:image/png;base64,iVBORw0KGgo${noise}`],
  ['a thought signature', `CiQB${noise}`],
  ['an integrity hash', `sha512-${noise.slice(0, 86)}==`],
  ['a word that ends like a prefix', `task-management-system-for-teams-2026-edition`],
  ['a hyphenated phrase', 'sk-learn-compatible-estimators-and-pipelines'],
  ['a risk word', 'risk-adjusted-return-on-capital-2026-report'],
  ['a placeholder key', 'Authorization: Bearer YOUR_API_KEY_GOES_HERE'],
  ['a redacted bearer', 'Authorization: Bearer [redacted]'],
  ['a variable reference', 'Authorization: Bearer ${OPENAI_API_KEY_V2_PRODUCTION}'],
  ['a sentence on tokens', 'The bearer authenticationmechanism is described below.'],
  ['a reserved address', 'user@example.com'],
  ['an address under test', 'someone@mail.test'],
  ['a retina image', 'icon@2x.png'],
  ['a package with its version', 'npm install @scope/name@1.2.3 left-pad@1.0.0'],
  ['a git remote', 'git@github.com:owner/name.git'],
  ['a decorator', 'a class with @decorator.call and @other'],
  ['a placeholder home', `${path('home', 'user', 'project')} and ${path('Users', 'you', 'file')}`],
  ['a container home', path('home', 'node', 'app')],
  ['a URL path with home', 'https://shop.example.com/home/garden/tools'],
  ['a JSON schema of a password', '{"password":{"type":"string","description":"The password"}}'],
  ['a placeholder password', '{"password":"your-password-1"}'],
  ['a public key', '-----BEGIN PUBLIC KEY-----'],
  ['a certificate', '-----BEGIN CERTIFICATE-----'],
  ['a query with a short key', 'https://example.com/?key=value&token=1'],
  ['a URL with a port', 'http://127.0.0.1:8080/path@2'],
  ['a date and time', '2026-11-21T10:00:00.000Z'],
  ['a rate limit reset', '6m0s'],
  ['a long number', '12345678901234567890123456789012'],
  ['a model name', 'gpt-4o-2024-08-06'],
  ['a fine-tuned model', 'ft:gpt-4o-mini-2024-07-18'],
  ['a cookie recipe', 'cookie: mix=flour and sugar'],
  ['a basic sentence', 'basic understanding of arithmetic'],
  ['a short variable', env.SHORT_KEY],
  ['a variable of another kind', env.DEMO_NAME],
]

test.each(innocent)('%s is no secret, wherever it stands', (_, text) => {
  const cassettes = [
    prompt(text),
    response(`data: ${JSON.stringify({ id: text })}\n\n`),
    streamed(text, chatDelta),
    header('x-request-id', text),
  ]
  expect(
    cassettes.flatMap((cassette) => scanCassette(cassette, { env, fileName: 'example/sample.stream.yaml' })),
  ).toEqual([])
})

test('a finding names the rule and the most exact location, once', () => {
  expect(scanCassette(streamed(openai, chatDelta), { env })).toEqual([
    { rule: 'openai-key', location: 'response body of exchange 1, choices[0].delta.content' },
  ])
})

test('the variables of the process are searched when none are given', () => {
  const name = 'STEPLOOP_SCAN_TEST_KEY'
  process.env[name] = 'a value of the process'
  try {
    expect(scanCassette(prompt('it is a value of the process'))).toEqual([
      { rule: `environment:${name}`, location: 'request body of exchange 1, messages[0].content' },
    ])
  } finally {
    delete process.env[name]
  }
})

test('megabytes of base64 are scanned without quadratic cost', () => {
  // A pattern that backtracks over this takes minutes, which the test runner ends.
  expect(scanCassette(response(`{"image":"${'A1b2'.repeat(1_000_000)}"}`), { env })).toEqual([])
})
