import { expect, test } from 'vitest'
import { CassetteError } from '../errors.ts'
import { bytes, cassetteOf, exchange, textOf } from '../testing.ts'
import { createReplay, type IncomingRequest, type Replay } from './replay.ts'

const url = 'https://api.example.com/v1/chat'

function incoming(body: string, headers: Record<string, string> = {}, method = 'POST', to = url): IncomingRequest {
  const all = { 'content-type': 'application/json', ...headers }
  return { method, url: to, headers: Object.entries(all), body: bytes(body) }
}

const answers = (replay: Replay, request: IncomingRequest): string => textOf(replay.take(request).response.body)

function missOf(replay: Replay, request: IncomingRequest): CassetteError {
  try {
    replay.take(request)
  } catch (error) {
    if (CassetteError.isInstance(error)) return error
    throw error
  }
  throw new Error('The request was answered.')
}

test('requests that are equal are answered in the order of the file, each exchange once', () => {
  const replay = createReplay(cassetteOf(...['1', '2'].map((text) => exchange({ sent: '{}', chunks: [text] }))))
  expect([answers(replay, incoming('{}')), answers(replay, incoming('{}'))]).toEqual(['1', '2'])
  expect(missOf(replay, incoming('{}')).message).toMatch(/all 2 exchanges are consumed.*repeats exchange 1/s)
})

test('asked to, it answers in the order of the file whatever the requests say', () => {
  const replay = createReplay(
    cassetteOf(exchange({ sent: '{"n":1}', chunks: ['1'] }), exchange({ sent: '2', chunks: ['2'] })),
    {
      match: { inOrder: true },
    },
  )
  expect([answers(replay, incoming('{"n":2}')), answers(replay, incoming('other', {}, 'PUT'))]).toEqual(['1', '2'])
  expect(missOf(replay, incoming('2')).message).toContain('all 2 exchanges are consumed')
})

test('a miss that no body explains says what the cassette holds, and what of it was asked for already', () => {
  const other = 'https://api.example.com/v1/other'
  const replay = createReplay(cassetteOf(exchange({ sent: '{}' }), exchange({ url: other, sent: '{}' })))
  replay.take(incoming('{}'))
  const holds = `The cassette holds:\n  exchange 1: POST ${url} (consumed)\n  exchange 2: POST ${other}\n`
  expect(missOf(replay, incoming('{}', {}, 'POST', 'https://api.example.com/v2/chat')).message).toContain(holds)
  replay.take(incoming('{}', {}, 'POST', other))
  expect(missOf(replay, incoming('{}')).message).toContain(`exchange 2: POST ${other} (consumed)\n`)
  expect(missOf(createReplay(cassetteOf()), incoming('{}')).message).toContain('The cassette holds none.')
})

test('requests may come in another order than they were recorded', () => {
  const replay = createReplay(
    cassetteOf(exchange({ sent: '{"n":1}', chunks: ['1'] }), exchange({ sent: '{"n":2}', chunks: ['2'] })),
  )
  expect([answers(replay, incoming('{"n":2}')), answers(replay, incoming('{"n":1}'))]).toEqual(['2', '1'])
  expect(() => replay.assertConsumed()).not.toThrow()
})

test.each([
  ['the order of members', '{"b":[{"d":1,"c":2}],"a":"é"}'],
  ['white space', '{ "a" : "é",\n"b":[ {"c":2, "d":1} ] }'],
  ['escapes', '{"a":"\\u00e9","b":[{"c":2,"d":1}]}'],
  ['the spelling of numbers', '{"a":"é","b":[{"c":2.0,"d":1e0}]}'],
])('a JSON body matches whatever %s', (_, sent) => {
  const replay = createReplay(cassetteOf(exchange({ sent: '{"a":"é","b":[{"c":2,"d":1}]}', chunks: ['x'] })))
  expect(answers(replay, incoming(sent))).toBe('x')
})

