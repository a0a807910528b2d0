import { tool, toServerSentEvents, type StepLoopOptions } from '@steploop/core'
import { chatBackendPreset, gatewayPreset } from '../examples/presets.ts'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, endless, idle, play } from './testing.ts'

/** A tool that counts how often it ran. */
function counting() {
  let runs = 0
  return { runs: () => runs, tools: { weather: tool({ inputSchema: z.object({}), execute: () => ++runs }) } }
}

test('`maxSteps` may be a function of the tools, as one and a half per tool', { tags: ['M01'] }, async () => {
  const seen: string[][] = []
  const { loop, requests } = play(endless, {
    onLimit: 'incomplete',
    maxSteps: (tools) => {
      seen.push(Object.keys(tools))
      return Math.round(Object.keys(tools).length * 0.5)
    },
  })
  expect((await loop.generate('x')).stopReason).toBe('max-steps')
  expect([requests.length, seen[0]]).toEqual([3, ['weather', 'time', 'ask', 'broken']])
  const { weather } = counting().tools
  const steps = (count: number) =>
    gatewayPreset(Object.fromEntries(Array.from({ length: count }, (_, n) => [`t${n}`, weather]))).maxSteps
  expect([steps(1), steps(3), steps(0)]).toEqual([2, 5, 5])
  expect(() => play([], { maxSteps: () => Number.NaN })).toThrow(expect.objectContaining({ code: 'invalid-options' }))
})

test('a run that a limit ended says which, and how far it was used', { tags: ['M05'] }, async () => {
  const ended = async (options: Partial<StepLoopOptions>) => {
    const usage = { inputTokens: 10, outputTokens: 5 }
    const script = endless.map((parts) => ({ parts: parts as ReturnType<typeof call>[], usage }))
    const { status, stopReason, stopDetail } = await play(script, { onLimit: 'incomplete', ...options }).loop.generate(
      'x',
    )
    return { status, stopReason, stopDetail }
  }
  const status = 'incomplete'
  expect(await ended({ maxSteps: 3 })).toEqual({
    status,
    stopReason: 'max-steps',
    stopDetail: 'max-steps reached (3/3)',
  })
  const calls = { status, stopReason: 'max-tool-calls', stopDetail: 'max-tool-calls reached (2/2)' }
  expect(await ended({ maxToolCalls: 2 })).toEqual(calls)
  expect((await ended({ maxTokens: 50 })).stopDetail).toMatch(/^token-budget used up \(\d+\/50\)$/)
  expect((await play(['Done.']).loop.generate('x')).stopDetail).toBeUndefined()
})

test('a chat backend has 20 batches, and its page a warning and a text then', { tags: ['M08'] }, async () => {
  const { policies: _policies, ...limits } = chatBackendPreset()
  const { loop, requests } = play(endless, limits)
  const page = await new Response(toServerSentEvents(loop.stream('x'))).text()
  expect(requests).toHaveLength(21)
  const events = page.trim().split('\n\n').slice(-3)
  expect(events.map((event) => /"type":"(\w+)"/.exec(event)?.[1])).toEqual(['warning', 'content', 'done'])
  expect(events[0]).toContain('Reached maximum tool call iterations (20)')
  expect(events[1]).toContain('Stopped after maximum tool calls.')
})

test('as many calls run at the same time as the loop allows, 16 unless told otherwise', { tags: ['M12'] }, async () => {
  const most = async (options: Partial<StepLoopOptions>): Promise<number> => {
    let running = 0
    let peak = 0
    const slow = tool({
      inputSchema: z.object({}),
      execute: async () => {
        peak = Math.max(peak, ++running)
        await idle()
        running--
      },
    })
    await play([Array.from({ length: 20 }, () => call('slow')), 'Done.'], {
      tools: { slow },
      ...options,
    }).loop.generate('x')
    return peak
  }
  expect([await most({}), await most({ maxToolConcurrency: 5 })]).toEqual([16, 5])
})
