import { StepLoop, tool, type StepLoopOptions } from '@steploop/core'
import { chatBackendPreset, conversationPreset } from '../examples/presets.ts'
import { scriptedAdapter } from '@steploop/core/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  anthropicAnswer,
  anthropicCall,
  anthropicModel,
  ask,
  broken,
  call,
  chatAnswer,
  chatModel,
  idle,
  outcomes,
  play,
  weather,
  type Parsed,
} from './testing.ts'

const rome = { id: 'c1', name: 'weather', input: { city: 'Rome' } }

test('a tool that fails gives valid JSON whatever its message holds', { tags: ['D03'] }, async () => {
  const { model, bodies } = chatModel([
    chatAnswer(null, [{ ...rome, name: 'broken', input: {} }]),
    chatAnswer('Sorry.'),
  ])
  await new StepLoop({ model, tools: { broken } }).generate('x')
  const { error } = JSON.parse(bodies[1].messages[2].content)
  expect(error).toMatchObject({ code: 'tool-failed', message: 'no "quotes"\nand no lines' })
})

test(
  'a tool that fails ends the run, with the transcript, where the application wants it so',
  { tags: ['D05'] },
  async () => {
    const first = { parts: [call('weather', { city: 'A' })], usage: { inputTokens: 5 } }
    const script = [first, [call('broken')], 'never']
    const error = await play(script, { onToolError: 'throw' })
      .loop.generate('x')
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'tool-failed', message: expect.stringContaining('broken'), step: 1 })
    expect(error).toMatchObject({ toolCall: { toolName: 'broken' }, steps: [{ number: 0 }], usage: { inputTokens: 5 } })
    const invalid = [[call('weather', { city: 'A' })], [call('weather', { city: 7 })], 'never']
    const refused = play(invalid, conversationPreset()).loop.generate('x')
    await expect(refused).rejects.toMatchObject({ code: 'tool-failed', step: 1, transcript: { version: 1 } })
    const { transcript } = error as { transcript: { messages: readonly { role: string }[] } }
    expect(transcript.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool'])
  },
)

test('a call without anything to run it is answered with an error, and fails nothing', { tags: ['D04'] }, async () => {
  const result = await play([[call('weather', { city: 'A' })], 'Done.'], { tools: {} }).loop.generate('x')
  expect([result.text, ...outcomes(result.toolResults)]).toEqual(['Done.', 'unknown-tool'])
})

/** Tools that tell when they begin and end. */
async function order(options: Partial<StepLoopOptions>): Promise<{ log: string[]; results: unknown[] }> {
  const log: string[] = []
  const note = tool({
    inputSchema: z.object({ n: z.number() }),
    execute: async ({ n }) => {
      log.push(`begin ${n}`)
      for (let rounds = n === 1 ? 3 : 1; rounds > 0; rounds--) await idle()
      log.push(`end ${n}`)
      return n
    },
  })
  const script = [[call('note', { n: 1 }), call('note', { n: 2 })], 'Done.']
  const result = await play(script, { tools: { note }, ...options }).loop.generate('x')
  return { log, results: outcomes(result.toolResults) }
}

test(
  'independent calls run at the same time, with results in call order, or one by one',
  { tags: ['D08'] },
  async () => {
    expect(await order({})).toEqual({ log: ['begin 1', 'begin 2', 'end 2', 'end 1'], results: [1, 2] })
    const serial = { log: ['begin 1', 'end 1', 'begin 2', 'end 2'], results: [1, 2] }
    expect(await order({ parallelToolCalls: false })).toEqual(serial)
    expect(await order({ maxToolConcurrency: 1 })).toEqual(serial)
  },
)

test('independent calls are asked for in the request, where there are tools', { tags: ['D09'] }, async () => {
  const { policies: _policies, ...preset } = chatBackendPreset()
  const { model, bodies } = chatModel([chatAnswer('Hallo.'), chatAnswer('Hallo.')])
  await new StepLoop({ model, tools: { weather }, ...preset }).generate('x')
  await new StepLoop({ model, ...preset }).generate('x')
  expect(bodies.map((body) => body.parallel_tool_calls)).toEqual([true, undefined])
})

describe('a call of a tool that the loop does not have', () => {
  const script = [[call('stranger', { a: 1 }, 's1')], 'Done.']

  test('is answered with the names of those that it has', { tags: ['D10'] }, async () => {
    const result = await play(script).loop.generate('x')
    const [{ output } = { output: undefined }] = result.toolResults
    expect(output).toMatchObject({
      value: { code: 'unknown-tool', message: expect.stringContaining('weather, time, ask, broken') },
    })
  })
})

test(
  'a tool of the caller: hooks may give the outputs; what they leave waits for the caller',
  { tags: ['D16'] },
  async () => {
    const onToolStart: StepLoopOptions['onToolStart'] = ({ toolCall }) =>
      JSON.stringify(toolCall?.input).includes('Sure') ? { type: 'answer', output: { sure: true } } : undefined
    const sure = call('ask', { question: 'Sure?' }, 'q')
    const { loop } = play([[sure], 'Thanks.'], { onToolStart })
    const done = await loop.generate('x')
    expect([done.text, done.status, outcomes(done.toolResults)]).toEqual(['Thanks.', 'completed', [{ sure: true }]])
    const half = play([[sure, call('ask', { question: 'When?' }, 'w')], 'Thanks.'], { onToolStart })
    const waiting = await half.loop.generate('x')
    expect([waiting.status, waiting.transcript.pendingCalls.map(({ toolCallId: id }) => id)]).toEqual([
      'requires-action',
      ['w'],
    ])
    const rest = await half.loop.generate({ transcript: waiting.transcript, toolOutputs: { w: { output: 'now' } } })
    expect([rest.text, outcomes(rest.toolResults)]).toEqual(['Thanks.', [{ sure: true }, 'now']])
  },
)

test('a call that the provider ran is never run here, and goes back as it was', { tags: ['D13'] }, async () => {
  let runs = 0
  const search = tool({ inputSchema: z.object({}), execute: () => ++runs })
  const served = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} }
  const found = { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] }
  const { model, bodies } = anthropicModel([
    anthropicAnswer([served, found, anthropicCall('c1', 'search', {})], 'tool_use'),
    anthropicAnswer([{ type: 'text', text: 'Done.' }]),
  ])
  const result = await new StepLoop({ model, tools: { search, web_search: search } }).generate('x')
  expect(runs).toBe(1)
  expect(result.toolCalls.map(({ owner }) => owner)).toEqual(['provider', 'loop'])
  expect(bodies[1].messages[1].content.slice(0, 2)).toEqual([served, found])
  expect(bodies[1].messages[2].content.map(({ tool_use_id: id }: Parsed) => id)).toEqual(['c1'])
})

test('the same typed tools serve any number of loops and models unchanged', { tags: ['D19'] }, async () => {
  const tools = { weather, ask }
  const models = [scriptedAdapter([[call('weather', { city: 'A' })], 'a']), scriptedAdapter(['b'])]
  for (const model of models) await new StepLoop({ model, tools }).generate('x')
  const [first, , second] = models.flatMap(({ requests }) => requests.map(({ request }) => request.tools))
  expect(first).toMatchObject([
    { name: 'weather', inputSchema: { properties: { city: { type: 'string' } } } },
    { name: 'ask' },
  ])
  expect(second).toBe(first)
})
