import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  AdapterError,
  LoopError,
  readServerSentEvents,
  tool,
  toServerSentEvents,
  type ChatEvent,
  type LoopEvent,
  type ServerSentEventsOptions,
  type StepLoopOptions,
  type ToolOwner,
} from '@steploop/core'
import { fakeClock, scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { call, hasty, idle } from './parts.ts'

export function testServerSentEvents(makeLoop: MakeWholeLoop): void {
  const look = tool({ inputSchema: z.object({}), execute: () => ({ seen: 'Zürich\n東京' }) })
  const fail = tool({ inputSchema: z.object({}), execute: () => Promise.reject(new Error('postgres://app:s3cr3t@db')) })
  const seat = tool({ inputSchema: z.object({}) })
  const pay = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'paid' })
  function loopOf(script: readonly ScriptedTurn[], options: Partial<StepLoopOptions> = {}) {
    return makeLoop({ model: scriptedAdapter(script), tools: { look, fail, seat, pay }, maxRetries: 0, ...options })
  }

  function respond(events: AsyncIterable<LoopEvent>, options?: ServerSentEventsOptions): Response {
    return new Response(toServerSentEvents(events, options), { headers: { 'content-type': 'text/event-stream' } })
  }

  /** What the page reads. */
  async function read(
    stream: AsyncIterable<LoopEvent>,
    options?: ServerSentEventsOptions,
  ): Promise<readonly ChatEvent[]> {
    const events: ChatEvent[] = []
    for await (const event of readServerSentEvents(respond(stream, options))) events.push(event)
    return events
  }

  const page = (script: readonly ScriptedTurn[], options?: Partial<StepLoopOptions>) =>
    read(loopOf(script, options).stream('x'))

  async function* runOf(...events: readonly LoopEvent[]): AsyncGenerator<LoopEvent> {
    yield* events
    yield { type: 'run-end', result: await loopOf(['x']).generate('x') }
  }

  const types = (events: readonly ChatEvent[]) =>
    events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])

  test('what a tool reports reaches the page between its begin and its result', async () => {
    const report = {
      progress: 1,
      total: 4,
      message: 'a quarter',
      content: [{ type: 'text', text: 'for you' }],
    } as const
    const work = tool({ inputSchema: z.object({}), execute: (_input, context) => context.report(report) })
    const events = await page([[call('work')], 'done'], { tools: { work } })
    expect(types(events)).toEqual(['tool_calls', 'tool_executing', 'tool_progress', 'tool_result', 'content', 'done'])
    const { id } = events.find(({ type }) => type === 'tool_executing') as { readonly id: string }
    expect(events[2]).toEqual({ type: 'tool_progress', id, name: 'work', ...report, step: 0 })
  })

  test('a run that a limit left without an answer says so', async () => {
    const stopped = async (options: Partial<StepLoopOptions>) =>
      (
        await page([{ parts: [call('look')], usage: { inputTokens: 9, outputTokens: 1 } }], {
          ...options,
          onLimit: 'incomplete',
        })
      )
        .slice(-3, -1)
        .map((event) =>
          event.type === 'content' ? event.content : event.type === 'warning' ? event.message : event.type,
        )
    const calls = 'Stopped after maximum tool calls.'
    expect(await stopped({ maxSteps: 0 })).toEqual(['Reached maximum tool call iterations (0)', calls])
    expect(await stopped({ maxToolCalls: 0 })).toEqual([
      'Reached a limit of the run: max-tool-calls reached (0/0)',
      calls,
    ])
    const used = 'token-budget used up (10/5)'
    expect(await stopped({ maxTokens: 5 })).toEqual([
      `Reached a limit of the run: ${used}`,
      'Stopped at a limit: token-budget.',
    ])
    const answered = [{ type: 'text', text: 'so far' } as const, call('look')]
    const events = await page([[call('look')], answered], { maxSteps: 1, onLimit: 'incomplete' })
    expect(events.at(-1)).toMatchObject({ type: 'done', status: 'incomplete', stopReason: 'max-steps' })
    expect(types(events).slice(-2)).toEqual(['warning', 'done'])
    const late = { ...(await loopOf(['']).generate('x')), status: 'incomplete', stopReason: 'timeout' } as const
    expect((await read(runOf({ type: 'run-end', result: late }))).slice(0, 3)).toMatchObject([
      { type: 'warning', message: 'Reached a limit of the run: timeout' },
      { type: 'content', content: 'Stopped at a limit: timeout.' },
      { type: 'done' },
    ])
  })

  const turn: ScriptedTurn = [
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'ok' },
    call('look'),
    call('fail'),
  ]

  test(
    'a run reaches a chat page in the order that it expects, each event with its step',
    { tags: ['S09', 'S11'] },
    async () => {
      const events = await page([turn, 'done'])
      expect(types(events)).toEqual([
        'reasoning',
        'content',
        'tool_calls',
        'tool_executing',
        'tool_result',
        'content',
        'done',
      ])
      expect(events.map(({ step }) => step)).toEqual(events.map(({ type }, at) => (at > 8 || type === 'done' ? 1 : 0)))
      expect(events.find(({ type }) => type === 'tool_calls')).toMatchObject({
        calls: [
          { id: expect.any(String), name: 'look', arguments: '{}' },
          { name: 'fail', arguments: '{}' },
        ],
      })
    },
  )

  test('a run reaches a chat page in frames without names, one line of JSON each, so that `onmessage` sees them', async () => {
    const text = await respond(loopOf([turn, 'done']).stream('x')).text()
    const frames = text.trim().split('\n\n')
    expect(frames.filter((frame) => !/^data: \{"type":"\w+".*\}$/.test(frame))).toEqual([])
    expect(JSON.parse(frames.at(-1)!.slice('data: '.length))).toMatchObject({ type: 'done', done: true })
  })

  test('a run reaches a chat page with results of tools that succeed and fail', async () => {
    const results = (await page([turn, 'done'])).flatMap((event) => (event.type === 'tool_result' ? event.result : []))
    expect(results).toContainEqual({ success: true, result: { seen: 'Zürich\n東京' } })
    expect(results).toContainEqual({ success: false, error: 'The tool could not do this.', code: 'tool-failed' })
  })

  test('a run reaches a chat page with the object, the usage and the reason at its end', async () => {
    const output = { schema: z.object({ day: z.string().transform((text) => new Date(text)) }) }
    const usage = { inputTokens: 3, outputTokens: 4 }
    const given = { type: 'call', toolName: 'output_structured_data', input: { day: '2026-11-22' } } as const
    const events = await page([{ parts: [given], usage }], { output })
    expect(events).toEqual([
      {
        type: 'done',
        done: true,
        status: 'completed',
        stopReason: 'answer',
        pendingCalls: [],
        output: { day: '2026-11-22T00:00:00.000Z' },
        usage,
        step: 0,
      },
    ])
  })

  test('a run reaches a chat page with all that a page shows of it', async () => {
    const [found, running] = [
      { toolCallId: 's1', toolName: 'web_search' },
      { toolCallId: 'c1', toolName: 'look' },
    ]
    const failed = { type: 'error', value: { code: 'tool-failed', message: 'db' } } as const
    const image = { mediaType: 'image/png', url: 'https://example.com/a', filename: 'a.png' }
    const citation = { url: 'https://example.com' }
    const error = new AdapterError({ provider: 'acme', model: 'm1', code: 'overloaded' })
    const result = { success: false, error: 'The tool could not do this.', code: 'tool-failed' }
    const told: readonly LoopEvent[] = [
      { type: 'step-start', step: 0 },
      { type: 'reasoning-delta', part: 0, text: 'hm' },
      { type: 'refusal-delta', part: 1, text: 'no' },
      { type: 'tool-call', part: 2, ...found, input: {}, inputText: '{}', owner: 'provider' },
      { type: 'tool-result', ...found, output: failed, owner: 'provider' },
      { type: 'tool-state', ...running, state: 'running' },
      { type: 'citation', part: 3, citation },
      { type: 'file', part: 4, mediaType: 'image/png', data: 'AAAA' },
      { type: 'file', part: 5, ...image },
      { type: 'partial-output', output: { a: 1 } },
      { type: 'warning', warning: { type: 'dropped', path: 'topK', message: 'has no topK' } },
      { type: 'step-retry', step: 0, attempt: 1, delayMs: 0, error },
    ]
    const expected = [
      { type: 'reasoning', content: 'hm' },
      { type: 'content', content: 'no' },
      { type: 'tool_calls', calls: [{ id: 's1', name: 'web_search', arguments: '{}' }] },
      { type: 'tool_result', id: 's1', name: 'web_search', result },
      { type: 'tool_executing', id: 'c1', name: 'look' },
      { type: 'citation', citation },
      { type: 'file', mediaType: 'image/png', data: 'AAAA' },
      { type: 'file', ...image },
      { type: 'partial_output', output: { a: 1 } },
      { type: 'warning', message: 'has no topK' },
      { type: 'retry', code: 'overloaded', message: 'Something went wrong. Please try again.' },
    ]
    const events = await read(runOf(...told))
    expect(events.slice(0, -1)).toEqual(expected.map((one) => ({ ...one, step: 0 })))
  })

  const eventOf = (type: 'tool-call' | 'tool-result', toolCallId: string, owner: ToolOwner = 'client'): LoopEvent => {
    const named = { toolCallId, toolName: 'search', owner }
    if (type === 'tool-result') return { type, ...named, output: sought }
    return { type, part: 0, ...named, input: {}, inputText: '{}' }
  }
  const sought = { type: 'text', value: 'pages' } as const
  const queued = (toolCallId: string): LoopEvent => ({
    type: 'tool-state',
    toolCallId,
    toolName: 'search',
    state: 'queued',
  })

  /** Names of what the page gets, with the ids of calls. */
  async function shown(...given: readonly LoopEvent[]): Promise<readonly string[]> {
    const events = await read(runOf({ type: 'step-start', step: 0 }, ...given))
    return events.slice(0, -1).map((sent) => {
      if (sent.type === 'tool_calls') return `calls ${sent.calls.map(({ id }) => id).join(' ')}`
      return sent.type === 'tool_result' ? `result ${sent.id}` : sent.type
    })
  }

  test('a call that the provider ran is announced with its result, those of the caller all at once when they begin', async () => {
    const [made, ended] = ['tool-call', 'tool-result'] as const
    const calls = [
      eventOf(made, 'p1', 'provider'),
      eventOf(made, 'c1'),
      eventOf(made, 'p2', 'provider'),
      eventOf(made, 'c2'),
    ]
    const said: LoopEvent = { type: 'text-delta', part: 4, text: 'so' }
    const results = [eventOf(ended, 'p2', 'provider'), eventOf(ended, 'p1', 'provider')]
    const run = [...calls, said, ...results, queued('c1'), queued('c2'), eventOf(ended, 'c2'), eventOf(ended, 'c1')]
    const own = ['calls p2', 'result p2', 'calls p1', 'result p1']
    expect(await shown(...run)).toEqual(['content', ...own, 'calls c1 c2', 'result c2', 'result c1'])
    const early = [...calls, queued('c1'), ...results]
    expect(await shown(...early)).toEqual(['calls c1 c2', ...own])
  })

  test('calls of a turn that is asked for again, or of an earlier step, are not announced any more', async () => {
    const error = new AdapterError({ provider: 'acme', model: 'm1', code: 'overloaded' })
    const again: LoopEvent = { type: 'step-retry', step: 0, attempt: 1, delayMs: 0, error }
    const [old, fresh] = [eventOf('tool-call', 'old'), eventOf('tool-call', 'new')]
    expect(await shown(old, again, fresh, queued('new'))).toEqual(['retry', 'calls new'])
    expect(await shown(old, { type: 'step-start', step: 1 }, fresh, queued('new'))).toEqual(['calls new'])
  })

  test('a suspended run names its pending calls, and so does the run that goes on', async () => {
    const model = scriptedAdapter([[call('seat'), call('pay')], 'Done.'])
    const loop = makeLoop({ model, tools: { seat, pay } })
    const stream = loop.stream('x')
    const done = (await read(stream)).at(-1)
    const [first, second] = [
      { id: 'call_0_0', name: 'seat', arguments: '{}' },
      { id: 'call_0_1', name: 'pay', arguments: '{}' },
    ]
    expect(done).toMatchObject({
      status: 'requires-action',
      pendingCalls: [
        { ...first, reason: 'client-tool' },
        { ...second, reason: 'approval' },
      ],
    })
    const { transcript } = await stream.result
    const resumed = await read(loop.stream({ transcript, toolOutputs: { call_0_1: { approved: true } } }))
    expect(resumed).toMatchObject([
      { type: 'tool_calls', calls: [first, second] },
      { type: 'tool_executing', id: 'call_0_1' },
      { type: 'tool_result', id: 'call_0_1', result: { success: true, result: 'paid' } },
      { type: 'done', status: 'requires-action', pendingCalls: [{ ...first, reason: 'client-tool' }] },
    ])
    expect(resumed.some((event) => event.step !== undefined)).toBe(false)
  })

  const refused = new AdapterError({
    provider: 'acme',
    model: 'm1',
    code: 'bad-request',
    providerMessage: 'db.internal',
  })

  test(
    'errors of a run are reported once, without what is inside, before the one `done`',
    { tags: ['S14'] },
    async () => {
      const events = await page([refused])
      expect(events).toEqual([
        { type: 'error', code: 'turn-failed', message: 'Something went wrong. Please try again.', step: 0 },
        { type: 'done', done: true, status: 'failed', stopReason: 'turn-failed', pendingCalls: [], step: 0 },
      ])
    },
  )

  test('errors of turns that are asked for again, and of tools, hold nothing of what is inside either', async () => {
    const broken = { parts: [], error: new AdapterError({ provider: 'acme', model: 'm1', code: 'overloaded' }) }
    const options = { maxRetries: 1, random: () => 1, clock: hasty }
    const text = JSON.stringify(await page([broken, [call('fail')], refused], options))
    expect(text).toMatch(/"type":"retry","code":"overloaded"/)
    expect(text).not.toMatch(/acme|m1|db|s3cr3t|postgres/)
  })

  test('errors are reported as the application wants, and masked where it fails', async () => {
    const errorText: ServerSentEventsOptions['errorText'] = ({ code, message }) => {
      if (code === 'turn-failed') throw new Error(message)
      return `${code}: ${message}`
    }
    const events = await read(loopOf([[call('fail')], refused]).stream('x'), { errorText })
    expect(JSON.stringify(events)).toContain('tool-failed: postgres://app:s3cr3t@db')
    expect(events.at(-2)).toMatchObject({ type: 'error', message: 'Something went wrong. Please try again.' })
  })

  test('errors of runs without a history, and of others that have the code of a missing API key, are masked too', async () => {
    const cause = Object.assign(new Error('postgres://app:s3cr3t@db'), { code: 'missing-api-key' })
    const events = await read(runOf({ type: 'run-error', error: new LoopError('hook-failed', 'a hook', { cause }) }))
    expect(events.slice(0, 2)).toMatchObject([
      { type: 'error', message: 'Something went wrong. Please try again.' },
      { type: 'done', pendingCalls: [] },
    ])
  })

  test('errors: a missing API key is reported: whoever runs the server has to hear it', async () => {
    const message = 'ACME_API_KEY is not set'
    const error = new AdapterError({ provider: 'acme', model: 'm1', code: 'missing-api-key', message })
    const reported = { type: 'error', message: expect.stringContaining(message) }
    expect((await page([error]))[0]).toMatchObject(reported)
    const [silent] = await read(loopOf([error]).stream('x'), { errorText: () => undefined as unknown as string })
    expect(silent).toMatchObject(reported)
  })

  test('errors: a run that somebody stopped is aborted, and no error', async () => {
    const controller = new AbortController()
    const stream = loopOf([{ parts: [{ type: 'text', text: 'ab' }], hang: true }]).stream('x', {
      abortSignal: controller.signal,
    })
    const events: ChatEvent[] = []
    for await (const event of readServerSentEvents(respond(stream))) {
      events.push(event)
      if (events.length === 2) controller.abort()
    }
    expect(types(events)).toEqual(['content', 'done'])
    expect(events.at(-1)).toMatchObject({ status: 'aborted', stopReason: 'aborted' })
  })

  test('while nothing comes: a comment is written every 15 s, and no timer is left when the page has gone', async () => {
    const clock = fakeClock()
    const stream = loopOf([{ parts: [], hang: true }]).stream('x')
    const reader = toServerSentEvents(stream, { clock }).getReader()
    for (let comments = 0; comments < 3; comments++) {
      const next = reader.read()
      await idle()
      clock.advance(14_999)
      expect(await Promise.race([next, idle().then(() => 'nothing')])).toBe('nothing')
      clock.advance(1)
      expect(new TextDecoder().decode((await next).value)).toMatch(/^: .*\n\n$/)
    }
    // Nobody reads: nothing piles up.
    clock.advance(90_000)
    const late = reader.read()
    expect(await Promise.race([late, idle().then(() => 'nothing')])).not.toBe('nothing')
    const last = reader.read()
    expect(await Promise.race([last, idle().then(() => 'nothing')])).toBe('nothing')
    await reader.cancel()
    expect(clock.open).toBe(0)
    await expect(stream.result).rejects.toMatchObject({ code: 'aborted' })
  })

  test('while nothing comes: nobody sees the comments, and a run that ends leaves no timer', async () => {
    const clock = fakeClock()
    expect(types(await read(loopOf(['done']).stream('x'), { clock }))).toEqual(['content', 'done'])
    expect(clock.open).toBe(0)
  })

  test('leaving the stream waits for a run to end, but goes no further with one that says nothing', async () => {
    const clock = fakeClock()
    const next = () => new Promise<never>(() => undefined)
    const run = { [Symbol.asyncIterator]: () => ({ next, return: () => Promise.reject(new Error('left')) }) }
    const reader = toServerSentEvents(run, { clock }).getReader()
    void reader.read()
    await idle()
    await expect(reader.cancel()).rejects.toThrow('left')
    expect(clock.open).toBe(0)
  })

  test('leaving the stream aborts the run', async () => {
    const model = scriptedAdapter([{ parts: [{ type: 'text', text: 'ab' }], hang: true }])
    const stream = makeLoop({ model }).stream('x')
    for await (const event of readServerSentEvents(respond(stream))) {
      expect(event.type).toBe('content')
      break
    }
    await expect(stream.result).rejects.toMatchObject({ code: 'aborted' })
    expect(model.requests[0]?.signal?.aborted).toBe(true)
  })
}
