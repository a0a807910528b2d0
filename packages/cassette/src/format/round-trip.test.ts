import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { bytes, cassetteOf, exchange, textOf } from '../testing.ts'
import { parseCassette } from './parse-cassette.ts'
import { printCassette } from './print-cassette.ts'

const yamlWords = [
  '---',
  '...',
  'key: value',
  '- item',
  '#',
  '|2+',
  '"',
  "'",
  '\\',
  '%YAML',
  '&a',
  '*a',
  '{}',
  '[',
  '~',
  '!!str',
]
const lineEnds = ['\n', '\r\n', '\r', ' ', '  ', '\t', '\u0085', '\u2028', '\u2029']
const unprintable = ['\u0000', '\u0007', '\u001b', '\u007f', '\u00a0', '\ufeff', '\ufffe', '\uffff']
const ordinary = ['東京', '🙂', 'e\u0301', 'data: {"a":1}\n\n', 'text: |2-', 'sha256: ', '0', 'null']
const hostileText = fc
  .array(fc.constantFrom(...yamlWords, ...lineEnds, ...unprintable, ...ordinary), { maxLength: 12 })
  .map((parts) => bytes(parts.join('')))
const hostileBody = fc.oneof(hostileText, fc.uint8Array({ maxLength: 40 }), fc.string({ unit: 'binary' }).map(bytes))
const runs = { numRuns: 1500 }

const answer = (body: Uint8Array) => exchange({ sent: 'plain', chunks: [body] })

test('every response body survives printing and parsing byte for byte', () => {
  fc.assert(
    fc.property(hostileBody, (body) => {
      const back = parseCassette(printCassette(cassetteOf(answer(body))), 'sample.yaml')
      expect(back.exchanges[0]?.response.body).toEqual(body)
    }),
    runs,
  )
})

test('every request body that is not a JSON object or array survives byte for byte', () => {
  fc.assert(
    fc.property(hostileBody, (body) => {
      fc.pre(!/^\s*[[{]/.test(textOf(body)))
      const back = parseCassette(printCassette(cassetteOf(exchange({ sent: body }))), 'sample.yaml')
      expect(back.exchanges[0]?.request.body).toEqual(body)
    }),
    runs,
  )
})

test('header values, URLs and header names of any spelling survive', () => {
  const name = fc.constantFrom('null', 'true', 'y', '~', '1', '-', '&x', "x'y", 'constructor', 'x-plain')
  fc.assert(
    fc.property(fc.dictionary(name, fc.string({ unit: 'binary' })), (headers) => {
      const printed = printCassette(cassetteOf(exchange({ headers: Object.fromEntries(Object.entries(headers)) })))
      const back = parseCassette(printed, 'sample.yaml').exchanges[0]?.response.headers ?? {}
      expect(Object.keys(back)).toHaveLength(Object.keys(headers).length)
      expect(Object.entries(back)).toEqual(expect.arrayContaining(Object.entries(headers)))
    }),
  )
})

test('printing what was parsed gives the same text', () => {
  fc.assert(
    fc.property(hostileBody, fc.jsonValue(), (body, json) => {
      const cassette = cassetteOf(exchange({ sent: JSON.stringify({ json }), chunks: [body] }), answer(body))
      const printed = printCassette(cassette)
      expect(printCassette(parseCassette(printed, 'sample.yaml'))).toBe(printed)
    }),
  )
})

test('a plain YAML reader sees the same text as the cassette reader', () => {
  const cassette = cassetteOf(
    exchange({ sent: '{"a":[1,2]}', chunks: ['data: x\n\n', 'data: y\n\n'] }),
    answer(bytes('a\r\nb\r\n')),
  )
  const documents = parseAllDocuments(printCassette(cassette)).map((document): unknown => document.toJS())
  expect(documents[0]).toMatchObject({ cassette: 1, scenario: 'sample', origin: { kind: 'derived' } })
  expect(documents[1]).toMatchObject({
    request: { text: '{\n  "a": [1, 2]\n}' },
    response: { text: 'data: x\n\ndata: y\n\n' },
  })
  expect(documents[1]).toMatchObject({ response: { chunks: '0+9 0+9', ending: 'eof', status: 200 } })
  expect(documents[2]).toMatchObject({ response: { crlf: 'a\nb\n' } })
})

test.each([
  ['', 'text: ""'],
  ['a', 'text: |2-'],
  ['a\n', 'text: |2+'],
  ['a\r\nb', 'crlf: |2-'],
  ['a\r\n', 'crlf: |2+'],
  ['a\r\nb\n', 'base64: |2-'],
  ['a\rb', 'base64: |2-'],
  [' \n ', 'base64: |2-'],
  ['a\n ', 'base64: |2-'],
  ['\ufeffa', 'base64: |2-'],
  ['a\u0000', 'base64: |2-'],
  ['\ta\n', 'text: |2+'],
])('the body %j stands under %s', (body, key) => {
  const response = printCassette(cassetteOf(answer(bytes(body)))).split('\nresponse:\n')[1]
  expect(response).toContain(`  ${key}\n`)
})

test('names of headers are sorted and strings are double-quoted', () => {
  const printed = printCassette(cassetteOf(exchange({ headers: { 'x-b': '2', 'content-type': 'text/plain' } })))
  expect(printed).toContain('  headers:\n    content-type: "text/plain"\n    x-b: "2"\n')
})

test('optional facts of the header survive', () => {
  const cassette = cassetteOf()
  const origin = { ...cassette.header.origin, host: 'h:1', source: 's', licence: 'MIT', guessed: 'chunks' }
  const header = { ...cassette.header, mask: ['metadata.user_id', 'messages.*.name'], origin }
  expect(parseCassette(printCassette({ header, exchanges: [] }), 'sample.yaml').header).toEqual(header)
})
