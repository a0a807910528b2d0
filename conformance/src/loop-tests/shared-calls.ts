import { expect, test } from 'vitest'
import { z } from 'zod'
import { AdapterError, tool, type RunResult } from '@steploop/core'
import { shareToolCalls } from '@steploop/core/policies'
import { scriptedAdapter } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { hasty } from './parts.ts'

export function testSharedCalls(makeLoop: MakeWholeLoop): void {
  const look = { type: 'call', toolName: 'look', input: {} } as const

  function outputs({ toolResults }: RunResult): readonly unknown[] {
    return toolResults.map(({ output }) => (output.type === 'error' ? output.value.message : output.value))
  }

  test('shareToolCalls counts calls of an agent and of its tools’ agents together', { tags: ['E14'] }, async () => {
    const budget = [shareToolCalls(3)]
    const eye = tool({ inputSchema: z.object({}), execute: () => 'seen' })
    const helper = makeLoop({
      model: scriptedAdapter([[look, look, look], 'two of three']),
      tools: { look: eye },
      policies: budget,
    })
    const inner: RunResult[] = []
    const agent = tool({
      inputSchema: z.object({}),
      execute: async (_input, { signal }) => {
        inner.push(await helper.generate('Look around.', { abortSignal: signal }))
        return inner[0]?.text
      },
    })
    const model = scriptedAdapter([[{ type: 'call', toolName: 'agent', input: {} }], [look], 'done'])
    const result = await makeLoop({ model, tools: { agent, look: eye }, policies: budget }).generate('x')
    const refused = 'The 3 calls that are shared here are used up. Answer with what you have.'
    expect(inner.map(outputs)).toEqual([['seen', 'seen', refused]])
    expect([result.text, ...outputs(result)]).toEqual(['done', 'two of three', refused])
  })

  test('shareToolCalls counts a call once in a loop that is given the policy twice', async () => {
    const eye = tool({ inputSchema: z.object({}), execute: () => 'seen' })
    const policy = shareToolCalls(1)
    const model = scriptedAdapter([[look, look], 'done'])
    const result = await makeLoop({ model, tools: { look: eye }, policies: [policy, policy] }).generate('x')
    expect(outputs(result)).toEqual(['seen', expect.stringContaining('used up')])
  })

  test('shareToolCalls is not used up by turns that fail and are asked for again', async () => {
    const eye = tool({ inputSchema: z.object({}), effect: 'read', execute: () => 'seen' })
    const broken = { parts: [look], error: new AdapterError({ provider: 'p', model: 'm', code: 'connection' }) }
    const loop = makeLoop({
      model: scriptedAdapter([broken, broken, [look], 'done']),
      tools: { look: eye },
      eagerTools: true,
      toolTimeout: 0,
      clock: hasty,
      policies: [shareToolCalls(1)],
    })
    expect(outputs(await loop.generate('x'))).toEqual(['seen'])
  })

  test('shareToolCalls shares nothing with another policy of the same kind', async () => {
    const eye = tool({ inputSchema: z.object({}), execute: () => 'seen' })
    const run = () =>
      makeLoop({
        model: scriptedAdapter([[look], 'done']),
        tools: { look: eye },
        policies: [shareToolCalls(1)],
      }).generate('x')
    expect([outputs(await run()), outputs(await run())]).toEqual([['seen'], ['seen']])
  })
}
