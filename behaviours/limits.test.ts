import { LoopError, tool, toServerSentEvents, type StepLoopOptions } from '@steploop/core'
import { chatBackendPreset, conversationPreset, gatewayPreset } from '../examples/presets.ts'
import { fakeClock } from '@steploop/core/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, endless, idle, outcomes, play, say } from './testing.ts'

const hanging = tool({ inputSchema: z.object({}), execute: () => new Promise(() => undefined) })

/** A tool that counts how often it ran. */
function counting() {
  let runs = 0
  return { runs: () => runs, tools: { weather: tool({ inputSchema: z.object({}), execute: () => ++runs }) } }
}

test(
  '`maxSteps` may be a function of the tools, as one and a half per tool, and 5 without any',
  { tags: ['M01'] },
  async () => {
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
  },
)

test('the step limit is 10 unless given, and 128 whatever is given', { tags: ['M02'] }, async () => {
  const requestsWith = async (maxSteps?: number): Promise<number> => {
    const { loop, requests } = play(endless, { maxSteps, onLimit: 'incomplete' })
    expect(await loop.generate('x')).toMatchObject({ status: 'incomplete', stopReason: 'max-steps' })
    return requests.length
  }
  expect([await requestsWith(2), await requestsWith(), await requestsWith(1000)]).toEqual([3, 11, 129])
})

test('a step limit of 0 makes one request and runs nothing', { tags: ['M03'] }, async () => {
  const { runs, tools } = counting()
  const { loop, requests } = play([[call('weather')], 'never'], { tools, maxSteps: 0, onLimit: 'incomplete' })
  expect((await loop.generate('x')).status).toBe('incomplete')
  expect([requests.length, runs()]).toEqual([1, 0])
})

test('the limit comes before the batch that is too much, whose calls are answered', { tags: ['M04'] }, async () => {
  const { runs, tools } = counting()
  const turn = [call('weather'), call('weather')]
  const result = await play([turn, turn], { tools, maxSteps: 1, onLimit: 'incomplete' }).loop.generate('x')
  expect(runs()).toBe(2)
  expect(outcomes(result.toolResults)).toEqual([1, 2, 'limit-reached', 'limit-reached'])
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

test(
  'a cautious client has 4 batches of at most 4 calls, and every call is answered',
  { tags: ['M06', 'M07'] },
  async () => {
    const five = Array.from({ length: 5 }, (_, n) => call('weather', { city: `c${n}` }))
    const { onLimit: _throws, ...preset } = conversationPreset()
    const { loop, requests } = play([five, ...endless], { ...preset, onLimit: 'incomplete' })
    const result = await loop.generate('x')
    expect(outcomes(result.steps[0]?.toolResults ?? []).at(-1)).toBe('too-many-calls')
    expect(result.steps[0]?.toolResults).toHaveLength(5)
    expect([requests.length, result.stopReason]).toEqual([5, 'max-steps'])
    const limit = await play(endless, conversationPreset())
      .loop.generate('x')
      .catch((error: unknown) => error)
    expect(limit).toMatchObject({ code: 'max-steps' })
  },
)

test(
  'a chat backend has 20 batches; at the limit its page gets a warning and a text of its own',
  { tags: ['M08'] },
  async () => {
    const { policies: _policies, ...limits } = chatBackendPreset()
    const { loop, requests } = play(endless, limits)
    const page = await new Response(toServerSentEvents(loop.stream('x'))).text()
    expect(requests).toHaveLength(21)
    const events = page.trim().split('\n\n').slice(-3)
    expect(events.map((event) => /"type":"(\w+)"/.exec(event)?.[1])).toEqual(['warning', 'content', 'done'])
    expect(events[0]).toContain('Reached maximum tool call iterations (20)')
    expect(events[1]).toContain('Stopped after maximum tool calls.')
  },
)

test(
  'a cautious client has 30 s in all, whatever hangs, and the error has the transcript',
  { tags: ['M09'] },
  async () => {
    const clock = fakeClock()
    const run = play([[call('hanging')]], { tools: { hanging }, clock, ...conversationPreset() })
      .loop.generate('x')
      .catch((error: unknown) => error)
    await idle()
    clock.advance(29_999)
    const early = await Promise.race([run, idle()])
    expect(early).toBeUndefined()
    clock.advance(1)
    const error = await run
    expect(error).toMatchObject({ code: 'timeout' })
    const last = LoopError.isInstance(error) ? error.transcript?.messages.at(-1) : undefined
    expect(last).toMatchObject({ role: 'tool', content: [{ output: { value: { code: 'aborted' } } }] })
  },
)

test(
  'a tool has 30 s unless told otherwise; a late one is answered, not fatal; 0 is no limit',
  { tags: ['M10'] },
  async () => {
    const clock = fakeClock()
    const { loop } = play([[call('hanging')], 'Done.'], { tools: { hanging }, clock })
    const run = loop.generate('x')
    await idle()
    clock.advance(30_000)
    const result = await run
    expect([result.text, ...outcomes(result.toolResults)]).toEqual(['Done.', 'tool-timeout'])
    const own = { ...hanging, timeout: 10_000 }
    const quick = play([[call('own')], 'Done.'], { tools: { own }, clock }).loop.generate('x')
    await idle()
    clock.advance(10_000)
    expect(outcomes((await quick).toolResults)).toEqual(['tool-timeout'])
    const endlessly = play([[call('hanging')]], { tools: { hanging }, clock, toolTimeout: 0 })
    void endlessly.loop.generate('x')
    await idle()
    expect(clock.open).toBe(0)
  },
)

test('a request may have a limit of its own; 0 is none', { tags: ['M11'] }, async () => {
  const clock = fakeClock()
  const hangs = { parts: [say('half')], hang: true }
  const { loop } = play([hangs, 'Done.'], { clock, maxRetries: 1, turnTimeout: 30_000, random: () => 0 })
  const run = loop.generate('x')
  await idle()
  clock.advance(29_999)
  await idle()
  clock.advance(1)
  await idle()
  clock.advance(500)
  expect((await run).text).toBe('Done.')
  const free = play([hangs], { clock, turnTimeout: 0 })
  void free.loop.generate('x')
  await idle()
  expect(clock.open).toBe(0)
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

test('what happens at the limit is chosen', { tags: ['M13'] }, async () => {
  const turn = (n: number) => [call('weather', { city: `c${n}` })]
  const at = async (options: Partial<StepLoopOptions>) => {
    const { loop, requests } = play([turn(1), turn(2), 'Last words.'], options)
    const result = await loop.generate('x')
    const { status, stopReason, text } = result
    return { status, stopReason, text, results: outcomes(result.toolResults).length, requests: requests.length }
  }
  const limit = { stopReason: 'max-steps', results: 2, requests: 2 }
  expect(await at({ maxSteps: 1, onLimit: 'incomplete' })).toEqual({ ...limit, status: 'incomplete', text: '' })
  expect(await at({ maxSteps: 2 })).toMatchObject({ status: 'completed', text: 'Last words.', requests: 3 })
  // The last batch runs and is recorded, and nobody is asked about its results.
  const after = await at({ stopWhen: (steps) => steps.length === 2 })
  expect(after).toEqual({ status: 'completed', stopReason: 'stop-when', text: '', results: 2, requests: 2 })
  const thrown = play([turn(1), turn(2)], { maxSteps: 1, onLimit: 'throw' }).loop.generate('x')
  await expect(thrown).rejects.toMatchObject({ code: 'max-steps', message: expect.stringContaining('maxSteps') })
})
