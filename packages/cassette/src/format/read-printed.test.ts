import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { bytes, cassetteOf, exchange } from '../testing.ts'
import { printCassette } from './print-cassette.ts'
import { readPrinted } from './read-printed.ts'

function byLibrary(text: string): unknown[] | undefined {
  const documents = parseAllDocuments(text, { logLevel: 'error' })
  if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return undefined
  try {
    return documents.map((document): unknown => document.toJS())
  } catch {
    return undefined
  }
}

const words = [
  '\n',
  '\n\n',
  ' ',
  '  ',
  '    ',
  '\t',
  '---',
  '...',
  'a',
  ': ',
  '"',
  "'",
  '|2-',
  '#',
  '- ',
  '\u2028',
  '\u0085',
  '東',
  '\r\n',
]
const text = fc.array(fc.constantFrom(...words), { maxLength: 10 }).map((parts) => parts.join(''))
const cassette = fc
  .record({
    sent: fc.oneof(fc.json(), text),
    body: fc.oneof(text.map(bytes), fc.uint8Array()),
    value: text,
    name: fc.constantFrom('a', 'null', 'x_y', '1'),
  })
  .map(({ sent, body, value, name }) =>
    cassetteOf(exchange({ sent, chunks: [body], headers: { [name]: value } }), exchange({ headers: {} })),
  )

test('everything that is printed is read, with the same values as a YAML library gives', () => {
  fc.assert(
    fc.property(cassette, (printed) => {
      const yaml = printCassette(printed)
      const read = readPrinted(yaml)
      expect(read).toBeDefined()
      expect(read).toEqual(byLibrary(yaml))
    }),
    { numRuns: 600 },
  )
})

const splices = [
  ...words,
  '|2+',
  '{}',
  '&a ',
  '*a',
  '!!str ',
  '~',
  '1e5',
  '0x1',
  'true',
  '"\\x41"',
  '>',
  '? ',
  'key: "v"\n',
  '  key: 1\n',
  '   \n',
]

test('what is read after any edit is what a YAML library reads, or nothing', () => {
  const sample = printCassette(
    cassetteOf(exchange({ sent: '{"a":[1]}', chunks: ['data: x\n\n', 'y'] }), exchange({ chunks: ['z\n\n'] })),
  )
  let read = 0
  fc.assert(
    fc.property(fc.nat(sample.length), fc.nat(3), fc.constantFrom(...splices, ''), (at, remove, insert) => {
      const edited = sample.slice(0, at) + insert + sample.slice(at + remove)
      const mine = readPrinted(edited)
      if (mine !== undefined) read += 1
      expect([undefined, byLibrary(edited)]).toContainEqual(mine)
    }),
    { numRuns: 1500 },
  )
  // Otherwise the property would hold for a reader that refuses everything.
  expect(read).toBeGreaterThan(100)
})
