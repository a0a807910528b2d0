import { expect, test } from 'vitest'
import { CassetteError, type CassetteErrorCode } from '../errors.ts'
import { bytes, cassetteOf, exchange, textOf } from '../testing.ts'
import { parseCassette } from './parse-cassette.ts'
import { printCassette } from './print-cassette.ts'

const sample = printCassette(
  cassetteOf(
    exchange({
      sent: '{"messages":[{"role":"user","content":"Zürich?"}]}',
      chunks: ['event: a\ndata: {"n":1}\n\n', 'data: 2\n\n'],
    }),
    exchange({ sent: '', method: 'GET', chunks: [new Uint8Array([0, 255, 10])], ending: 'reset' }),
  ),
)

function failure(text: string): CassetteError {
  try {
    parseCassette(text, 'folder/sample.yaml')
  } catch (error) {
    if (CassetteError.isInstance(error)) return error
    throw error
  }
  throw new Error('The cassette was accepted.')
}

test('every byte of a cassette matters: no flipped bit is accepted', () => {
  const whole = bytes(sample)
  for (let index = 0; index < whole.length; index += 1) {
    const flipped = whole.slice()
    flipped[index] = (flipped[index] ?? 0) ^ (1 << (index % 8))
    expect(failure(textOf(flipped)).file).toBe('folder/sample.yaml')
  }
})

test('a cassette that is cut anywhere is refused', () => {
  const whole = bytes(sample)
  for (let length = 0; length < whole.length; length += 1)
    expect(['truncated', 'syntax']).toContain(failure(textOf(whole.subarray(0, length))).code)
})

const edits: readonly [title: string, edit: (text: string) => string, code: CassetteErrorCode, says: RegExp][] = [
  ['is empty', () => '', 'syntax', /cassette: 1/],
  ['is something else', () => '{"a":1}', 'syntax', /no cassette/],
  ['comes from a newer release', (text) => text.replace('cassette: 1', 'cassette: 2'), 'version', /Update/],
  ['was cut', (text) => text.slice(0, -40), 'truncated', /end is missing/],
  ['has a key twice', (text) => text.replace('mode:', 'scenario:'), 'duplicate-key', /line 3/],
  [
    'has an unknown key',
    (text) => text.replace('  ending:', '  colour: "red"\n  ending:'),
    'schema',
    /line \d+, exchange 1.*"response.colour"/,
  ],
  ['lacks a key', (text) => text.replace('provider: "example"\n', ''), 'schema', /header.*provider/],
  ['has a strange ending', (text) => text.replace('"eof"', '"end"'), 'schema', /response.ending/],
  ['has two bodies', (text) => text.replace('  text: |2+', '  base64: ""\n  text: |2+'), 'schema', /exactly one/],
  ['has an edited response', (text) => text.replace('{"n":1}', '{"n":2}'), 'hash', /the response of exchange 1/],
  ['has an edited request', (text) => text.replace('Zürich', 'Paris?'), 'hash', /the request of exchange 1/],
  ['has an edited header', (text) => text.replace('"example-1"', '"example-2"'), 'hash', /header/],
  ['has chunks that do not add up', (text) => text.replace(/chunks: "0\+\d+/, 'chunks: "0+9'), 'schema', /add up to/],
  ['has CR LF line ends', (text) => text.replaceAll('\n', '\r\n'), 'syntax', /cassette/],
  ['has one CR', (text) => text.replace('"sample"', '"sample"\r'), 'syntax', /gitattributes/],
  ['starts with a BOM', (text) => `\ufeff${text}`, 'syntax', /BOM/],
  ['is not YAML', (text) => text.replace('origin:', 'origin: ]'), 'syntax', /line \d+/],
  ['uses an alias', (text) => text.replace('"POST"', '*post'), 'syntax', /alias/],
  ['lacks its hash', (text) => text.replace(/^sha256.*\n/m, ''), 'schema', /sha256/],
]

test.each(edits)('a cassette that %s is refused with its file, the location and the fix', (_, edit, code, says) => {
  const error = failure(edit(sample))
  expect(error.code).toBe(code)
  expect(error.message).toMatch(/^folder\/sample\.yaml/)
  expect(error.message).toMatch(says)
  expect(error.fix).not.toBe('')
})

test('a status of 0 with a body is refused', () => {
  expect(failure(printCassette(cassetteOf(exchange({ status: 0, chunks: ['x'], ending: 'reset' })))).code).toBe(
    'schema',
  )
  expect(failure(printCassette(cassetteOf(exchange({ status: 0, ending: 'eof' })))).code).toBe('schema')
})
