import { StepLoop, tool, type StepLoopOptions } from '@steploop/core'
import { chatBackendPreset } from '../examples/presets.ts'
import { scriptedAdapter } from '@steploop/core/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ask, call, chatAnswer, chatModel, idle, outcomes, play, weather, type Parsed } from './testing.ts'

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

  test(
    'a call of a tool that the loop does not have is answered with the names of those that it has',
    { tags: ['D10'] },
    async () => {
      const result = await play(script).loop.generate('x')
      const [{ output } = { output: undefined }] = result.toolResults
      expect(output).toMatchObject({
        value: { code: 'unknown-tool', message: expect.stringContaining('weather, time, ask, broken') },
      })
    },
  )
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

test('a run refuses two tools of one name, and a tool without any, when the loop is made', { tags: ['L18'] }, () => {
  const model = scriptedAdapter([])
  const search = { type: 'provider', provider: 'scripted', name: 'weather', definition: {} } as const
  const make = (tools: Parsed) => () => new StepLoop({ model, tools })
  expect(make({ weather, search })).toThrow(expect.objectContaining({ code: 'duplicate-tool' }))
  expect(make({ '': weather })).toThrow(expect.objectContaining({ code: 'invalid-options' }))
})
