import { expect, test } from 'vitest'
import { printCassette } from '../format/print-cassette.ts'
import { bytes, cassetteOf, exchange } from '../testing.ts'
import { scanText } from './scan-text.ts'

// Put together here, so that no scanner of repositories takes this file for a leak.
const key = ['gsk', 'a1b2c3d4e5f6a7b8c9d0e1f2'].join('_')
const env = {}

test('each line with a secret is named, and the value is not', () => {
  const found = scanText(bytes(`fine\nkey = ${key}\nfine\nagain ${key}`), { env })
  expect(found).toEqual([
    { rule: 'groq-key', location: 'line 2' },
    { rule: 'groq-key', location: 'line 4' },
  ])
})

test('a text without secrets gives nothing', () => {
  expect(scanText(bytes('call_abc123 user@example.com user@2x.png'), { env })).toEqual([])
})

test('a secret that a stream delivers in pieces is found by its path', () => {
  const pieces = [key.slice(0, 9), key.slice(9, 20), key.slice(20)]
  const text = pieces.map((piece) => `data: ${JSON.stringify({ delta: { text: piece } })}\n\n`).join('')
  expect(scanText(bytes(text), { env })).toEqual([{ rule: 'groq-key', location: 'delta.text' }])
})

test('a cassette is searched as one', () => {
  const text = printCassette(cassetteOf(exchange({ sent: JSON.stringify({ a: { b: key } }) })))
  expect(scanText(bytes(text), { env })).toEqual([{ rule: 'groq-key', location: 'request body of exchange 1, a.b' }])
})

test('a broken cassette is searched as text', () => {
  const text = printCassette(cassetteOf(exchange({ sent: JSON.stringify({ a: key }) }))).replace('...\n', '')
  expect(scanText(bytes(text), { env })).toMatchObject([
    { rule: 'groq-key', location: expect.stringMatching(/^line \d+$/) },
  ])
})

test('values of variables and the name of the file are searched too', () => {
  const given = { SOME_TOKEN: 'correct horse battery' }
  expect(scanText(bytes('a\nb correct horse battery'), { env: given })).toEqual([
    { rule: 'environment:SOME_TOKEN', location: 'line 2' },
  ])
  expect(scanText(bytes(''), { env, fileName: `${key}.txt` })).toEqual([{ rule: 'groq-key', location: 'file name' }])
})

test('bytes that are no text are searched all the same', () => {
  expect(scanText(new Uint8Array([255, 0, 10, ...bytes(key)]), { env })).toEqual([
    { rule: 'groq-key', location: 'line 2' },
  ])
})
