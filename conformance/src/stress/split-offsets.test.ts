import { expect, test } from 'vitest'
import { around, cutAt, cutSets, fineSizes, seededSizes, splitOffsets } from './split-offsets.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const long = bytes(`${'a'.repeat(5000)}\r\n\n${'b'.repeat(5000)}東${'c'.repeat(5000)}`)
const delicate = [4999, 5000, 5001, 5002, 5003, 10_004, 10_005]

test('a body of at most 8 kB is cut in two at every byte', () => {
  expect(splitOffsets(bytes('abcde'))).toEqual([1, 2, 3, 4])
  expect(splitOffsets(bytes(''))).toEqual([])
  expect(splitOffsets(bytes('a'.repeat(8192)))).toHaveLength(8191)
})

test('a larger one is cut next to line ends, inside characters, and at seeded offsets', () => {
  const offsets = splitOffsets(long)
  for (const needed of delicate) expect(offsets).toContain(needed)
  expect(offsets.length).toBeGreaterThan(200)
  expect(offsets.length).toBeLessThan(300)
  expect(splitOffsets(long)).toEqual(offsets)
})

test('sets of cuts together are everywhere, each offset in a chunk of its own', () => {
  const text = bytes(`data: Zürich 東京 ${'x'.repeat(250)}\n\n`.repeat(40))
  const sets = cutSets(text, true)
  const offsets = new Set(sets.flat())
  expect(offsets.size).toBe(text.length - 1)
  expect(sets.length).toBeLessThan(80)
  for (const set of sets) expect(set.toSorted((left, right) => left - right)).toEqual(set)
})

test('without the whole sweep they still are where cuts hurt', () => {
  const sets = cutSets(long, false)
  for (const needed of delicate) expect(sets.flat()).toContain(needed)
  expect(sets.flat().length).toBeLessThan(1000)
})

test('where cuts hurt, the cuts of a set lie so far apart that chunks hold whole events', () => {
  const text = bytes('data: {"word":"Zürich"}\n\n'.repeat(100))
  const [first = []] = cutSets(text, false)
  const gaps = first.slice(1).map((offset, index) => offset - (first[index] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(300)
})

test.each(['', 'a', 'ab'])('a body %j too short for a set has what cuts there are', (text) => {
  expect(new Set(cutSets(bytes(text), true).flat()).size).toBe(Math.max(0, text.length - 1))
})

test('pieces between cuts are the whole body', () => {
  expect(cutAt(bytes('abcdef'), [1, 4]).map((piece) => new TextDecoder().decode(piece))).toEqual(['a', 'bcd', 'ef'])
})

test('fine sizes are single bytes where cuts hurt, and add up', () => {
  const sizes = fineSizes(long)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(long.length)
  const ends = new Set<number>()
  let end = 0
  for (const size of sizes) ends.add((end += size))
  for (const needed of [1, 2, 3, ...delicate]) expect(ends).toContain(needed)
  expect(sizes.length).toBeLessThan(long.length / 10)
  expect(fineSizes(bytes('a'))).toEqual([1])
})

test('seeded sizes add up, repeat by seed, and differ between seeds', () => {
  const sizes = seededSizes(10_000, 1)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_000)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(200)
  expect(seededSizes(10_000, 1)).toEqual(sizes)
  expect(seededSizes(10_000, 2)).not.toEqual(sizes)
})

test('the offset of a cut is shown as text, bytes beyond ASCII by number', () => {
  expect(around(bytes('data: Zürich\n\n'), 8)).toBe('…data: Z\\xc3|\\xbcrich\\x0a\\x0a…')
})
