import { expect, test } from 'vitest'
import type { Cassette, Origin } from '../cassette.ts'
import { printCassette } from '../format/print-cassette.ts'
import { bytes, cassetteOf, exchange } from '../testing.ts'
import { inspectCassette, type CassetteBudget } from './cassette-problems.ts'

const today = new Date('2026-11-21T12:00:00Z')

function problemsOf(cassette: Cassette, budget: CassetteBudget = {}): string[] {
  const { problems } = inspectCassette(bytes(printCassette(cassette)), 'a.yaml', { today, env: {}, ...budget })
  return problems.map(({ rule }) => rule)
}

function withOrigin(origin: Partial<Origin>, cassette = cassetteOf(exchange({}))): Cassette {
  const { by, date } = cassette.header.origin
  return { ...cassette, header: { ...cassette.header, origin: { by, date, kind: 'live', ...origin } } }
}

test('a good cassette has no problem and is given back', () => {
  const { cassette, problems } = inspectCassette(bytes(printCassette(cassetteOf(exchange({})))), 'a.yaml', { today })
  expect(problems).toEqual([])
  expect(cassette?.exchanges).toHaveLength(1)
})

test.each([
  ['no cassette', 'hello', 'format'],
  ['a cut file', 'cassette: 1\nscenario: "a"\n', 'format'],
  ['a newer version', 'cassette: 2\n...\n', 'format'],
  ['an edited body', printCassette(cassetteOf(exchange({}))).replace('why?', 'who?'), 'hash'],
])('%s is reported by one rule, without the cassette', (_, text, rule) => {
  const { cassette, problems } = inspectCassette(bytes(text), 'a.yaml')
  expect(cassette).toBeUndefined()
  expect(problems.map((problem) => problem.rule)).toEqual([rule])
})

test('bytes that are no UTF-8 are a problem of the format', () => {
  expect(inspectCassette(new Uint8Array([255]), 'a.yaml').problems).toMatchObject([{ rule: 'format' }])
})

test('a secret is reported by rule and location, not by value', () => {
  const { problems } = inspectCassette(
    bytes(printCassette(cassetteOf(exchange({ sent: '{"to":"zoe@mail.test.ch"}' })))),
    'folder/a.yaml',
    { today },
  )
  expect(problems).toMatchObject([
    { rule: 'secret', message: expect.stringContaining('e-mail in request body of exchange 1, to') },
  ])
  expect(JSON.stringify(problems)).not.toContain('zoe')
})

test('a file over the budget is reported, unless it is imported', () => {
  const large = cassetteOf(exchange({ chunks: ['x'.repeat(70_000)] }))
  expect(problemsOf(large)).toEqual(['size'])
  expect(problemsOf(large, { maxBytes: 80_000 })).toEqual([])
  expect(problemsOf(withOrigin({ kind: 'imported' }, large))).toEqual([])
})

test.each<[string, Partial<Origin>, string[]]>([
  ['live without a host', { kind: 'live' }, ['origin']],
  ['live from another host', { kind: 'live', host: '127.0.0.1:8080' }, ['origin']],
  ['live from its own host', { kind: 'live', host: 'api.example.com' }, []],
  ['local without a host', { kind: 'local' }, ['origin']],
  ['local', { kind: 'local', host: 'localhost:11434' }, []],
  ['derived without a recipe', { kind: 'derived' }, ['origin']],
  ['simulated', { kind: 'simulated' }, []],
])('an origin that is %s gives %j', (_, origin, rules) => {
  expect(problemsOf(withOrigin(origin))).toEqual(rules)
})

test('recordings of real servers grow old, simulated ones do not, and none comes from the future', () => {
  const old = { date: '2026-01-01' }
  expect(problemsOf(withOrigin({ ...old, host: 'api.example.com' }), { maxAge: 100 })).toEqual(['age'])
  expect(problemsOf(withOrigin({ ...old, host: 'api.example.com' }))).toEqual([])
  expect(problemsOf(withOrigin({ ...old, kind: 'simulated' }), { maxAge: 100 })).toEqual([])
  expect(problemsOf(withOrigin({ date: '2027-01-01', kind: 'simulated' }))).toEqual(['age'])
})

test('rewritten requests are reported with the day of the first', () => {
  const one = exchange({})
  const rebased = { ...one, request: { ...one.request, rebased: '2026-11-20' } }
  const { problems } = inspectCassette(bytes(printCassette(cassetteOf(rebased, one))), 'a.yaml', { today })
  expect(problems).toMatchObject([{ rule: 'rebased', message: expect.stringMatching(/1 of 2 requests .* 2026-11-20/) }])
})
