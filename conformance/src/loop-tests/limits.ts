import { expect, test } from 'vitest'
import { z } from 'zod'
import { LoopError, tool, type Adapter, type RunResult, type Step, type StepLoopOptions } from '@steploop/core'
import { fakeClock, scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'

export function testLimits(makeLoop: MakeWholeLoop): void {
  let runs = 0
  const count = tool({ inputSchema: z.object({}), execute: () => ++runs })
  const call = { type: 'call', toolName: 'count', input: {} } as const

  async function play(script: readonly ScriptedTurn[], options: Partial<StepLoopOptions>) {
    runs = 0
    const model = scriptedAdapter(script)
    const loop = makeLoop({ model, tools: { count }, ...options })
    const outcome = await loop.generate('x').catch((error: unknown) => error)
    return { outcome, requests: model.requests.map(({ request }) => request), executions: runs }
  }

  const codes = (outcome: unknown): string[] => {
    const { transcript } = outcome as RunResult | LoopError
    return (transcript?.messages ?? []).flatMap((message) =>
      message.role === 'tool'
        ? message.content.map(({ output }) => (output.type === 'error' ? output.value.code : 'ok'))
        : [],
    )
  }

  test('maxSteps n runs at most n batches and makes n + 1 requests; the last answers', { tags: ['M13'] }, async () => {
    const { outcome, requests, executions } = await play([[call], [call], 'done'], { maxSteps: 2 })
    expect(outcome).toMatchObject({ status: 'completed', stopReason: 'max-steps', text: 'done' })
    expect([requests.length, executions, requests[2]?.toolChoice]).toEqual([3, 2, 'none'])
  })

  test('maxSteps n answers calls of the finalizing turn instead of running them', async () => {
    const { outcome, executions } = await play([[call], [call]], { maxSteps: 1 })
    expect(outcome).toMatchObject({ status: 'incomplete', stopReason: 'max-steps' })
    expect([executions, codes(outcome)]).toEqual([1, ['ok', 'limit-reached']])
  })

  test('maxSteps n ends as incomplete after calls that are answered, not run', { tags: ['M04', 'M13'] }, async () => {
    const { outcome, requests, executions } = await play([[call], [call]], { maxSteps: 1, onLimit: 'incomplete' })
    expect(outcome).toMatchObject({ status: 'incomplete', stopReason: 'max-steps' })
    expect([requests.length, executions, requests[1]?.toolChoice]).toEqual([2, 1, undefined])
    expect(codes(outcome)).toEqual(['ok', 'limit-reached'])
  })

  test('maxSteps n is no limit for a run that answers with its last request', async () => {
    const { outcome } = await play([[call], 'done'], { maxSteps: 1, onLimit: 'incomplete' })
    expect(outcome).toMatchObject({ status: 'completed', stopReason: 'answer' })
  })

  test('maxSteps n throws with a transcript in which every call is answered', { tags: ['M13'] }, async () => {
    const { outcome, executions } = await play([[call], [call]], { maxSteps: 1, onLimit: 'throw' })
    expect(LoopError.isInstance(outcome) && outcome.code).toBe('max-steps')
    expect([executions, codes(outcome)]).toEqual([1, ['ok', 'limit-reached']])
  })

  test('maxSteps n: 0 is legal: one request, and nothing runs', { tags: ['M03'] }, async () => {
    const { outcome, requests, executions } = await play(['hi'], { maxSteps: 0 })
    expect(outcome).toMatchObject({ text: 'hi' })
    expect([requests.length, executions, requests[0]?.toolChoice]).toEqual([1, 0, 'none'])
  })

  test('maxSteps n: maxSteps is 10 unless given, and never more than 128', { tags: ['M02', 'L12'] }, async () => {
    const script = Array.from({ length: 129 }, () => [call])
    const options = { onLimit: 'incomplete', maxRepeatedCalls: 0 } as const
    const { requests, executions } = await play(script, { ...options, maxSteps: 1000 })
    expect([requests.length, executions]).toEqual([129, 128])
    expect((await play(script, options)).executions).toBe(10)
  })

  test('calls beyond `maxToolCallsPerStep` are answered, not run', { tags: ['M07'] }, async () => {
    const { outcome, executions } = await play([[call, call, call], 'ok'], { maxToolCallsPerStep: 2 })
    expect([executions, codes(outcome)]).toEqual([2, ['ok', 'ok', 'too-many-calls']])
    expect(JSON.stringify(outcome)).toContain('At most 2 calls are run per step.')
  })

  const spent = { inputTokens: 80, outputTokens: 20 }
  const costly = { parts: [call], usage: spent }

  test('maxToolCalls counts the calls that ran in the whole run', { tags: ['E08'] }, async () => {
    const { outcome, executions } = await play([[call, call], 'done'], { maxToolCalls: 2 })
    expect(outcome).toMatchObject({ status: 'completed', stopReason: 'max-tool-calls', text: 'done' })
    expect(executions).toBe(2)
  })

  test('a limit on the whole run counts what ran, and answers what is beyond the limit within a turn', async () => {
    const { outcome, executions } = await play([[call, call, call], 'done'], { maxToolCalls: 2 })
    expect([executions, codes(outcome)]).toEqual([2, ['ok', 'ok', 'limit-reached']])
    const unknown = { ...call, toolName: 'nope' }
    const { outcome: other } = await play([[unknown, unknown], [call], 'done'], { maxToolCalls: 1 })
    expect(codes(other)).toEqual(['unknown-tool', 'unknown-tool', 'ok'])
  })

  test(
    'a limit on the whole run reserves tokens for the turn to come and for the one that finalizes',
    { tags: ['E08'] },
    async () => {
      const { outcome, requests } = await play([costly, costly, 'done'], { maxTokens: 399 })
      expect(outcome).toMatchObject({ status: 'completed', stopReason: 'token-budget', text: 'done' })
      expect(requests.map((request) => request.toolChoice)).toEqual([undefined, undefined, 'none'])
      const exact = await play([costly, costly, costly, 'done'], { maxTokens: 400 })
      expect(exact.outcome).toMatchObject({ stopReason: 'token-budget', text: 'done' })
      expect(exact.requests.map((request) => request.toolChoice)).toEqual([undefined, undefined, undefined, 'none'])
    },
  )

  test.each<[string, Partial<StepLoopOptions>]>([
    ['token-budget', { maxTokens: 150 }],
    ['cost-budget', { maxCost: 1.5, costOf: () => 1 }],
  ])(
    'a limit on the whole run ends as incomplete when not even the last turn fits: %s',
    async (stopReason, options) => {
      const { outcome, requests } = await play([costly], options)
      expect(outcome).toMatchObject({ status: 'incomplete', stopReason })
      expect([requests.length, codes(outcome)]).toEqual([1, ['ok']])
    },
  )

  test.each<[string, Partial<StepLoopOptions>, string, string]>([
    ['max-steps', { maxSteps: 1 }, '(1/1)', 'max-steps'],
    ['max-tool-calls', { maxToolCalls: 1 }, '(1/1)', 'max-tool-calls'],
    ['token-budget', { maxTokens: 150 }, '(100/150)', 'budget'],
    ['cost-budget', { maxCost: 1.5, costOf: () => 1 }, '(1/1.5)', 'budget'],
    ['timeout', { timeout: 100 }, '(100 ms)', 'timeout'],
    ['repeated-call', { maxRepeatedCalls: 2 }, '(2 times)', 'repeated-call'],
  ])('a limit says how far it was used, and its error what to raise: %s', async (reason, options, used, code) => {
    const [option] = Object.keys(options)
    const script = [costly, costly, costly, costly]
    const timed = () => {
      const clock = fakeClock()
      const slow = tool({ inputSchema: z.object({}), execute: () => clock.advance(100) })
      return reason === 'timeout' ? { ...options, clock, tools: { count: slow } } : options
    }
    const ended = await play(script, { ...timed(), onLimit: 'incomplete' })
    expect(ended.outcome).toMatchObject({ stopReason: reason })
    const { stopDetail } = ended.outcome as RunResult
    expect([stopDetail?.startsWith(reason), stopDetail?.endsWith(used)]).toEqual([true, true])
    const { outcome } = await play(script, { ...timed(), onLimit: 'throw' })
    expect(outcome).toMatchObject({ code, message: expect.stringContaining(`\`${option}\``) })
  })

  test('prices turns with the caller’s function, and cannot without it', { tags: ['E08'] }, async () => {
    const options = { maxCost: 3, costOf: () => 1 }
    const { outcome } = await play([costly, costly, 'done'], options)
    expect(outcome).toMatchObject({ status: 'completed', stopReason: 'cost-budget' })
    expect(() => makeLoop({ model: scriptedAdapter([]), maxCost: 1 })).toThrow(/costOf/)
  })

  test('prices turns by what they used and by the model that was asked', async () => {
    const priced: unknown[] = []
    const costOf: StepLoopOptions['costOf'] = (usage, { model }) => priced.push([usage, model]) && 0
    await play([costly, 'done'], { maxCost: 1, costOf })
    expect(priced[0]).toEqual([expect.objectContaining(spent), 'scripted-1'])
  })

  test.each([{ inputTokens: 30 }, { outputTokens: 30 }])(
    'a limit on the whole run counts the tokens that the provider tells of: %j',
    async (usage) => {
      const turn = { parts: [call], usage }
      const { requests } = await play([turn, turn, 'done'], { maxTokens: 90 })
      expect(requests.map(({ toolChoice }) => toolChoice)).toEqual([undefined, undefined, 'none'])
    },
  )

  test.each<Partial<StepLoopOptions>>([{ maxTokens: 1 }, { maxCost: 1, costOf: () => 1 }])(
    'a limit on the whole run reserves nothing for a turn before there is one: %j',
    async (options) => {
      const { requests } = await play(['done'], options)
      expect(requests.map(({ toolChoice }) => toolChoice)).toEqual([undefined])
    },
  )

  test('a limit on the whole run counts a turn without usage as one that cost nothing', async () => {
    const { outcome } = await play([{ ...costly, usage: undefined }, 'done'], { maxCost: 1, costOf: () => 1 })
    expect(outcome).toMatchObject({ status: 'completed', stopReason: 'answer', text: 'done' })
  })

  test('a limit on the whole run throws its own error when asked to', async () => {
    const calls = await play([[call], [call], 'never'], { maxToolCalls: 1, onLimit: 'throw' })
    expect(calls.outcome).toMatchObject({ code: 'max-tool-calls' })
    const { outcome } = await play([costly], { maxTokens: 150, onLimit: 'throw' })
    expect(LoopError.isInstance(outcome) && [outcome.code, outcome.transcript?.messages.length]).toEqual(['budget', 3])
  })

  test('a limit on the time of the whole run is an error where one is asked for', async () => {
    const clock = fakeClock()
    const hang = tool({ inputSchema: z.object({}), execute: () => new Promise(() => clock.advance(100)) })
    const script: readonly ScriptedTurn[] = [[{ ...call, toolName: 'hang' }]]
    const { outcome } = await play(script, { tools: { hang }, timeout: 100, clock, onLimit: 'throw' })
    expect(outcome).toMatchObject({ code: 'timeout', message: expect.stringContaining('100 ms') })
    expect(codes(outcome)).toEqual(['aborted'])
  })

  test(
    'a limit on the time of the whole run ends it while a tool hangs, with every call answered',
    { tags: ['M09'] },
    async () => {
      const clock = fakeClock()
      const hang = tool({ inputSchema: z.object({}), execute: () => new Promise(() => clock.advance(100)) })
      const model = scriptedAdapter([[{ ...call, toolName: 'hang' }]])
      const result = await makeLoop({ model, tools: { hang }, timeout: 100, clock }).generate('x')
      expect(result).toMatchObject({ status: 'incomplete', stopReason: 'timeout' })
      expect([codes(result), clock.open]).toEqual([['aborted'], 0])
    },
  )

  const ask = (city: string) => ({ type: 'call', toolName: 'look', input: { city, day: 1 } }) as const
  const look = tool({ inputSchema: z.object({}), execute: () => ++runs })

  test('the same call again and again is nudged at the fourth time, then finalized', { tags: ['E08'] }, async () => {
    const script = [[ask('A')], [ask('A')], [ask('A')], [ask('A')], [ask('A')], 'done']
    const { outcome, requests, executions } = await play(script, { tools: { look } })
    expect(outcome).toMatchObject({ status: 'completed', stopReason: 'repeated-call', text: 'done' })
    expect(codes(outcome)).toEqual(['ok', 'ok', 'ok', 'repeated-call', 'repeated-call'])
    expect([executions, requests[5]?.toolChoice]).toEqual([3, 'none'])
  })

  test('the same call again and again is seen in a pattern of several steps and whatever the order of keys', async () => {
    const b = { type: 'call', toolName: 'look', input: '{"day":1,"city":"B"}' } as const
    const b2 = { type: 'call', toolName: 'look', input: '{"city":"B","day":1}' } as const
    const { outcome } = await play([[ask('A')], [b], [ask('A')], [b2], 'done'], {
      tools: { look },
      maxRepeatedCalls: 2,
    })
    expect(codes(outcome)).toEqual(['ok', 'ok', 'ok', 'repeated-call'])
  })

  test('the same call again and again is no repetition where the caller answers each of them', async () => {
    const seat = tool({ inputSchema: z.object({}) })
    const asks = { type: 'call', toolName: 'seat', input: {} } as const
    const loop = makeLoop({
      model: scriptedAdapter([[asks], [asks], [asks], 'done']),
      tools: { seat },
      maxRepeatedCalls: 2,
    })
    let result = await loop.generate('x')
    while (result.status === 'requires-action')
      result = await loop.generate({
        transcript: result.transcript,
        toolOutputs: { [result.transcript.pendingCalls[0]?.toolCallId ?? '']: { output: 1 } },
      })
    expect([result.text, codes(result)]).toEqual(['done', ['ok', 'ok', 'ok']])
  })

  test('the same call again and again is no repetition with other inputs, and is not looked at when switched off', async () => {
    const other = await play([[ask('A')], [ask('B')], [ask('C')], [ask('D')], 'done'], { tools: { look } })
    expect(codes(other.outcome)).toEqual(['ok', 'ok', 'ok', 'ok'])
    const cities = Array.from('ABCDEFGHI', (city) => [ask(city)])
    const many = await play([...cities, 'done'], { tools: { look }, maxRepeatedCalls: 2 })
    expect(codes(many.outcome)).toEqual(cities.map(() => 'ok'))
    const off = await play([[call], [call], [call], [call], 'done'], { maxRepeatedCalls: 0 })
    expect(codes(off.outcome)).toEqual(['ok', 'ok', 'ok', 'ok'])
  })

  test('the same call again and again goes by the text of an input that is no JSON, and a run with one fails with its transcript', async () => {
    const scripted = scriptedAdapter([[ask('A')], [ask('B')], [ask('A')], [ask('B')]])
    const model: Adapter = {
      ...scripted,
      async *turn(request, context) {
        for await (const events of scripted.turn(request, context))
          yield events.map((event) => (event.type === 'tool-call' ? { ...event, input: { id: 1n } } : event))
      },
    }
    const { outcome } = await play([], { model, tools: { look }, maxRepeatedCalls: 2 })
    expect(outcome).toMatchObject({ code: 'turn-failed', message: expect.stringContaining('the script has 4') })
    expect(codes(outcome)).toEqual(['ok', 'ok', 'ok', 'repeated-call'])
  })

  test('`stopWhen` ends the run after a step whose calls are answered', { tags: ['M13'] }, async () => {
    const { outcome, requests } = await play([[call]], { stopWhen: (steps) => steps.length === 1 })
    expect(outcome).toMatchObject({ status: 'completed', stopReason: 'stop-when' })
    expect([requests.length, codes(outcome)]).toEqual([1, ['ok']])
  })

  test('`stopWhen` has a list of its own, and changes no step of the result', async () => {
    const stopWhen = (steps: readonly Step[]) => Reflect.set(steps, 'length', 0)
    expect((await play([[call]], { stopWhen })).outcome).toMatchObject({ stopReason: 'stop-when', steps: [{}] })
  })

  test('text that the token limit cut ends the run with its reason', async () => {
    const { outcome } = await play([{ parts: [{ type: 'text', text: 'half' }], finishReason: 'length' }], {})
    expect(outcome).toMatchObject({ status: 'completed', text: 'half', stopReason: 'length', finishReason: 'length' })
  })

  test('calls of a filtered turn are not run', async () => {
    const { outcome, executions } = await play([{ parts: [call], finishReason: 'content-filter' }], {})
    expect(outcome).toMatchObject({ status: 'completed', stopReason: 'content-filter' })
    expect([executions, codes(outcome)]).toEqual([0, ['not-executed']])
  })

  test('a paused turn is sent back as it is and the run goes on', { tags: ['E10'] }, async () => {
    const paused = { parts: [{ type: 'text', text: 'let me see' }], finishReason: 'pause' } as const
    const { outcome, requests } = await play([paused, 'done'], {})
    expect(outcome).toMatchObject({ text: 'done', stopReason: 'answer' })
    expect(requests[1]?.messages.map((message) => message.role)).toEqual(['user', 'assistant'])
  })

  test('an empty answer ends the run without another request', async () => {
    const { outcome, requests } = await play([[]], {})
    expect(outcome).toMatchObject({ text: '', status: 'completed' })
    expect(requests).toHaveLength(1)
  })

  test.each([
    ['ABCDABCD', 1],
    ['ABCDEABCDE', 0],
  ])('the same call again and again is looked for in patterns of up to four steps: %s', async (cities, refused) => {
    const script = [...Array.from(cities, (city) => [ask(city)]), 'done']
    const { outcome } = await play(script, { tools: { look }, maxRepeatedCalls: 2, maxSteps: 20 })
    expect(codes(outcome).filter((code) => code === 'repeated-call')).toHaveLength(refused)
  })

  test('the same call again and again is forgotten once the model tries something else', async () => {
    const script = [[ask('A')], [ask('A')], [ask('B')], [ask('B')], 'done']
    const { outcome } = await play(script, { tools: { look }, maxRepeatedCalls: 2 })
    expect(outcome).toMatchObject({ stopReason: 'answer' })
    expect(codes(outcome)).toEqual(['ok', 'repeated-call', 'ok', 'repeated-call'])
  })

  test.each<[string, readonly ScriptedTurn[], Partial<StepLoopOptions>]>([
    ['content filter', [{ parts: [call], finishReason: 'content-filter' }], {}],
    ['max-steps', [[call]], { maxSteps: 0 }],
    ['2 times', [[call], [call], 'done'], { maxRepeatedCalls: 2 }],
  ])('a call that no limit lets run is answered with the reason: %s', async (reason, script, options) => {
    const { outcome } = await play(script, options)
    const output = (outcome as RunResult).toolResults.at(-1)?.output
    expect(output?.type === 'error' && output.value.message).toContain(reason)
  })

  test.each([
    ['A', 'completed', ['ok', 'ok', 'repeated-call', 'repeated-call']],
    ['B', 'requires-action', ['ok', 'ok', 'ok']],
  ])('the same call again and again is seen in a run that was stored in between: %s', async (city, status, said) => {
    const seat = tool({ inputSchema: z.object({}) })
    const asks = { type: 'call', toolName: 'seat', input: {} } as const
    const model = scriptedAdapter([[ask('A'), asks], [ask(city), asks], 'done'])
    const loop = makeLoop({ model, tools: { look, seat }, maxRepeatedCalls: 2 })
    const { transcript } = await loop.generate('x')
    const stored: typeof transcript = JSON.parse(JSON.stringify(transcript))
    const waiting = transcript.pendingCalls[0]?.toolCallId ?? ''
    const result = await loop.generate({ transcript: stored, toolOutputs: { [waiting]: { output: 1 } } })
    expect([result.status, codes(result)]).toEqual([status, said])
  })

  test.each([{ maxSteps: -1 }, { toolTimeout: Number.NaN }, { activeTools: ['nope'] }])(
    'options that cannot work are refused when the loop is made: %j',
    (options: Partial<StepLoopOptions>) => {
      expect(() => makeLoop({ model: scriptedAdapter([]), tools: { count }, ...options })).toThrow(/nope|from 0/)
    },
  )

  test.each<[string, Partial<StepLoopOptions>]>([
    ['token-budget', { maxTokens: 0 }],
    ['cost-budget', { maxCost: 0, costOf: () => 0 }],
  ])('a budget of nothing allows no request at all: %s', async (stopReason, options) => {
    const { outcome, requests } = await play(['done'], options)
    expect(outcome).toMatchObject({ status: 'incomplete', stopReason })
    expect(requests).toHaveLength(0)
  })

  test('a budget whose prices are no numbers ends the run instead of never being reached', async () => {
    const usage = { inputTokens: 1, outputTokens: 1 }
    const priced = { maxCost: 1, costOf: () => Number.NaN }
    const { outcome } = await play([{ parts: [call], usage }, 'done'] as ScriptedTurn[], priced)
    expect(outcome).toMatchObject({ code: 'hook-failed', message: expect.stringContaining('`costOf` gave NaN') })
  })

  test.each<[string, readonly string[], string]>([
    ['a model that sends the same unreadable arguments runs in circles', ['{a', '{a', '{a', '{a'], 'repeated-call'],
    ['unreadable arguments that differ are no repetition', ['{a', '{b', '{c', '{d'], 'answer'],
  ])('%s', async (_what, inputs, stopReason) => {
    const script = [...inputs.map((input) => [{ ...call, input }]), 'done', 'done']
    const { outcome, executions } = await play(script, { maxRepeatedCalls: 3 })
    expect([outcome, executions]).toMatchObject([{ stopReason }, 0])
  })

  test('a gateway that counts -1, or what is no number, leaves the budget to the counts that are some', async () => {
    for (const inputTokens of [-1, Number.NaN, Infinity, '7' as unknown as number]) {
      const turn = { parts: [call], usage: { inputTokens, outputTokens: 30 } }
      const { outcome } = await play([turn, turn, turn, 'done'], { maxTokens: 100, onLimit: 'incomplete' })
      expect(outcome).toMatchObject({ stopReason: 'token-budget', usage: { outputTokens: 90 } })
      expect((outcome as RunResult).usage?.inputTokens).toBeUndefined()
      const message = expect.stringContaining('without its token counts')
      expect((outcome as RunResult).warnings).toEqual([{ type: 'unsupported', path: 'usage', message }])
    }
    const nothing = await play([{ parts: [call], usage: { inputTokens: -1 } }, 'done'], {})
    expect((nothing.outcome as RunResult).usage).toBeUndefined()
  })

  test('`maxSteps` may follow from the tools, and is a number', async () => {
    const bySize: StepLoopOptions['maxSteps'] = (tools) => Object.keys(tools).length
    const { executions } = await play([[call], 'done'], { maxSteps: bySize })
    expect(executions).toBe(1)
    const { outcome, requests } = await play([[call], [call], 'never'], { maxSteps: bySize, onLimit: 'incomplete' })
    expect([outcome, requests.length]).toMatchObject([{ stopDetail: 'max-steps reached (1/1)' }, 2])
  })
}
