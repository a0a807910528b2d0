import { expect, test } from 'vitest'
import { tool, type Adapter, type LoopEvent } from '@steploop/core'
import type { MakeWholeLoop } from '../loop.ts'
import { failing } from './parts.ts'

export function testModels(makeLoop: MakeWholeLoop): void {
  /** An adapter whose turns yield `value`, whatever its type should be. */
  function yielding(value: unknown): Adapter {
    async function* turn() {
      yield value
    }
    return { provider: 'odd', model: 'odd-1', capabilities: {}, turn: turn as unknown as Adapter['turn'] }
  }

  const start = { type: 'tool-call-start', part: 0, toolCallId: 'c', toolName: 'look', owner: 'loop' } as const

  test('a call that its turn ends in the middle of is answered, with what came of it, and not run', async () => {
    const delta = (inputText: string) => ({ type: 'tool-call-delta', part: 0, inputText })
    let turns = 0
    async function* turn() {
      const half = [start, delta('{"pa'), delta('th":'), { type: 'turn-end', finishReason: 'length' }]
      yield [{ type: 'turn-start' }, ...(turns++ === 0 ? half : [{ type: 'turn-end', finishReason: 'stop' }])]
    }
    let runs = 0
    const look = tool({ inputSchema: { type: 'object' }, execute: () => runs++ })
    const capabilities = { tools: true }
    const model = { ...yielding(undefined), capabilities, turn: turn as unknown as Adapter['turn'] }
    const { messages, toolResults } = await makeLoop({ model, tools: { look } }).generate('x')
    const { type: _start, part: _part, ...common } = start
    expect(messages[0]?.content).toEqual([
      { type: 'tool-call', ...common, input: undefined, inputText: '{"path":', invalid: 'truncated' },
    ])
    expect([toolResults[0]?.output, runs]).toMatchObject([{ value: { code: 'truncated-call' } }, 0])
  })

  test('a piece of a call has the id that its call has in the run, in a batch of its own too', async () => {
    async function* turn() {
      const call = { ...start, type: 'tool-call', input: {}, inputText: '{}' }
      yield [start]
      yield [{ ...start, type: 'tool-call-delta', inputText: '{}' }]
      yield [call, { type: 'turn-end', finishReason: 'tool-calls' }]
    }
    const look = tool({ inputSchema: { type: 'object' }, execute: () => 1 })
    const model = { ...yielding(undefined), capabilities: { tools: true }, turn: turn as unknown as Adapter['turn'] }
    const stream = makeLoop({ model, tools: { look }, maxSteps: 1, onLimit: 'finalize' }).stream('x')
    const ids: string[] = []
    for await (const event of stream) if (event.type === 'tool-call-delta') ids.push(event.toolCallId)
    expect(ids).toEqual(['c', 'c_2'])
  })

  test.each([
    ['an event that is in no batch', { type: 'text-delta', part: 0, text: 'a' }, 'array of events'],
    ['nothing', undefined, 'array of events'],
    ['a text', 'a', 'array of events'],
    ['a part with an impossible number', [{ type: 'text-delta', part: -1, text: 'a' }], 'slot -1'],
    ['no end', [], 'without `turn-end`'],
    ['a text where a call began', [start, { type: 'text-delta', part: 0, text: 'a' }], 'slot 0 is used for two parts'],
    ['a call where a text stands', [{ type: 'text-delta', part: 0, text: 'a' }, start], 'slot 0 is used for two parts'],
    ['a call twice', [start, start], 'slot 0 is used for two parts'],
  ])('an adapter that yields %s breaks its contract, and the run says so', async (_what, value, message) => {
    await expect(makeLoop({ model: yielding(value) }).generate('x')).rejects.toThrow(
      failing('adapter-contract', message),
    )
  })

  test('all that a turn brings is in its message, and what the provider ran is reported with its owner', async () => {
    const providerMetadata = { provider: 'odd', model: 'odd-1', data: { signed: 'x' } }
    const citation = { url: 'https://example.com', title: 'Atlas' }
    const call = { type: 'tool-call', toolCallId: 's', toolName: 'web', input: {}, inputText: '{}' } as const
    const output = { type: 'text', value: 'Paris' } as const
    const result = { type: 'tool-result', toolCallId: 's', toolName: 'web', output } as const
    const file = { type: 'file', mediaType: 'image/png', data: 'AA==' } as const
    const logprobs = [{ token: 'Paris', logprob: -0.5 }]
    const usage = { inputTokens: 1, outputTokens: 2 }
    const warning = { type: 'dropped', path: 'a', message: 'b' } as const
    const own = { rawFinishReason: 'done', responseId: 'r', model: 'odd-1b', usage, logprobs }
    const end = { ...own, finishReason: 'stop' } as const
    const model = yielding([
      { type: 'turn-start', warnings: [warning] },
      { type: 'reasoning-delta', part: 0, text: 'Hm.' },
      { type: 'reasoning-end', part: 0, providerMetadata },
      { ...call, part: 1, owner: 'provider' },
      { ...result, part: 2 },
      { type: 'text-delta', part: 3, text: 'Paris.' },
      { type: 'citation', part: 3, citation },
      { type: 'text-end', part: 3, providerMetadata },
      { type: 'citation', part: 4, citation },
      { ...file, part: 5, providerMetadata },
      { type: 'opaque', part: 6, providerMetadata },
      { type: 'turn-end', ...end, providerMetadata },
    ])
    const stream = makeLoop({ model }).stream('x')
    const results: LoopEvent[] = []
    for await (const event of stream) if (event.type === 'tool-result') results.push(event)
    const { messages, steps, responseId, transcript } = await stream.result
    expect(messages).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.', providerMetadata },
          { ...call, owner: 'provider' },
          result,
          { type: 'text', text: 'Paris.', citations: [citation], providerMetadata },
          { type: 'text', text: '', citations: [citation] },
          { ...file, providerMetadata },
          { type: 'opaque', providerMetadata },
        ],
        provider: 'odd',
        model: 'odd-1',
        responseId: 'r',
        providerMetadata,
      },
    ])
    const { model: responseModel, ...rest } = end
    const made = { responseModel, text: 'Paris.', toolCalls: [{ ...call, owner: 'provider' }], warnings: [warning] }
    expect([responseId, steps]).toMatchObject(['r', [{ ...rest, ...made }]])
    const inner = steps.flatMap((step) => [step, step.toolCalls, step.toolResults, step.warnings, step.usage])
    const lists = [steps, messages, transcript.messages, transcript.pendingCalls, ...inner]
    expect(lists.filter((list) => !Object.isFrozen(list))).toEqual([])
    expect(results).toEqual([{ ...result, owner: 'provider' }])
  })

  test.each([
    ['length', 'The limit of output tokens cut the call off'],
    ['stop', 'The call was cut off before its arguments were complete'],
  ])('a call that was cut off is not run, whatever its turn ended with: %s', async (finishReason, message) => {
    let ran = 0
    const look = tool({ inputSchema: { type: 'object' }, execute: () => ran++ })
    const call = { type: 'tool-call', part: 0, toolCallId: 'a', toolName: 'look', inputText: '{"a', owner: 'client' }
    const model = yielding([
      { ...call, invalid: 'truncated' },
      { type: 'turn-end', finishReason },
    ])
    const loop = makeLoop({ model: { ...model, capabilities: { tools: true } }, tools: { look } })
    const { toolResults } = await loop.generate('x', { maxSteps: 1, onLimit: 'incomplete' })
    expect(toolResults[0]?.output.value).toMatchObject({
      code: 'truncated-call',
      message: expect.stringContaining(message),
    })
    expect(ran).toBe(0)
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