test.each([
  ['a body with a member more', incoming('{"a":[1,2],"b":"text","c":0}'), 'body.c: expected nothing / got 0'],
  ['a body with a member less', incoming('{"a":[1,2]}'), 'body.b: expected "text" / got nothing'],
  ['another value deep down', incoming('{"a":[1,3],"b":"text"}'), 'body.a[1]: expected 2 / got 3'],
  ['a longer array', incoming('{"a":[1,2,3],"b":"text"}'), 'body.a[2]: expected nothing / got 3'],
  ['another type', incoming('{"a":{"0":1},"b":"text"}'), 'body.a: expected [1,2] / got {"0":1}'],
  ['null for nothing', incoming('{"a":[1,2],"b":null}'), 'body.b: expected "text" / got null'],
  ['no JSON', incoming('a=1'), 'got "a=1"'],
  ['another method', incoming('{"a":[1,2],"b":"text"}', {}, 'PUT'), 'method: expected "POST" / got "PUT"'],
  ['another path', incoming('{"a":[1,2],"b":"text"}', {}, 'POST', `${url}s`), `url: expected "${url}" / got "${url}s"`],
  ['another query', incoming('{"a":[1,2],"b":"text"}', {}, 'POST', `${url}?alt=sse`), `got "${url}?alt=sse"`],
  [
    'another version header',
    incoming('{"a":[1,2],"b":"text"}', { 'anthropic-version': '2' }),
    'headers.anthropic-version: expected "1" / got "2"',
  ],
  [
    'no credential',
    incoming('{"a":[1,2],"b":"text"}', { authorization: '' }),
    'headers.authorization: expected "Bearer [redacted]"',
  ],
  ['another scheme', incoming('{"a":[1,2],"b":"text"}', { authorization: 'Basic abc' }), 'got "Basic [redacted]"'],
])('%s is a miss whose message says what differs and how to fix it', (_, request, says) => {
  const requestHeaders = {
    'content-type': 'application/json',
    'anthropic-version': '1',
    authorization: 'Bearer [redacted]',
  }
  const replay = createReplay(cassetteOf(exchange({ sent: '{"a":[1,2],"b":"text"}', requestHeaders })), {
    fileName: 'a.yaml',
  })
  const headers = {
    'anthropic-version': '1',
    authorization: 'Bearer of-something',
    ...Object.fromEntries(request.headers),
  }
  const error = missOf(replay, { ...request, headers: Object.entries(headers) })
  expect(error).toMatchObject({ code: 'no-match', file: 'a.yaml', location: 'exchange 1 of 1' })
  expect(error.message).toContain(says)
  expect(error.message).toMatch(/Record the cassette anew, or rebase it/)
  expect(error.message).not.toContain('of-something')
})

test('headers that clients add by themselves do not count', () => {
  const replay = createReplay(cassetteOf(exchange({ sent: '{}', chunks: ['x'] })))
  expect(answers(replay, incoming('{}', { 'user-agent': 'a', host: 'b', 'x-stainless-os': 'c', accept: '*/*' }))).toBe(
    'x',
  )
})

test('a header counts when it is asked for, or when the cassette holds it', () => {
  const asked = createReplay(cassetteOf(exchange({ sent: '{}' })), { match: { headers: ['X-Tenant'] } })
  expect(missOf(asked, incoming('{}', { 'x-tenant': '1' })).message).toContain('headers.x-tenant')
  const held = { 'content-type': 'application/json', 'x-tenant': '1' }
  const replay = createReplay(cassetteOf(exchange({ sent: '{}', requestHeaders: held })))
  expect(missOf(replay, incoming('{}')).message).toContain('headers.x-tenant: expected "1" / got nothing')
})

test('of headers that another recorder did not keep nothing is known', () => {
  const cassette = cassetteOf(exchange({ sent: '{}', requestHeaders: { 'anthropic-version': '1' }, chunks: ['x'] }))
  const origin = { kind: 'imported', by: 'another recorder', date: '2026-01-01' } as const
  const imported = { ...cassette, header: { ...cassette.header, origin } }
  const sent = { authorization: 'Bearer of-something', accept: 'text/event-stream' }
  expect(answers(createReplay(imported), incoming('{}', { ...sent, 'anthropic-version': '1' }))).toBe('x')
  expect(missOf(createReplay(imported), incoming('{}', { ...sent, 'anthropic-version': '2' })).message).toContain(
    'headers.anthropic-version',
  )
})

