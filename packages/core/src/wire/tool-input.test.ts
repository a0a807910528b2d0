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
  expect(parseToolInput('{"a":', true)).toEqual({ input: undefined, invalid: 'truncated' })
  expect(parseToolInput('', true)).toEqual({ input: undefined, invalid: 'truncated' })
  expect(parseToolInput('{"a":1}', true)).toEqual({ input: { a: 1 } })
})

test.each([
  [1000, undefined],
  [1001, 'unparsable'],
])('what is nested over 1000 deep is unparsable: %d', (levels, invalid) => {
  const text = '{"a":'.repeat(levels) + '1' + '}'.repeat(levels)
  expect(parseToolInput(text).invalid).toBe(invalid)
})
