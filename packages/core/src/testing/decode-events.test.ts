import { expect, test } from 'vitest'
import type { TurnEvent } from '../contract/adapter.ts'
import { AdapterError } from '../contract/errors.ts'
import { decodeEvents } from './decode-events.ts'

const origin = { provider: 'acme', model: 'm-1' }
const start = { type: 'turn-start' } as const
const end = { type: 'turn-end', finishReason: 'stop' } as const
const call = { toolCallId: 'c', toolName: 't', owner: 'client' } as const

test('events are folded into the turn that they make', () => {
  const { events, turn, error } = decodeEvents((out) => {
    out.push(start, { type: 'text-start', part: 0 }, { type: 'text-delta', part: 0, text: 'Hi' })
    out.push({ type: 'text-end', part: 0 }, end)
  }, origin)
  expect(events).toHaveLength(5)
  expect(error).toBeUndefined()
  expect(turn).toMatchObject({
    finishReason: 'stop',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }], ...origin },
  })
})

test('what came before an error is kept beside it', () => {
  const broken = new AdapterError({ ...origin, code: 'incomplete-stream', message: 'the stream broke' })
  const { events, turn, error } = decodeEvents((out) => {
    out.push(start, { type: 'text-start', part: 0 }, { type: 'text-delta', part: 0, text: 'Hal' })
    throw broken
  }, origin)
  expect([events.length, error]).toEqual([3, broken])
  expect(turn.message.content).toEqual([{ type: 'text', text: 'Hal' }])
  expect(turn.finishReason).toBe('unknown')
})

test('an error that is none of an adapter is a mistake of the decoder, and thrown', () => {
  const decode = (): never => {
    throw new TypeError('no list')
  }
  expect(() => decodeEvents(decode, origin)).toThrow('no list')
})

test.each<[string, readonly unknown[]]>([
  ["the first event is 'turn-end'", [end]],
  ['there are 2 `turn-start` events', [start, start, end]],
  ['there are 0 `turn-end` events', [start]],
  ["'text-delta' for part 0, which is not open", [start, { type: 'text-delta', part: 0, text: 'Hi' }, end]],
  ['part 0 (text) is never closed', [start, { type: 'text-start', part: 0 }, end]],
  ['has the `part` null', [start, { type: 'text-start' }, { type: 'text-end' }, end]],
  ["is none of the contract's events", [start, { type: 'text', part: 0 }, end]],
  [
    'has no `input`',
    [start, { type: 'tool-call-start', part: 0, ...call }, { type: 'tool-call', part: 0, ...call, inputText: '' }, end],
  ],
  [
    'has the `toolCallId` undefined',
    [start, { type: 'tool-result', part: 0, toolName: 't', output: { type: 'text', value: '' } }, end],
  ],
  [
    'has the `owner` "provider"',
    [
      start,
      { type: 'tool-call-start', part: 0, ...call },
      { type: 'tool-call', part: 0, ...call, owner: 'provider', input: {}, inputText: '' },
      end,
    ],
  ],
  [
    'has the `inputText` ""',
    [
      start,
      { type: 'tool-call-start', part: 0, ...call },
      { type: 'tool-call-delta', part: 0, toolCallId: 'c', inputText: '' },
      end,
    ],
  ],
  [
    'has the `text` ""',
    [
      start,
      { type: 'text-start', part: 0 },
      { type: 'text-delta', part: 0, text: '' },
      { type: 'text-end', part: 0 },
      end,
    ],
  ],
  ['names the call "d"', [start, { type: 'tool-call-delta', part: 0, toolCallId: 'd', inputText: '' }, end]],
  ['has the `finishReason` "done"', [start, { ...end, finishReason: 'done' }]],
])('events that break the contract are a mistake of the decoder: %s', (message, events) => {
  expect(() => decodeEvents((out) => void out.push(...(events as TurnEvent[])), origin)).toThrow(message)
})
