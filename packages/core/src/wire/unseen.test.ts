import { expect, test } from 'vitest'
import type { FinishReason, TurnEvent } from '../contract/adapter.ts'
import type { WireFormat } from '../contract/wire-format.ts'
import { defineHttpAdapter } from '../http/define-http-adapter.ts'
import { StepLoop } from '../loop/step-loop.ts'
import type { StepLoopOptions } from '../options/loop-options.ts'
import { createToolCallAssembler, type CallFragment } from './tool-call-assembler.ts'

const namesOf = (events: readonly TurnEvent[]): readonly string[] => events.map(({ type }) => type)

/** A loop whose first answer is one JSON body that holds the fragments, and what its decoder has made of them. */
function loopOf(fragments: readonly CallFragment[], finishReason: FinishReason, more: Partial<StepLoopOptions> = {}) {
  const made: TurnEvent[] = []
  const wire: WireFormat = {
    name: 'calls',
    framing: 'sse',
    encode: () => ({ path: '/', body: '{}', warnings: [] }),
    decode(_json, { turn }, out) {
      let parts = 0
      const calls = createToolCallAssembler({ turn, nextPart: () => parts++ })
      out.push({ type: 'turn-start' })
      if (turn === 0) for (const fragment of fragments) calls.push(fragment, out)
      calls.end(out, false)
      out.push({ type: 'turn-end', finishReason: turn === 0 ? finishReason : 'stop' })
      made.push(...out)
    },
    createDecoder: () => ({ push: () => undefined, end: () => undefined }),
    decodeError: () => ({ code: 'server-error' }),
  }
  const fetch: typeof globalThis.fetch = () => Promise.resolve(Response.json({}))
  const options = { provider: 'toy', model: 'toy-1', capabilities: { tools: true }, baseURL: 'https://api.example.com' }
  const model = defineHttpAdapter(wire, { ...options, apiKey: 'key-1234', fetch })
  return { loop: new StepLoop({ model, generateId: () => 'id', ...more }), made }
}

test.each<[string, readonly CallFragment[], FinishReason, number]>([
  [
    'two calls of one id',
    [
      { index: 0, id: 'a', name: 'find', argumentsText: '{"q":1}' },
      { index: 1, id: 'a', name: 'find', argumentsText: '{"q":2}' },
    ],
    'tool-calls',
    2,
  ],
  [
    'a name again, and an id, that come behind the arguments',
    [
      { index: 0, name: 'find', argumentsText: '{"q":' },
      { index: 0, id: 'late', name: 'search', argumentsText: '1}' },
    ],
    'tool-calls',
    1,
  ],
  ['a call that the token limit cut', [{ index: 0, id: 'a', name: 'find', argumentsText: '{"q":' }], 'length', 1],
  ['arguments that are none', [{ index: 0, id: 'a', name: 'find', argumentsText: 'q' }], 'tool-calls', 1],
])(
  'what an answer holds is the same, whether anybody is shown its events or not: %s',
  async (_what, fragments, finish, calls) => {
    const alone = loopOf(fragments, finish)
    const { messages } = await alone.loop.generate('x')
    expect(namesOf(alone.made)).not.toContain('tool-call-start')

    const passed: TurnEvent[] = []
    const watched = loopOf(fragments, finish, {
      middleware: {
        async *turn(_info, next) {
          for await (const batch of next()) {
            passed.push(...batch)
            yield batch
          }
        },
      },
    })
    expect((await watched.loop.generate('x')).messages).toEqual(messages)
    const stream = loopOf(fragments, finish).loop.stream('x')
    const shown: string[] = []
    for await (const { type } of stream) shown.push(type)
    expect((await stream.result).messages).toEqual(messages)
    for (const names of [namesOf(passed), shown]) {
      expect(names.filter((type) => type === 'tool-call-start')).toHaveLength(calls)
      expect(names.filter((type) => type === 'tool-call-delta').length).toBeGreaterThanOrEqual(calls)
    }
  },
)
