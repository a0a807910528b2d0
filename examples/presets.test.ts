import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { LoopError, StepLoop, tool, type RunResult, type StepLoopOptions } from '@steploop/core'
import { denyTools } from '@steploop/core/policies'
import { fakeClock, scriptedAdapter, type ScriptedPart, type ScriptedTurn } from '@steploop/core/testing'
import { chatBackendPreset, conversationPreset, gatewayPreset, responsesServerPreset } from './presets.ts'

const echo = tool({ inputSchema: z.object({ n: z.number().optional() }), execute: ({ n }) => ({ n }) })
const fails = tool({
  inputSchema: z.object({}),
  execute: () => {
    throw new Error('out of order')
  },
})
const call = (n: number, toolName = 'echo'): ScriptedPart => ({ type: 'call', toolName, input: { n } })
const calls = (count: number, toolName?: string): readonly ScriptedPart[] =>
  Array.from({ length: count }, (_, n) => call(n, toolName))
const endless: readonly ScriptedTurn[] = Array.from({ length: 40 }, (_, n) => [call(n)])

function play(script: readonly ScriptedTurn[], preset: Partial<StepLoopOptions>, prompt = 'Go.') {
  const model = scriptedAdapter(script)
  const loop = new StepLoop({ model, tools: { echo, fails }, ...preset })
  return { model, run: loop.generate(prompt) }
}

/** Batches of calls that ran. */
function batches({ steps }: RunResult): number {
  return steps.filter(({ toolResults }) => toolResults.some(({ output }) => output.type !== 'error')).length
}

function codes({ toolResults }: RunResult): readonly unknown[] {
  return toolResults.map(({ output }) => (output.type === 'error' ? output.value.code : output.value))
}

test.each([
  [1, 2],
  [3, 5],
  [4, 6],
  [0, 5],
])('gatewayPreset with %i tools runs at most %i batches', (count, most) => {
  const tools = Object.fromEntries(Array.from({ length: count }, (_, index) => [`echo${index}`, echo]))
  expect(gatewayPreset(tools).maxSteps).toBe(most)
})

test('gatewayPreset ends where the batches end, without another answer', async () => {
  const result = await play(endless, gatewayPreset({ echo, fails })).run
  expect([batches(result), result.status, result.stopReason]).toEqual([3, 'incomplete', 'max-steps'])
})

test('responsesServerPreset runs ten batches, makes one request more, and is incomplete', async () => {
  const { model, run } = play(endless, responsesServerPreset())
  const result = await run
  expect([batches(result), model.requests.length, result.status]).toEqual([10, 11, 'incomplete'])
})

test(
  'responsesServerPreset answers a failure and hands unknown calls to its client, in one turn',
  { tags: ['H14'] },
  async () => {
    const { run } = play([[call(1, 'fails'), call(2, 'mcp_lookup')]], responsesServerPreset())
    const result = await run
    expect([result.status, codes(result)]).toEqual(['requires-action', ['tool-failed']])
    expect(result.transcript.pendingCalls.map(({ toolName }) => toolName)).toEqual(['mcp_lookup'])
  },
)

test('responsesServerPreset stores and continues nothing at the provider', async () => {
  const model = scriptedAdapter([{ parts: [call(1)], responseId: 'r1' }, 'done'], {
    capabilities: { tools: true, continuation: true },
  })
  await new StepLoop({ model, tools: { echo }, ...responsesServerPreset() }).generate('Go.')
  expect(model.requests.map(({ request }) => request.continuation)).toEqual([undefined, undefined])
})

