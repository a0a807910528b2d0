import { expect, test } from 'vitest'
import { parseToolInput } from './tool-input.ts'

test.each(['', '  ', 'null', '"null"', '{}'])('%j means no arguments', (text) => {
  expect(parseToolInput(text)).toEqual({ input: {} })
})

test('a JSON object is the input', () => {
  expect(parseToolInput(' {"a":[1]} ')).toEqual({ input: { a: [1] } })
})

test.each(['[1]', '"text"', '3', 'true'])('%s is no object and therefore unparsable', (text) => {
  expect(parseToolInput(text)).toEqual({ input: JSON.parse(text), invalid: 'unparsable' })
})

test('what does not parse is truncated when the turn was cut', () => {
  expect(parseToolInput('{"a":', true)).toStrictEqual({ input: undefined, invalid: 'truncated' })
  expect(parseToolInput('', true)).toStrictEqual({ input: undefined, invalid: 'truncated' })
  expect(parseToolInput('{"a":1}', true)).toEqual({ input: { a: 1 } })
})

test.each([
  ['1', 1000, undefined],
  ['null', 1000, undefined],
  ['1', 1001, 'unparsable'],
])('what is nested over 1000 deep is unparsable: %s, %d deep', (inner, levels, invalid) => {
  const text = '{"a":'.repeat(levels) + inner + '}'.repeat(levels)
  const input: unknown = invalid === undefined ? JSON.parse(text) : undefined
  expect(parseToolInput(text)).toStrictEqual(invalid === undefined ? { input } : { input, invalid })
})
