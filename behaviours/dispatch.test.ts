import { StepLoop, tool, type LoopEvent, type StepLoopOptions } from '@steploop/core'
import { allowTools, cacheToolResults, denyTools } from '@steploop/core/policies'
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
  eventsOf,
  idle,
  outcomes,
  play,
  say,
  weather,
  type Parsed,
} from './testing.ts'

const rome = { id: 'c1', name: 'weather', input: { city: 'Rome' } }

describe('a tool that fails', () => {
  test('is answered with a JSON error that the model sees, and the run goes on', { tags: ['D01'] }, async () => {
    const { model, bodies } = chatModel([
      chatAnswer(null, [{ ...rome, name: 'broken', input: {} }]),
      chatAnswer('Sorry.'),
    ])
    const result = await new StepLoop({ model, tools: { broken } }).generate('x')
    expect([result.status, result.text]).toEqual(['completed', 'Sorry.'])
    expect(Object.keys(JSON.parse(bodies[1].messages[2].content))).toEqual(['error'])
  })

  test('takes no result from its siblings', { tags: ['D02'] }, async () => {
    const result = await play([
      [call('weather', { city: 'A' }), call('broken'), call('time', { tz: 'B' })],
      'Done.',
    ]).loop.generate('x')
    expect(outcomes(result.toolResults)).toEqual([{ city: 'A', degrees: 21 }, 'tool-failed', 'noon in B'])
  })

  test('gives valid JSON whatever its message holds', { tags: ['D03'] }, async () => {
    const { model, bodies } = chatModel([
      chatAnswer(null, [{ ...rome, name: 'broken', input: {} }]),
      chatAnswer('Sorry.'),
    ])
    await new StepLoop({ model, tools: { broken } }).generate('x')
    const { error } = JSON.parse(bodies[1].messages[2].content)
    expect(error).toMatchObject({ code: 'tool-failed', message: 'no "quotes"\nand no lines' })
  })

  test('ends the run, with the transcript, where the application wants it so', { tags: ['D05'] }, async () => {
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
  })

  test(
    'has an error as its output, a text of its own if it had none; success is the JSON of its value',
    { tags: ['D06'] },
    async () => {
      const mute = tool({ inputSchema: z.object({}), execute: () => Promise.reject(new Error('')) })
      const answers = [chatAnswer(null, [rome, { id: 'c2', name: 'mute', input: {} }]), chatAnswer('Done.')]
      const { model, bodies } = chatModel(answers)
      await new StepLoop({ model, tools: { weather, mute } }).generate('x')
      const [good, bad] = bodies[1].messages.slice(2).map(({ content }: Parsed) => JSON.parse(content))
      expect(good).toEqual({ city: 'Rome', degrees: 21 })
      expect(bad.error.message).toBe('The tool failed without a message.')
    },
  )
})

test('a call without anything to run it is answered with an error, and fails nothing', { tags: ['D04'] }, async () => {
  const result = await play([[call('weather', { city: 'A' })], 'Done.'], { tools: {} }).loop.generate('x')
  expect([result.text, ...outcomes(result.toolResults)]).toEqual(['Done.', 'unknown-tool'])
})

describe('arguments that are no JSON', () => {
  const script = [[call('list', '{"a":')], 'Done.']
  const ran: unknown[] = []
  const list = tool({ inputSchema: z.object({}), execute: (input) => ran.push(input) })

  test(
    'are answered with an error, repaired, or taken as {}, as the application wants',
    { tags: ['D07'] },
    async () => {
      const told = await play(script, { tools: { list } }).loop.generate('x')
      expect([outcomes(told.toolResults), ran]).toEqual([['unparsable-input'], []])
      const { onInvalidInput } = chatBackendPreset()
      await play(script, { tools: { list }, onInvalidInput }).loop.generate('x')
      expect(ran).toEqual([{}])
      const input = { a: 1 }
      const strict = { ...list, inputSchema: z.object({ a: z.number() }) }
      await play(script, { tools: { list: strict }, onInvalidInput: () => input }).loop.generate('x')
      expect(ran).toEqual([{}, { a: 1 }])
    },
  )
})

describe('independent calls', () => {
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
    'run at the same time, with results in call order; one by one where calls are not wanted in parallel',
    { tags: ['D08'] },
    async () => {
      expect(await order({})).toEqual({ log: ['begin 1', 'begin 2', 'end 2', 'end 1'], results: [1, 2] })
      const serial = { log: ['begin 1', 'end 1', 'begin 2', 'end 2'], results: [1, 2] }
      expect(await order({ parallelToolCalls: false })).toEqual(serial)
      expect(await order({ maxToolConcurrency: 1 })).toEqual(serial)
    },
  )

  test('are asked for in the request, where there are tools', { tags: ['D09'] }, async () => {
    const { policies: _policies, ...preset } = chatBackendPreset()
    const { model, bodies } = chatModel([chatAnswer('Hallo.'), chatAnswer('Hallo.')])
    await new StepLoop({ model, tools: { weather }, ...preset }).generate('x')
    await new StepLoop({ model, ...preset }).generate('x')
    expect(bodies.map((body) => body.parallel_tool_calls)).toEqual([true, undefined])
  })
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

  test('may be the caller’s, for names that are not known beforehand', { tags: ['H14'] }, async () => {
    const result = await play(script, { unknownTools: 'client' }).loop.generate('x')
    expect(result).toMatchObject({ status: 'requires-action', stopReason: 'client-tool' })
    expect(result.transcript.pendingCalls).toMatchObject([{ toolCallId: 's1', toolName: 'stranger', input: { a: 1 } }])
  })
})

