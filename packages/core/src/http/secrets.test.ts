import { expect, test } from 'vitest'
import { looksLikeKey, secretsIn, valuesOf } from './secrets.ts'

const key = 'AbCdEf0123456789xy'

test.each<[string, readonly string[], readonly string[]]>([
  ['Bearer some-key', ['Bearer some-key', 'some-key'], ['Bearer']],
  [`Digest of me, ${key}`, [key], ['Digest', 'of', 'me']],
  ['theme=dark; session=abcdef', ['dark', 'abcdef'], ['theme', 'session']],
  ['one two; three', ['two; three'], ['three']],
  [`Basic ${btoa('name:password1')}`, ['name:password1', 'password1'], ['name']],
  [`Basic ${btoa(':password1')}`, ['password1'], []],
  [`Basic ${btoa('password1')}`, ['password1'], []],
  ['Basic ?', ['Basic ?', '?'], []],
  [`Bearer ${btoa('name:password1')}`, [btoa('name:password1')], ['password1']],
])('of the header %s the credentials are secret, and no more', (value, secret, plain) => {
  expect(valuesOf(value)).toEqual(expect.arrayContaining([...secret]))
  expect(valuesOf(value).filter((text) => plain.includes(text))).toEqual([])
})

test.each<[string, readonly string[], readonly string[]]>([
  ['https://name:p%40ss@a.example/v1', ['name', 'p%40ss', 'p@ss'], ['v1']],
  ['https://50%:pass@a.example/v1', ['50%', 'pass'], []],
  [`https://a.example/${key}/v1`, [key], ['v1']],
  ['https://a.example/v1?api_key=abc=d&q=my-token', ['abc=d'], ['my-token', 'abc']],
  [`https://a.example/v1?call_id=${key}`, [], [key]],
  ['a.example', [], ['a.example']],
])('of the address %s the credentials are secret, and no more', (baseURL, secret, plain) => {
  const found = secretsIn({ baseURL })
  expect(found).toEqual(expect.arrayContaining([...secret]))
  expect(found.filter((text) => typeof text !== 'string' || plain.includes(text))).toEqual([])
})

test('what is under the name of a secret, or looks like a key, is secret in whatever is sent', () => {
  const data = [null, { a: null, tool: { token: ['short1'], id: 'plain1' }, list: [key] }, 7]
  expect(secretsIn({ data })).toEqual(expect.arrayContaining(['short1', key]))
  expect(secretsIn({ data })).not.toContain('plain1')
})

test('secrets are looked for in 21 objects inside each other, so that a cycle comes to an end', () => {
  const nested = (levels: number): unknown => (levels === 0 ? key : { inner: nested(levels - 1) })
  expect(secretsIn({ data: [nested(21)] })).toContain(key)
  expect(secretsIn({ data: [nested(22)] })).not.toContain(key)
  const cycle: Record<string, unknown> = {}
  cycle['inner'] = cycle
  expect(secretsIn({ data: [cycle] }).join('')).toBe('')
})

test('a text of 10 000 characters is no key', () => {
  expect(looksLikeKey('a1'.repeat(5000).slice(1))).toBe(true)
  expect(looksLikeKey('a1'.repeat(5000))).toBe(false)
})
