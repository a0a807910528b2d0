import { expect, test } from 'vitest'
import { arrayOf, malformed, numberOf, objectOf, setMember } from './json.ts'

test.each([
  ['{"a', 'malformed-response'],
  ['', 'empty-response'],
  [' \n', 'empty-response'],
])('an error about %j is %s, with what was received and why', (received, code) => {
  const cause = new Error('cut')
  const error = malformed({ provider: 'p', model: 'm' }, 'this is no answer', received, cause)
  expect(error).toMatchObject({ provider: 'p', model: 'm', code, excerpt: received, cause })
  expect(error.message).toContain('this is no answer')
})

test.each([{}, 'text', 1, null, undefined])(
  'what is no list is taken for an empty one, which nobody can fill: %j',
  (value) => {
    expect(arrayOf(value)).toEqual([])
    expect(Object.isFrozen(arrayOf(value))).toBe(true)
  },
)

test.each([[], 'text', 1, null, undefined])('what is no object is taken for one without members: %j', (value) => {
  expect(objectOf(value)).toEqual({})
  expect(Object.isFrozen(objectOf(value))).toBe(true)
})

test.each([
  [0, 0],
  [-1.5, -1.5],
  [Infinity, undefined],
  [Number.NaN, undefined],
  ['1', undefined],
])('a number is finite: %s is %s', (value, number) => {
  expect(numberOf(value)).toBe(number)
})

test('a member named __proto__ is one like any other', () => {
  const made: Record<string, unknown> = {}
  setMember(made, '__proto__', 1)
  expect(Object.getOwnPropertyDescriptor(made, '__proto__')).toEqual(Object.getOwnPropertyDescriptor({ a: 1 }, 'a'))
})
