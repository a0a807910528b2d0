import { expect, test } from 'vitest'
import { closed } from './unfinished-json.ts'

test.each([
  ['{"city":"Zür', '{"city":"Zür"}'],
  ['{"list":[1,{"a":"\\"', '{"list":[1,{"a":"\\""}]}'],
  ['{"a":{"b":2}', '{"a":{"b":2}}'],
  ['{}', '{}'],
])('%s is closed as %s', (text, expected) => {
  expect(closed(text)).toBe(expected)
})
