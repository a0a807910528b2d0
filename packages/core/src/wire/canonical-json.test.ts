import { expect, test } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

test('the order of keys does not matter, that of items does', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}')
  expect(canonicalJson([2, 1])).toBe('[2,1]')
  expect(canonicalJson({ a: [{ d: 1, c: 2 }], b: null })).toBe('{"a":[{"c":2,"d":1}],"b":null}')
  expect(canonicalJson(undefined)).toBe('null')
})

/** `inner` in as many objects and lists. */
function nested(levels: number, inner: unknown): unknown {
  let value = inner
  for (let level = 0; level < levels; level++)
    value = level % 2 === 0 ? [1, value, 'x'] : { b: value, a: undefined, "'": 2 }
  return value
}

test('what is nested more deeply than the stack is deep has its text, too', () => {
  const one = canonicalJson(nested(100_000, { y: 1, x: [] }))
  expect(one).toBe(canonicalJson(nested(100_000, { x: [], y: 1 })))
  expect(one).not.toBe(canonicalJson(nested(100_000, { x: [], y: 2 })))
})

test('the canonical text is JSON, with all that it says', () => {
  // Deep enough for the way without recursion, and not too deep for a comparison.
  const value = nested(1200, { y: 1, x: [null, undefined, 'é"'] })
  const text = canonicalJson(value)
  expect(canonicalJson(JSON.parse(text))).toBe(text)
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
})
