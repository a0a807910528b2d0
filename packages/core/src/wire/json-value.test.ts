import { expect, test } from 'vitest'
import { describe, toJsonValue } from './json-value.ts'

test('what throws when it is read is marked instead of failing the call', () => {
  const hostile = {
    get field(): string {
      throw new Error('no')
    },
  }
  expect(toJsonValue({ hostile })).toEqual({ hostile: '[unreadable: no]' })
})

test('the copy does not change when the tool changes its value later', () => {
  const value = { list: [1] }
  const copy = toJsonValue(value)
  value.list.push(2)
  expect(copy).toEqual({ list: [1] })
})

test('a field named __proto__ stays a field', () => {
  for (const text of ['{"__proto__":{"polluted":true}}', '{"__proto__":2}', '{"a":1,"__proto__":2}'])
    expect(JSON.stringify(toJsonValue(JSON.parse(text)))).toBe(text)
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
})

test('bytes of any number are recognised by their text', () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251)
  expect(toJsonValue(bytes)).toBe(Buffer.from(bytes).toString('base64'))
})

test('members that are undefined, and functions, are left out, others are scalars as they are', () => {
  const scalars = { a: 'b', c: true, d: 1, e: null }
  expect(toJsonValue({ ...scalars, f: undefined, g: () => 1 })).toStrictEqual(scalars)
  expect([Number.NaN, undefined, 1n, Symbol('a')].map((value) => toJsonValue({ value }))).toStrictEqual([
    { value: null },
    {},
    { value: '1' },
    {},
  ])
  expect([null, undefined, 'a', 1].map((value) => toJsonValue(value))).toStrictEqual([null, null, 'a', 1])
})

test('the same object twice side by side is no cycle', () => {
  const shared = { a: 1 }
  expect(toJsonValue([shared, shared])).toEqual([{ a: 1 }, { a: 1 }])
})

test('what is nested too deep for JSON is cut off', () => {
  let value: unknown = 1
  for (let depth = 0; depth < 20_000; depth++) value = [value]
  const text = JSON.stringify(toJsonValue(value))
  expect(text).toBe(`${'['.repeat(1000)}"[too deep]"${']'.repeat(1000)}`)
})

test('what comes after a million objects is cut off, since getters can make new ones for ever', () => {
  const most = Array.from({ length: 999_999 }, () => [])
  expect(toJsonValue({ most: most.slice(1) })).toMatchObject({ most: { length: 999_998, 999_997: [] } })
  expect(toJsonValue({ most })).toMatchObject({ most: { length: 999_999, 999_997: [], 999_998: '[too large]' } })
  expect(describe({ most })).toEqual({ lost: 'more than 1000000 objects' })
})

test('a list that has more to it than its items is not said in full', () => {
  expect(describe([1])).toEqual({ json: [1] })
  expect(describe(Object.defineProperty([1], 'at', { value: 1 }))).toEqual({ lost: 'hidden members' })
})
