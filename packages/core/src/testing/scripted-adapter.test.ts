import { expect, test } from 'vitest'
import type { TurnEvent, TurnRequest } from '../contract/adapter.ts'
import { scriptedAdapter, type ScriptedPart, type ScriptedTurn } from './scripted-adapter.ts'

const request: TurnRequest = { messages: [{ role: 'user', content: 'hi' }], turn: 3 }
const providerMetadata = { provider: 'scripted', model: 'scripted-1', data: 1 }

async function eventsOf(turn: ScriptedTurn): Promise<readonly TurnEvent[]> {
  const events: TurnEvent[] = []
  for await (const batch of scriptedAdapter([turn]).turn(request, { mode: 'stream' })) events.push(...batch)
  return events
}

test.each<[ScriptedPart, readonly TurnEvent[]]>([
  [
    { type: 'text', text: 'abc', providerMetadata },
    [
      { type: 'text-start', part: 0 },
      { type: 'text-delta', part: 0, text: 'ab' },
      { type: 'text-delta', part: 0, text: 'c' },
      { type: 'text-end', part: 0, providerMetadata },
    ],
  ],
  [
    { type: 'reasoning', text: '' },
    [
      { type: 'reasoning-start', part: 0 },
      { type: 'reasoning-end', part: 0 },
    ],
  ],
  [{ type: 'refusal', text: 'No.' }, [{ type: 'refusal-delta', part: 0, text: 'No.' }]],
  [
    { type: 'call', toolName: 't', input: {}, owner: 'provider' },
    [
      { type: 'tool-call-start', part: 0, toolCallId: 'call_3_0', toolName: 't', owner: 'provider' },
      { type: 'tool-call-delta', part: 0, toolCallId: 'call_3_0', inputText: '{' },
      { type: 'tool-call-delta', part: 0, toolCallId: 'call_3_0', inputText: '}' },
      {
        type: 'tool-call',
        part: 0,
        toolCallId: 'call_3_0',
        toolName: 't',
        input: {},
        inputText: '{}',
        owner: 'provider',
      },
    ],
  ],
])('a scripted part comes as an adapter would give it, in two pieces: %j', async (part, events) => {
  expect((await eventsOf([part])).slice(1, -1)).toStrictEqual(events)
})

const call = { type: 'call', toolName: 't', input: {} } as const
test.each<[ScriptedTurn, Partial<TurnEvent>]>([
  ['x', { finishReason: 'stop', rawFinishReason: 'stop' }],
  [[call], { finishReason: 'tool-calls', rawFinishReason: 'tool-calls' }],
  [[{ ...call, owner: 'provider' }], { finishReason: 'stop', rawFinishReason: 'stop' }],
  [
    { parts: [call], finishReason: 'length', usage: { inputTokens: 1 } },
    { finishReason: 'length', rawFinishReason: 'length', usage: { inputTokens: 1 } },
  ],
])('a scripted turn ends for the reason that its parts, or the script, give: %j', async (turn, end) => {
  const events = await eventsOf(turn)
  expect(events[0]).toStrictEqual({ type: 'turn-start', model: 'scripted-1' })
  expect(events.at(-1)).toStrictEqual({ type: 'turn-end', ...end })
})

test('a script counts what is left of it, keeps frozen copies of the requests, and fails loudly behind its end', () => {
  const adapter = scriptedAdapter(['a'], { provider: 'p', model: 'm' })
  const turn = () => adapter.turn(request, { mode: 'generate' })
  expect(adapter.remaining).toBe(1)
  turn()
  expect(adapter.remaining).toBe(0)
  expect(turn).toThrow(expect.objectContaining({ code: 'bad-request', provider: 'p', model: 'm' }))
  expect(adapter.remaining).toBe(0)
  const [first] = adapter.requests
  expect(first).toMatchObject({ mode: 'generate', request })
  expect([first, first?.request, first?.request.messages].map((kept) => Object.isFrozen(kept))).toEqual([
    true,
    true,
    true,
  ])
})

test('a scripted model can do all that a model can, unless it is told otherwise', () => {
  expect(scriptedAdapter([]).capabilities).toEqual({
    tools: true,
    parallel: true,
    toolChoice: ['auto', 'none', 'required', 'tool'],
    reasoning: true,
    reasoningReplay: true,
    providerTools: true,
    streamUsage: true,
  })
  expect(scriptedAdapter([], { capabilities: { tools: true } }).capabilities).toEqual({ tools: true })
})
