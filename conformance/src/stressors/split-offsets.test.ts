import { expect, test } from 'vitest'
import { around, seededSizes, splitOffsets } from './split-offsets.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('a body within the budget is cut at every byte', () => {
  expect(splitOffsets(bytes('abcde'), 100)).toEqual([1, 2, 3, 4])
  expect(splitOffsets(bytes(''), 100)).toEqual([])
})

test('a body that does not fit is cut next to line ends, inside characters, and at seeded places', () => {
  const text = `${'a'.repeat(5000)}\r\n\n${'b'.repeat(5000)}東${'c'.repeat(5000)}`
  const offsets = splitOffsets(bytes(text), 1000)
  for (const needed of [4999, 5000, 5001, 5002, 5003, 10_004, 10_005]) expect(offsets).toContain(needed)
  expect(offsets.length).toBeGreaterThan(200)
  expect(offsets.length).toBeLessThan(300)
  expect(splitOffsets(bytes(text), 1000)).toEqual(offsets)
})

test('when the budget is spent it is cut at a few of these places, spread over the body', () => {
  const text = bytes(`${'a'.repeat(5000)}\n${'b'.repeat(5000)}東${'c'.repeat(5000)}`)
  const few = splitOffsets(text, 0)
  const all = new Set(splitOffsets(text, 1000))
  expect(few).toHaveLength(16)
  expect(few.every((offset) => all.has(offset))).toBe(true)
  expect(Math.max(...few) - Math.min(...few)).toBeGreaterThan(10_000)
})

test('bodies above 8 kB are never cut everywhere', () => {
  expect(splitOffsets(bytes('a'.repeat(9000)), Number.POSITIVE_INFINITY).length).toBeLessThan(300)
})

test('seeded sizes add up, repeat by seed, and differ between seeds', () => {
  const sizes = seededSizes(10_000, 1)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_000)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(200)
  expect(seededSizes(10_000, 1)).toEqual(sizes)
  expect(seededSizes(10_000, 2)).not.toEqual(sizes)
})

test('the place of a cut is shown as text, bytes beyond ASCII by number', () => {
  expect(around(bytes('data: Zürich\n\n'), 8)).toBe('…data: Z\\xc3|\\xbcrich\\x0a\\x0a…')
})
