import { expect, test } from 'vitest'
import { framesOf, type FramePiece } from './frames.ts'

const events = { 'content-type': 'text/event-stream; charset=utf-8' }

function chunksOf(...texts: readonly string[]) {
  return texts.map((text) => ({ ms: 5, bytes: text.length, text }))
}

/** `|` where a chunk begins. */
function shown(frames: readonly (readonly FramePiece[])[]): readonly string[] {
  return frames.map((pieces) => pieces.map((piece) => (piece.type === 'mark' ? '|' : piece.text)).join(''))
}

test('a frame of server-sent events ends with its blank line, and a chunk that begins inside it is marked there', () => {
  const chunks = chunksOf('data: a\n\nda', 'ta: b\n\n')
  expect(shown(framesOf({ headers: events, chunks }))).toEqual(['|data: a\n\n', 'da|ta: b\n\n'])
})

test('a chunk that ends with a frame puts its mark at the start of the next one', () => {
  const chunks = chunksOf('data: a\r\n\r\n', 'data: b\r\n\r\n')
  expect(shown(framesOf({ headers: events, chunks }))).toEqual(['|data: a\r\n\r\n', '|data: b\r\n\r\n'])
})

test('a chunk of half a character has a mark and no text', () => {
  const chunks = [{ ms: 0, bytes: 7, text: 'data: ' }, { ms: 0, bytes: 1, text: 'ü' }, ...chunksOf('\n\n')]
  expect(shown(framesOf({ headers: events, chunks }))).toEqual(['|data: |ü|\n\n'])
})

test('a line is a frame of NDJSON, and any other body is one frame', () => {
  const chunks = chunksOf('{"a":1}\n{"b"', ':2}\n')
  const lines = framesOf({ headers: { 'content-type': 'application/x-ndjson' }, chunks })
  expect(shown(lines)).toEqual(['|{"a":1}\n', '{"b"|:2}\n'])
  const whole = framesOf({ headers: { 'content-type': 'application/json' }, chunks })
  expect(shown(whole)).toEqual(['|{"a":1}\n{"b"|:2}\n'])
})

test('each chunk of a binary framing is a frame', () => {
  const headers = { 'content-type': 'application/vnd.amazon.eventstream' }
  expect(shown(framesOf({ headers, chunks: chunksOf('\\x00{"a":1}', '\\x01{"b":2}') }))).toEqual([
    '|\\x00{"a":1}',
    '|\\x01{"b":2}',
  ])
})

test('marks number the chunks from 1 and keep their time and size', () => {
  const [first] = framesOf({ headers: {}, chunks: [{ ms: 12, bytes: 3, text: 'abc' }] })
  expect(first?.[0]).toEqual({ type: 'mark', chunk: 1, ms: 12, bytes: 3 })
})