test('masked fields are not compared, whether the cassette or the caller declares them', () => {
  const cassette = cassetteOf(exchange({ sent: '{"id":"[masked]","items":[{"at":1},{"at":2}]}', chunks: ['x'] }))
  const masked = { ...cassette, header: { ...cassette.header, mask: ['id'] } }
  const replay = createReplay(masked, { match: { mask: ['items.*.at'] } })
  expect(answers(replay, incoming('{"id":"changes","items":[{"at":8},{"at":9}]}'))).toBe('x')
})

test('a miss shows no key of the request, wherever it is', () => {
  const key = 'sk-live-0123456789abcdefghijklmnop'
  const replay = createReplay(cassetteOf(exchange({ sent: '{"a":1}' })))
  const requests = [
    incoming(`{"a":1,"api_key":"${key}"}`),
    incoming(`{"a":1,"secret":"a1b2c3d4e5"}`),
    incoming(`{"a":{"server":{"authorization":"Bearer ${key}"}}}`),
    incoming(`a=${key}`),
    incoming('{"a":1}', { 'content-type': `text/${key}` }),
    incoming('{"a":1}', {}, 'POST', `https://user:${key}@api.example.com/v1/chat`),
    incoming('{"a":1}', {}, 'POST', `https://api.example.com/v1/chat?key=${key}`),
  ]
  for (const request of requests) {
    const { message } = missOf(replay, request)
    expect(message).toContain('[redacted]')
    expect(message).not.toMatch(/0123456789|a1b2c3d4e5/)
  }
})

test('the nearest exchange is the one of the same address with the fewest differences', () => {
  const replay = createReplay(
    cassetteOf(
      exchange({ url: 'https://api.example.com/v1/other', sent: '{"a":1,"b":2}' }),
      exchange({ sent: '{"a":5,"b":6}' }),
      exchange({ sent: '{"a":1,"b":6}' }),
    ),
  )
  expect(missOf(replay, incoming('{"a":1,"b":2}')).location).toBe('exchange 3 of 3')
})

test('long values are shown where they begin to differ, and many differences are counted', () => {
  const text = 'word '.repeat(200)
  const replay = createReplay(cassetteOf(exchange({ sent: JSON.stringify({ text: `${text}end` }) })))
  expect(missOf(replay, incoming(JSON.stringify({ text: `${text}END` }))).message).toMatch(
    /…[^\n]*end" \/ got …[^\n]*END"/,
  )
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key${index}`, index]))
  expect(missOf(replay, incoming(JSON.stringify(many))).message).toContain('and 19 more differences')
})

test('bodies that are not JSON match by their bytes', () => {
  const replay = createReplay(cassetteOf(exchange({ sent: new Uint8Array([255, 0]), chunks: ['x'] })))
  missOf(replay, { ...incoming(''), body: new Uint8Array([254, 0]) })
  expect(answers(replay, { ...incoming(''), body: new Uint8Array([255, 0]) })).toBe('x')
})

test('a body nested deeper than the stack still matches', () => {
  const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  const replay = createReplay(cassetteOf(exchange({ sent: deep, chunks: ['x'] })))
  expect(answers(replay, incoming(deep))).toBe('x')
})

test('credentials in the query are matched by their presence', () => {
  const replay = createReplay(cassetteOf(exchange({ url: `${url}?key=[redacted]`, sent: '{}', chunks: ['x'] })))
  expect(missOf(replay, incoming('{}')).message).not.toContain('any-value')
  expect(answers(replay, incoming('{}', {}, 'POST', `${url}?key=any-value`))).toBe('x')
})

test('what is left over is named, and a swallowed miss comes first', () => {
  const replay = createReplay(cassetteOf(exchange({ sent: '{"a":1}' }), exchange({ sent: '{"a":2}' })))
  replay.take(incoming('{"a":1}'))
  expect(replay.unconsumed()).toHaveLength(1)
  expect(() => replay.assertConsumed()).toThrow(
    expect.objectContaining({ code: 'unconsumed', location: 'exchange 2 of 2' }),
  )
  const error = missOf(replay, incoming('{"a":3}'))
  expect(replay.misses()).toEqual([error])
  expect(() => replay.assertConsumed()).toThrow(error)
})

test.each([0, -1, Number.NaN])('a timing of %d is refused', (timing) => {
  expect(() => createReplay(cassetteOf(), { timing })).toThrow(expect.objectContaining({ code: 'schema' }))
})
