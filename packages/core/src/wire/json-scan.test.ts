import { expect, test } from 'vitest'
import { createJsonScan } from './json-scan.ts'

/** The verdict after each piece. */
function verdicts(...pieces: readonly string[]): readonly boolean[] {
  const scan = createJsonScan()
  return pieces.map((piece) => {
    scan.push(piece)
    return scan.isWhole()
  })
}

test('an object is whole with its last brace, and stays so with blanks behind it', () => {
  expect(verdicts(' {"a":', '[1,{"b":2}', ']', '}', '\n ')).toEqual([false, false, false, true, true])
})

test('braces in texts, and quotes behind a backslash, end nothing, wherever the pieces are cut', () => {
  expect(verdicts('{"a":"}', '\\', '"}', '\\\\', '"', '}')).toEqual([false, false, false, false, false, true])
})

test('nothing, blanks, other values, two objects and what is no JSON are no whole object', () => {
  for (const text of ['', ' \n', '1', '"{}"', '[{}]', '}', '{}{}', '{} x', '{a}', '{"a":1]']) {
    expect(verdicts(text)).toEqual([false])
  }
})

test('pieces that nobody asked about count', () => {
  const scan = createJsonScan()
  for (const piece of ['{"a"', ':', '{}}']) scan.push(piece)
  expect(scan.isWhole()).toBe(true)
})

test('what came behind an object is not forgotten', () => {
  expect(verdicts('{}', '{', '}')).toEqual([true, false, false])
})
