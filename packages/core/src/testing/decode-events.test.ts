import { expect, test } from 'vitest'
import { AdapterError } from '../contract/errors.ts'
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
  const broken = new AdapterError({ ...origin, code: 'incomplete-stream', message: 'the stream broke' })
  const { events, turn, error } = decodeEvents((out) => {
    out.push({ type: 'text-delta', part: 0, text: 'Hal' })
    throw broken
  }, origin)
  expect([events.length, error]).toEqual([1, broken])
  expect(turn.message.content).toEqual([{ type: 'text', text: 'Hal' }])
  expect(turn.finishReason).toBe('unknown')
})

test('an error that is none of an adapter is a mistake of the decoder, and thrown', () => {
  const decode = (): never => {
    throw new TypeError('no list')
  }
  expect(() => decodeEvents(decode, origin)).toThrow('no list')
})
