import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytes } from '../testing.ts'
import { jsonBodyText, jsonTokens, printJson } from './json-text.ts'

test('numbers and escapes stay as they were written', () => {
  const text = '{"a":1.0,"b":1e400,"c":12345678901234567890,"d":"\\u00e9\\/","a":-0}'
  const printed = printJson(text)
  expect(printed.replaceAll(/\s/g, '')).toBe(text)
})

test('small arrays and objects stay on one line and the outermost never does', () => {
  const text = '{"model":"m","messages":[{"role":"user","content":"Weather?"}],"tools":[],"options":{}}'
  expect(printJson(text)).toBe(
    '{\n  "model": "m",\n  "messages": [{ "role": "user", "content": "Weather?" }],\n  "tools": [],\n  "options": {}\n}',
  )
})

test('long arrays and objects are broken', () => {
  const long = 'x'.repeat(60)
  expect(printJson(JSON.stringify({ list: [{ long, also: long }] }))).toBe(
    `{\n  "list": [\n    {\n      "long": "${long}",\n      "also": "${long}"\n    }\n  ]\n}`,
  )
})

test('printing keeps the value, adds no trailing blanks, and is its own fixed point', () => {
  fc.assert(
    fc.property(fc.json(), fc.integer({ min: 0, max: 3 }), (json, indentation) => {
      const text = JSON.stringify([JSON.parse(json)], undefined, indentation)
      const printed = printJson(text)
      expect(JSON.stringify(JSON.parse(printed))).toBe(JSON.stringify(JSON.parse(text)))
      expect(printed).not.toMatch(/[ \t]$/m)
      expect(printJson(printed)).toBe(printed)
    }),
  )
})

test('no line of small parts is wider than a hundred columns', () => {
  const row = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`key${index}`, 'value']))
  const lines = printJson(JSON.stringify({ rows: [row, { row }, [[row]]] })).split('\n')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
})

test('a string of megabytes and a nesting of thousands are no trouble', () => {
  const image = 'A\\"'.repeat(300_000)
  expect(jsonTokens(`{"image":"${image}"}`)).toHaveLength(5)
  const nested = `${'['.repeat(5000)}${']'.repeat(5000)}`
  expect(printJson(nested).replaceAll(/\s/g, '')).toBe(nested)
})

test.each([
  ['{"a":1}', true],
  [' \r\n[1]', true],
  ['"text"', false],
  ['12', false],
  ['{"a":}', false],
  ['\ufeff{}', false],
  ['', false],
])('%j is a JSON body: %s', (text, is) => {
  expect(jsonBodyText(bytes(text)) !== undefined).toBe(is)
})
