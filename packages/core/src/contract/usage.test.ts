import { expect, test } from 'vitest'
import { addUsage, StepLoop, tool, type Usage } from '../index.ts'
import { scriptedAdapter } from '../testing/index.ts'

test('counts below 0, and what is no finite number, are unknown and take nothing away', () => {
  const odd = { inputTokens: -1, outputTokens: Number.NaN, reasoningTokens: '5', cachedInputTokens: Infinity } as object
  expect(addUsage(undefined, odd)).toBeUndefined()
  expect(addUsage({ inputTokens: 5, outputTokens: 7 }, odd)).toEqual({ inputTokens: 5, outputTokens: 7 })
  expect(addUsage({ ...odd, outputTokens: 2 }, { outputTokens: 3 })).toEqual({ outputTokens: 5 })
})

test('a count that both sides know is added, and what one side knows is kept', () => {
  const left = { inputTokens: 1, cachedInputTokens: 2, reasoningTokens: 0 }
  const right = { outputTokens: 4, cachedInputTokens: 8, cacheWriteTokens: 16 }
  const all = { inputTokens: 1, outputTokens: 4, cachedInputTokens: 10, cacheWriteTokens: 16, reasoningTokens: 0 }
  expect([addUsage(left, right), addUsage(right, left)]).toEqual([all, all])
})

const look = tool({ inputSchema: { type: 'object' }, execute: () => 'seen' })

async function play(usages: readonly (Usage | undefined)[], budget: object) {
  const turns = usages.map((usage, n) => ({
    parts: [{ type: 'call', toolName: 'look', input: { n } } as const],
    ...(usage && { usage }),
  }))
  const model = scriptedAdapter([...turns, 'done'])
  return new StepLoop({ model, tools: { look }, ...budget }).generate('x')
}

test.each([
  ['no', undefined],
  ['a negative', { inputTokens: -1, outputTokens: -1 }],
  ['half of a', { outputTokens: 3 }],
] as const)('a budget that %s usage makes blind is reported once in a run', async (_, usage) => {
  const { warnings, steps } = await play([usage, usage, usage], { maxTokens: 1_000 })
  expect(warnings).toMatchObject([{ path: 'usage', message: expect.stringContaining('`maxTokens`') }])
  expect(steps[0]?.usage).toEqual(usage?.outputTokens === 3 ? usage : undefined)
  expect((await play([usage], { maxCost: 1, costOf: () => 0 })).warnings).toHaveLength(1)
})

test('nothing is reported without a budget, nor when every turn says what it used', async () => {
  expect((await play([undefined], {})).warnings).toEqual([])
  const model = scriptedAdapter([{ parts: [], usage: { inputTokens: 1, outputTokens: 0 } }])
  expect((await new StepLoop({ model, maxTokens: 9 }).generate('x')).warnings).toEqual([])
})