describe('a tool of the caller', () => {
  test('is handed back; in a mixed batch the calls of the loop run first', { tags: ['D11'] }, async () => {
    const alone = await play([[call('ask', { question: 'Sure?' }, 'q')]]).loop.generate('x')
    expect([alone.status, alone.transcript.pendingCalls.length]).toEqual(['requires-action', 1])
    const mixed = await play([[call('ask', { question: 'Sure?' }, 'q'), call('time', { tz: 'CET' })]]).loop.generate(
      'x',
    )
    expect([mixed.status, outcomes(mixed.toolResults)]).toEqual(['requires-action', ['noon in CET']])
    expect(mixed.transcript.pendingCalls).toMatchObject([{ toolCallId: 'q', reason: 'client-tool' }])
    const owned = await play([[call('time', { tz: 'CET' })], 'Noon.']).loop.generate('x')
    expect([owned.status, owned.transcript.pendingCalls]).toEqual(['completed', []])
  })

  test(
    'is the way to run nothing by itself: the run waits until the caller has answered',
    { tags: ['D16'] },
    async () => {
      const { loop, requests } = play([[call('ask', { question: 'Sure?' }, 'q')], 'Thanks.'])
      const waiting = await loop.generate('x')
      const still = await loop.generate({ transcript: waiting.transcript })
      expect([still.status, requests.length]).toEqual(['requires-action', 1])
      const done = await loop.generate({ transcript: still.transcript, toolOutputs: { q: { output: { sure: true } } } })
      expect([done.text, outcomes(done.toolResults)]).toEqual(['Thanks.', [{ sure: true }]])
    },
  )

  test(
    'hooks may give the outputs, and the run goes on; what they leave waits for the caller',
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
})

test('after a step a run goes on, is done, is incomplete, or waits for the caller', { tags: ['D12'] }, async () => {
  const statusOf = async (turn: ReturnType<typeof call>[], options: Partial<StepLoopOptions> = {}) => {
    const { loop, requests } = play([turn, 'Done.'], options)
    return [(await loop.generate('x')).status, requests.length]
  }
  expect(await statusOf([call('time', { tz: 'CET' })])).toEqual(['completed', 2])
  expect(await statusOf([])).toEqual(['completed', 1])
  expect(await statusOf([call('time', { tz: 'CET' })], { maxSteps: 0, onLimit: 'incomplete' })).toEqual([
    'incomplete',
    1,
  ])
  expect(await statusOf([call('ask', { question: '?' })])).toEqual(['requires-action', 1])
})

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

test('only allowed tools run, the others’ calls are answered', { tags: ['D15'] }, async () => {
  const script = [[call('weather', { city: 'A' }), call('time', { tz: 'B' })], 'Done.']
  const allowed = await play(script, { policies: [allowTools(['time'])] }).loop.generate('x')
  expect(outcomes(allowed.toolResults)).toEqual(['denied', 'noon in B'])
  const denied = await play(script, { policies: [denyTools(['time'])] }).loop.generate('x')
  expect(outcomes(denied.toolResults)).toEqual([{ city: 'A', degrees: 21 }, 'denied'])
})

test('results may be kept by name and input, whatever the order of keys', { tags: ['D17'] }, async () => {
  let runs = 0
  const inputSchema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } }
  const add = tool({ inputSchema, effect: 'read', execute: ({ a, b }) => (runs++, Number(a) + Number(b)) })
  const script = [[call('add', { a: 1, b: 2 })], [call('add', { b: 2, a: 1 })], [call('add', { a: 2, b: 2 })], 'Done.']
  const result = await play(script, { tools: { add }, policies: [cacheToolResults()] }).loop.generate('x')
  expect([runs, outcomes(result.toolResults)]).toEqual([2, [3, 3, 4]])
})

test('the application learns of a call before and after it runs, streamed or not', { tags: ['D18'] }, async () => {
  const log: string[] = []
  const noted = tool({ inputSchema: z.object({}), execute: () => void log.push('runs') })
  const onToolExecuted: StepLoopOptions['onToolExecuted'] = ({ toolCall, toolResult }) => {
    log.push(`${toolCall?.toolName} gave ${toolResult?.output.type}`)
  }
  const script = [[call('noted')], 'Done.']
  const onResponse: StepLoopOptions['onResponse'] = ({ response }) => {
    for (const part of response?.content ?? []) if (part.type === 'tool-call') log.push(`${part.toolName} is to run`)
  }
  await play(script, { tools: { noted }, onResponse, onToolExecuted }).loop.generate('x')
  expect(log).toEqual(['noted is to run', 'runs', 'noted gave json'])
  const note = (event: LoopEvent): void => {
    if (event.type === 'tool-state') log.push(event.state)
    if (event.type === 'tool-result') log.push('result')
  }
  log.length = 0
  for (const event of await eventsOf(play(script, { tools: { noted }, onToolExecuted }).loop.stream('x'))) note(event)
  expect(log.filter((line) => line !== 'runs')).toEqual(['noted gave json', 'queued', 'running', 'completed', 'result'])
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

test('an abort reaches a running tool, and no request follows', { tags: ['D20'] }, async () => {
  const controller = new AbortController()
  let seen: AbortSignal | undefined
  const slow = tool({
    inputSchema: z.object({}),
    execute: (_input, { signal }) => {
      seen = signal
      return new Promise(() => undefined)
    },
  })
  const { loop, requests } = play([[say('Wait.'), call('slow')], 'never'], { tools: { slow } })
  const run = loop.generate('x', { abortSignal: controller.signal }).catch((error: unknown) => error)
  await idle()
  expect(seen?.aborted).toBe(false)
  controller.abort()
  expect(await run).toMatchObject({ code: 'aborted' })
  expect([seen?.aborted, requests.length]).toEqual([true, 1])
})
