import { createParser } from 'eventsource-parser'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Frame, Framer } from '../contract/wire-format.ts'
import { createNdjsonFramer, createSseFramer } from './framing.ts'

/** The frames of `text`, cut at the given byte positions. */
function frame(framer: Framer, text: string, cuts: readonly number[] = []): (string | undefined)[][] {
  const bytes = new TextEncoder().encode(text)
  const frames: Frame[] = []
  const ends = [...new Set(cuts)].filter((cut) => cut < bytes.length).toSorted((left, right) => left - right)
  let start = 0
  for (const end of [...ends, bytes.length]) {
    framer.push(bytes.subarray(start, end), (each) => frames.push(each))
    start = end
  }
  framer.end((each) => frames.push(each))
  return frames.map(({ event, data }) => [event, data])
}

const sse = (text: string, cuts?: readonly number[]) => frame(createSseFramer(), text, cuts)
const ndjson = (text: string, cuts?: readonly number[]) => frame(createNdjsonFramer(), text, cuts)

test('server-sent events: lines of an event stream may end in LF, CRLF or CR', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    expect(sse(`data: a${end}${end}data: b${end}${end}`)).toEqual([
      [undefined, 'a'],
      [undefined, 'b'],
    ])
  }
})

test('server-sent events may name their type before or after the data, or not at all', () => {
  expect(sse('event: x\ndata: a\n\ndata: b\nevent: y\n\nevent: z\nevent\ndata: c\n\n')).toEqual([
    ['x', 'a'],
    ['y', 'b'],
    [undefined, 'c'],
  ])
})

test(
  'server-sent events are not disturbed by comments, blank events, unknown fields or a BOM',
  { tags: ['E16'] },
  () => {
    const text = '\uFEFF: hello\n\n\n\nretry: 10\nfoo: bar\n\n: PROCESSING\n\ndata: a\n\n'
    expect(sse(text)).toEqual([[undefined, 'a']])
  },
)

test('server-sent events join several data lines with LF', () => {
  expect(sse('data: a\ndata: b\n\n')).toEqual([[undefined, 'a\nb']])
})

test('server-sent events count at the end of the stream without their blank line', { tags: ['E16'] }, () => {
  expect(sse('data: a\n\ndata: b')).toEqual([
    [undefined, 'a'],
    [undefined, 'b'],
  ])
  expect(sse('data: b\n')).toEqual([[undefined, 'b']])
})

test('a stream gives the same frames however its bytes are cut', { tags: ['E16'] }, () => {
  const text = ': hi\r\n\r\nevent: é\r\ndata: Zürich 東京 🌧️\r\n\r\ndata: {"a":1}\n\ndata: [DONE]'
  const lines = '{"a":"Zürich"}\r\n\n{"b":"東京 🌧️"}\n{"c":3}'
  const cuts = fc.array(fc.nat(80), { maxLength: 12 })
  fc.assert(
    fc.property(cuts, (positions) => {
      expect(sse(text, positions)).toEqual(sse(text))
      expect(ndjson(lines, positions)).toEqual(ndjson(lines))
    }),
  )
})

test('a character may be cut behind a byte that ends others', () => {
  const [zeros, at] = ['data: \u3000\n\n', new TextEncoder().encode('data: \u3000').length]
  expect([sse(zeros, [at - 1]), sse(zeros, [at])]).toEqual([[[undefined, '\u3000']], [[undefined, '\u3000']]])
})

test('a chunk without bytes in the middle of a character changes nothing', () => {
  const read = (framer: Framer, text: string): string[] => {
    const bytes = new TextEncoder().encode(text)
    const cut = bytes.indexOf(0xc3) + 1
    const frames: string[] = []
    for (const chunk of [bytes.slice(0, cut), new Uint8Array(0), bytes.slice(cut)])
      framer.push(chunk, ({ data }) => frames.push(data))
    framer.end(({ data }) => frames.push(data))
    return frames
  }
  expect(read(createSseFramer(), 'data: aéb\n\n')).toEqual(['aéb'])
  expect(read(createNdjsonFramer(), '{"a":"é"}\n')).toEqual(['{"a":"é"}'])
})

test('events that come in chunks of their own are read as those that come in one', () => {
  const pieces = [
    'data: a\n\n',
    'data: b\n',
    '\n',
    'event: x\n',
    'data: c\r\n\r\n',
    'data: d\r',
    'data:e\n\n',
    'data: \n\n',
  ]
  const others = [
    ': ping\n\n',
    'data: f\n\n\n',
    '\uFEFF',
    '\uFEFFdata: g\n\n',
    'data: i\rdata: j\n\n',
    'da',
    'ta: h\n\n',
    'id: 1\n',
  ]
  const chunks = fc.array(fc.constantFrom(...pieces, ...others), { maxLength: 12 })
  fc.assert(
    fc.property(chunks, (texts) => {
      const ends = texts.map((_, index) => Buffer.byteLength(texts.slice(0, index + 1).join('')))
      expect(sse(texts.join(''), ends)).toEqual(sse(texts.join('')))
    }),
    { numRuns: 1000 },
  )
  expect(sse('data: a\n\ndata: b\ndata: c\n\n', [9, 18])).toEqual([
    [undefined, 'a'],
    [undefined, 'b\nc'],
  ])
})

test('event streams are read as another parser reads them', () => {
  const pieces = [
    'data',
    'event',
    'id',
    'retry',
    ':',
    ':',
    ' ',
    '\n',
    '\n',
    '\r',
    '\r\n',
    '\uFEFF',
    'é',
    '🌧️',
    'a',
    '{"b":1}',
  ]
  const text = fc.array(fc.constantFrom(...pieces, 'data: ', 'data:x\n\n'), { maxLength: 30 })
  fc.assert(
    fc.property(text, fc.array(fc.nat(100), { maxLength: 8 }), (texts, cuts) => {
      const expected: unknown[] = []
      const parser = createParser({ onEvent: ({ event, data }) => expected.push([event, data]) })
      parser.feed(`${texts.join('')}\n\n`)
      expect(sse(texts.join(''), cuts)).toEqual(expected)
    }),
    { numRuns: 3000 },
  )
})

test('newline-delimited JSON gives one frame per line that is not blank, the last without its line end too', () => {
  expect(ndjson('{"a":1}\n\n{"b":2}\r\n{"c":3}')).toEqual([
    [undefined, '{"a":1}'],
    [undefined, '{"b":2}'],
    [undefined, '{"c":3}'],
  ])
})
