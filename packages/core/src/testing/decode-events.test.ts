import { expect, test } from 'vitest'
import { decodeEvents } from './decode-events.ts'

const origin = { provider: 'acme', model: 'm-1' }

test('events are folded into the turn that they make', () => {
  const { events, turn, error } = decodeEvents((out) => {
    out.push({ type: 'turn-start' }, { type: 'text-delta', part: 0, text: 'Hi' })
    out.push({ type: 'turn-end', finishReason: 'stop' })
  }, origin)
  expect(events).toHaveLength(3)
  expect(error).toBeUndefined()
  expect(turn).toMatchObject({
    finishReason: 'stop',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }], ...origin },
  })
})

test('what came before an error is kept beside it', () => {
  const broken = new Error('the stream broke')
  const { events, turn, error } = decodeEvents((out) => {
    out.push({ type: 'text-delta', part: 0, text: 'Hal' })
    throw broken
  }, origin)
  expect([events.length, error]).toEqual([1, broken])
  expect(turn.message.content).toEqual([{ type: 'text', text: 'Hal' }])
  expect(turn.finishReason).toBe('unknown')
})
