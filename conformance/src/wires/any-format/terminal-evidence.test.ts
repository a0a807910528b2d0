import { expect, it } from 'vitest'
import { scanStream, scanUnknown } from './terminal-evidence.ts'

function scan(text: string, wire: string): ReturnType<typeof scanStream> {
  return scanStream(new TextEncoder().encode(text), wire)
}

function sse(...payloads: readonly string[]): string {
  return payloads.map((payload) => `data: ${payload}\n\n`).join('')
}

it.each([
  ['openai-chat', sse('{"choices":[{"finish_reason":null}]}', '{"choices":[{"finish_reason":""}]}', '[DONE]'), 2],
  ['openai-chat', sse('{"choices":[]}', '{"choices":[{"finish_reason":"stop"}]}', '[DONE]'), 1],
  ['openai-responses', sse('{"type":"response.created"}', '{"type":"response.failed"}'), 1],
  ['openai-responses', 'data: {"n":1}\nevent: response.created\n\ndata: {"n":2}\nevent: response.completed\n\n', 1],
  ['anthropic-messages', sse('{"type":"message_delta"}', '{"type":"message_stop"       }'), 1],
  ['gemini-generate', sse('{"candidates":[{}]}', '{"candidates":[{"finishReason":"STOP"}]}'), 1],
  ['gemini-generate', sse('{"promptFeedback":{"blockReason":"SAFETY"}}'), 0],
  ['ollama-chat', '{"done":false}\n\n{"done":true}\n', 1],
])('the terminal evidence of %s is found', (wire, text, terminal) => {
  expect(scan(text, wire)?.terminal).toBe(terminal)
})

it('no terminal evidence is found in a stream that was cut, nor in words that only look like it', () => {
  expect(
    scan(sse('{"choices":[{"delta":{"content":"[DONE] message_stop"}}]}'), 'openai-chat')?.terminal,
  ).toBeUndefined()
  expect(scan(sse('{"type":"message_start"}', '{"type":"mess'), 'anthropic-messages')?.terminal).toBeUndefined()
})

it('nothing is said about the end of wire formats that are not known', () => {
  expect(scan('data: {}\n\n', 'gemini-interactions')).toBeUndefined()
})

it.each(['\n', '\r\n', '\r'])('terminal evidence has offsets in bytes, comments aside, for line ends %j', (end) => {
  const comment = `: Zürich${end}${end}`
  const first = `data: {"text":"東京"}${end}${end}`
  const last = `data: [DONE]${end}`
  const scanned = scan(comment + first + last, 'openai-chat')
  const bytes = (text: string): number => new TextEncoder().encode(text).length
  const starts = [bytes(comment), bytes(comment + first)]
  expect(scanned?.events.map(({ start }) => start)).toEqual(starts)
  expect(scanned?.events.map((event) => event.end)).toEqual([starts[1], bytes(comment + first + last)])
  const middle = scanned?.events[0]?.middle ?? 0
  expect(middle).toBeGreaterThan(starts[0]! + 'data: {'.length)
  expect(middle).toBeLessThan(starts[1]! - 2 * end.length)
})

it.each([
  ['an event stream', ': hi\n\ndata: {"a":1}\n\nevent: x\ndata: {"b":2}\n\n', 2],
  ['lines of JSON', '{"a":1}\n{"b":2}\n\n{"c":3}\n', 3],
])('the events of an unknown wire format are found where it is framed as %s', (_, text, count) => {
  expect(scanUnknown(new TextEncoder().encode(text)).length).toBe(count)
})

it('of any other framing pieces stand for events, at the ends of its chunks and at even locations', () => {
  const pieces = scanUnknown(new Uint8Array(160), [7, 93, 60])
  expect(pieces.map(({ end }) => end)).toEqual([
    7, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 160,
  ])
  expect(pieces.map(({ start }) => start)).toEqual([0, ...pieces.slice(0, -1).map(({ end }) => end)])
  for (const { start, end, middle } of pieces) expect(middle > start && middle < end).toBe(true)
  expect(scanUnknown(Uint8Array.of(0, 1)).map(({ end }) => end)).toEqual([1, 2])
  expect(scanUnknown(new Uint8Array(0))).toEqual([])
})
