import { expect, test } from 'vitest'
import { tool, type Adapter } from '@steploop/core'
import type { MakeWholeLoop } from '../loop.ts'

export function testModels(makeLoop: MakeWholeLoop): void {
  /** An adapter whose turns yield `value`, whatever its type should be. */
  function yielding(value: unknown): Adapter {
    async function* turn() {
      yield value
    }
    return { provider: 'odd', model: 'odd-1', capabilities: {}, turn: turn as unknown as Adapter['turn'] }
  }

  test.each([
    ['an event that is in no batch', { type: 'text-delta', part: 0, text: 'a' }, 'array of events'],
    ['nothing', undefined, 'array of events'],
    ['a text', 'a', 'array of events'],
    ['a part with an impossible number', [{ type: 'text-delta', part: -1, text: 'a' }], 'slot -1'],
    ['no end', [], 'without `turn-end`'],
  ])('an adapter that yields %s breaks its contract, and the run says so', async (_what, value, message) => {
    await expect(makeLoop({ model: yielding(value) }).generate('x')).rejects.toMatchObject({
      code: 'adapter-contract',
      message: expect.stringContaining(message),
    })
  })

  test('an input that has no JSON leaves a run its typed result, without a continuation', async () => {
    const turn = async function* () {
      yield [
        {
          type: 'tool-call',
          part: 0,
          toolCallId: 'a',
          toolName: 'client',
          input: { n: 1n },
          inputText: '',
          owner: 'client',
        },
        { type: 'turn-end', finishReason: 'tool-calls', responseId: 'r1' },
      ] as const
    }
    const model: Adapter = { provider: 'odd', model: 'odd-1', capabilities: { continuation: true, tools: true }, turn }
    const loop = makeLoop({ model, tools: { client: tool({ inputSchema: { type: 'object' } }) } })
    const { status, transcript } = await loop.generate('x')
    expect([status, transcript.continuation]).toEqual(['requires-action', undefined])
  })
}