describe('chatBackendPreset', () => {
  const preset = chatBackendPreset({ searchTool: 'echo' })

  test.each([
    ['latest AI news', { type: 'tool', toolName: 'echo' }],
    ['what happened last week', { type: 'tool', toolName: 'echo' }],
    ['explain quantum physics', undefined],
  ])('for "%s" asks with the tool choice %j first', { tags: ['P01'] }, async (prompt, choice) => {
    const { model, run } = play(['Done.'], preset, prompt)
    await run
    expect(model.requests[0]?.request.toolChoice).toEqual(choice)
  })

  test('chatBackendPreset asks for the answer, without tools, after the first batch', async () => {
    const { model, run } = play([[call(1)], 'Done.'], preset)
    expect((await run).text).toBe('Done.')
    const { messages, toolChoice } = model.requests[1]!.request
    expect([messages.at(-1)?.role, toolChoice]).toEqual(['user', 'none'])
  })

  test('chatBackendPreset runs a call without arguments when they are no JSON', { tags: ['D07'] }, async () => {
    const { run } = play([[{ type: 'call', toolName: 'echo', input: '{"n":' }], 'Done.'], preset)
    expect(codes(await run)).toEqual([{}])
  })

  test('chatBackendPreset keeps what it does beside policies of one’s own', async () => {
    const { model, run } = play(['', '', ''], { ...preset, policies: [denyTools(['echo'])] })
    expect([(await run).text, model.requests.length]).toEqual(['No additional content generated.', 3])
  })

  test(
    'chatBackendPreset asks twice again when nothing comes, then gives up in words',
    { tags: ['P03', 'P05'] },
    async () => {
      const { model, run } = play(['', '', ''], preset)
      expect([(await run).text, model.requests.length]).toEqual(['No additional content generated.', 3])
    },
  )
})

test('conversationPreset runs four batches, then throws; every call is answered', { tags: ['M06'] }, async () => {
  const error = await play(endless, conversationPreset()).run.catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'max-steps' })
  const { transcript } = error as LoopError
  expect(transcript?.messages.map(({ role }) => role).join(' ')).toBe(`user${' assistant tool'.repeat(5)}`)
})

test('conversationPreset runs four calls of a turn and answers the rest', { tags: ['M06', 'M07'] }, async () => {
  const result = await play([calls(5), 'Done.'], conversationPreset()).run
  expect(codes(result)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }, 'too-many-calls'])
})

test(
  'conversationPreset throws what a tool throws, for bad arguments, and after half a minute',
  { tags: ['M09'] },
  async () => {
    const failed = play([[call(1, 'fails')]], conversationPreset()).run
    await expect(failed).rejects.toMatchObject({ code: 'tool-failed', step: 0 })
    const wrong: ScriptedPart = { type: 'call', toolName: 'echo', input: { n: 'one' } }
    const invalid = play([[wrong]], conversationPreset()).run
    await expect(invalid).rejects.toMatchObject({
      code: 'tool-failed',
      message: expect.stringContaining("'n' is not valid"),
    })
    const clock = fakeClock()
    const late = play([{ parts: [], hang: true }], { ...conversationPreset(), clock }).run
    clock.advance(30_000)
    await expect(late).rejects.toMatchObject({ code: 'timeout' })
  },
)

test('the chat backend goes without a search where the application has none', () => {
  expect(() => new StepLoop({ model: scriptedAdapter([]), tools: { echo }, ...chatBackendPreset() })).not.toThrow()
})

test('chatBackendPreset opens what its tools answer: the result, or a failure with the error', async () => {
  const answers: readonly unknown[] = [
    { success: true, result: { hits: 2 } },
    { success: true },
    { success: false, error: 'no quota' },
    { success: false },
    { success: true, hits: 2 },
    { success: 'yes', result: 1 },
  ]
  const ask = tool({ inputSchema: z.object({ n: z.number() }), execute: ({ n }) => answers[n] })
  const own = tool({ ...ask, toModelOutput: (given) => ({ type: 'json', value: given }) })
  const model = scriptedAdapter([[...answers.map((_, n) => call(n, 'ask')), call(0, 'own')], 'Done.'])
  const result = await new StepLoop({ model, tools: { ask, own }, ...chatBackendPreset() }).generate('x')
  expect(result.toolResults.map(({ output }) => output.value)).toEqual([
    { hits: 2 },
    {},
    { code: 'tool-failed', message: expect.stringContaining('no quota') },
    { code: 'tool-failed', message: expect.stringContaining('Tool execution failed') },
    { success: true, hits: 2 },
    { success: 'yes', result: 1 },
    { success: true, result: { hits: 2 } },
  ])
})
