import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPartialJson } from './partial-json.ts'

function afterEach(pieces: readonly string[]): readonly unknown[] {
  const json = createPartialJson()
  return pieces.map((piece) => {
    json.push(piece)
    return json.value()
  })
}

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.constantFrom(true, false, null),
    tie('object'),
    fc.array(tie('any'), { maxLength: 4 }),
  ),
  object: fc.dictionary(
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'constructor', '')),
    tie('any'),
    { maxKeys: 4 },
  ),
})).object

/** Nothing is there that the whole does not have: texts are its beginnings, lists and members those that came first. */
function isBeginningOf(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part)
  if (Array.isArray(part)) return Array.isArray(whole) && part.every((item, index) => isBeginningOf(item, whole[index]))
  if (typeof part !== 'object' || part === null) return Object.is(part, whole)
  const entries = new Map(Object.entries(whole ?? {}))
  return Object.entries(part).every(([key, item]) => entries.has(key) && isBeginningOf(item, entries.get(key)))
}

test('members of what is closed can be written to, and deleted, as those of JSON.parse', () => {
  const text = '{"a":{"b":1},"c":2'
  const [part] = afterEach([text])
  expect(Object.getOwnPropertyDescriptors(Object(part).a)).toEqual(Object.getOwnPropertyDescriptors({ b: 1 }))
})

test('an object is shown as long as it is nested no more than 1000 deep', () => {
  const lists = '['.repeat(999)
  const [shown, deeper] = afterEach([`{"a":${lists}`, '['])
  expect(JSON.stringify(shown)).toBe(`{"a":${lists}${']'.repeat(999)}}`)
  expect(deeper).toBeUndefined()
})

test('property: in any pieces the end is what JSON.parse gives, and all before it are beginnings of it', () => {
  fc.assert(
    fc.property(
      value,
      fc.boolean(),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (object, indented, sizes) => {
        const text = JSON.stringify(object, null, indented ? 2 : 0)
        const whole: unknown = JSON.parse(text)
        const pieces: string[] = []
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1
          pieces.push(text.slice(at, at + size))
          at += size
        }
        const shown = afterEach(pieces)
        expect(shown.at(-1)).toEqual(whole)
        expect(shown.every((part) => part === undefined || isBeginningOf(part, whole))).toBe(true)
      },
    ),
    { numRuns: 500 },
  )
})
