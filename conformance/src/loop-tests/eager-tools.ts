import { expect, test } from 'vitest'
import { z } from 'zod'
import type { TurnEvent } from '@steploop/core/adapter'
import {
  AdapterError,
  tool,
  type LoopEvent,
  type RunResult,
  type StepLoopOptions,
  type ToolContext,
} from '@steploop/core'
import { fakeClock, scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { call, hasty } from './parts.ts'

export function testEagerTools(makeLoop: MakeWholeLoop): void {
  /** What happens, in order: events of the stream and runs of the tools. */
  async function play(script: readonly ScriptedTurn[], options: Partial<StepLoopOptions> = {}) {
    const log: string[] = []
    const clock = fakeClock()
    const signals: AbortSignal[] = []
    const run = (name: string) => (_input: unknown, context: { readonly signal: AbortSignal }) => {
      log.push(`run ${name}`)
      signals.push(context.signal)
      return name === 'hang' ? new Promise(() => undefined) : name
    }
    const inputSchema = z.object({})
    const tools = {
      look: tool({ inputSchema, effect: 'read', execute: run('look') }),
      hang: tool({ inputSchema, effect: 'read', execute: run('hang') }),
      write: tool({ inputSchema, execute: run('write') }),
    }
    const loop = makeLoop({
      model: scriptedAdapter(script),
      tools,
      eagerTools: true,
      maxRetries: 0,
      clock,
      ...options,
    })
    const stream = loop.stream('x')
    for await (const event of stream) log.push(label(event))
    const result = await stream.result.catch((error: unknown) => error)
    return { log, result, signals }
  }

  function label(event: LoopEvent): string {
    if (event.type === 'tool-state') return `${event.state} ${event.toolName}`
    return event.type === 'text-delta' ? event.text : event.type
  }

  const reading = tool({ inputSchema: z.object({}), effect: 'read', execute: () => 'look' })

  const turn = [call('look'), call('write'), { type: 'text', text: 'ab' }] as const

  test('eager tools that only read start before the turn has ended; others wait for its end', async () => {
    const { log } = await play([turn, 'done'])
    expect(log.indexOf('run look')).toBeLessThan(log.indexOf('text-end'))
    expect(log.indexOf('run write')).toBeGreaterThan(log.indexOf('text-end'))
  })

  const bad = { ...call('look'), input: '{bad' }

  test.each<[string, Partial<StepLoopOptions>, number]>([
    ['as far as a step may run calls', { maxToolCallsPerStep: 1 }, 1],
    ['as far as a run may run calls', { maxToolCalls: 2 }, 2],
    ['as far as calls may run at the same time', { maxToolConcurrency: 2 }, 2],
    ['one at a time', { maxToolConcurrency: 1 }, 1],
    ['with no hook that may answer them', { onToolStart: () => undefined }, 0],
    ['that need no approval', { tools: { look: { ...reading, needsApproval: () => false } } }, 0],
    ['that never need one', { tools: { look: { ...reading, needsApproval: false } } }, 3],
    ['that the loop knows', { tools: {} }, 0],
    ['that only read', { tools: { look: { ...reading, effect: 'write' } } }, 0],
  ])('eager tools start early %s', async (_what, options, most) => {
    // The last call of a turn waits for its end in any case.
    const calls = [call('look'), call('look'), call('look'), call('look')]
    const { log } = await play([[...calls, { type: 'text', text: 'ab' }], 'done'], { maxSteps: 3, ...options })
    const begun = log.slice(0, log.indexOf('text-end')).filter((line) => line === 'running look')
    expect(begun).toHaveLength(most)
  })

  test('eager tools do not start with arguments that cannot be read, or that the schema refuses', async () => {
    const calls = [bad, { ...call('look'), input: { n: 'one' } }, call('look'), call('look')]
    const strict = { ...reading, inputSchema: z.object({ n: z.number().optional() }) }
    const { log, result } = await play([[...calls, { type: 'text', text: 'ab' }], 'done'], { tools: { look: strict } })
    expect(log.slice(0, log.indexOf('text-end')).filter((line) => line === 'running look')).toHaveLength(1)
    const codes = (result as RunResult).toolResults.map(({ output }) => output.type === 'error' && output.value.code)
    expect(codes).toEqual(['unparsable-input', 'invalid-input', false, false])
  })

  test('eager tools are heard once, also in what they report while the application looks at the turn', async () => {
    // Of what has words each is told; of the rest the newest.
    const words = (text: string) => ({ content: [{ type: 'text', text }] }) as const
    let report: ToolContext['report'] = () => undefined
    let end = (_value: unknown): void => undefined
    const execute = (_input: unknown, context: ToolContext) => {
      report = context.report
      return new Promise((resolve) => void (end = resolve))
    }
    const loop = makeLoop({
      model: scriptedAdapter([[call('look'), call('write')], 'done']),
      tools: {
        look: tool({ inputSchema: z.object({}), effect: 'read', execute }),
        write: tool({ inputSchema: z.object({}), execute: () => (report(words('second')), end('seen'), 'written') }),
      },
      eagerTools: true,
      onResponse: () => report(words('first')),
    })
    const log: unknown[] = []
    for await (const event of loop.stream('x')) {
      if (event.type === 'tool-progress') log.push(event.content)
      if (event.type === 'tool-state' && event.toolName === 'look') log.push(event.state)
    }
    expect(log).toEqual(['queued', 'running', words('first').content, words('second').content, 'completed'])
  })

  test('eager tools go through the same states once and are run once', async () => {
    const { log, result } = await play([turn, 'done'])
    expect(log.filter((line) => line.endsWith(' look'))).toEqual([
      'run look',
      'queued look',
      'running look',
      'completed look',
    ])
    expect(result).toMatchObject({
      text: 'done',
      toolResults: [{ output: { value: 'look' } }, { output: { value: 'write' } }],
    })
  })

  test('eager tools are an option: without it nothing starts early', async () => {
    const { log } = await play([turn, 'done'], { eagerTools: false })
    expect(log.indexOf('run look')).toBeGreaterThan(log.indexOf('text-end'))
  })

  test('eager tools that may be the last call of the turn wait for its end: the token limit may have cut them', async () => {
    const { log } = await play([[call('look'), { type: 'text', text: 'ab' }], 'done'])
    expect(log.indexOf('run look')).toBeGreaterThan(log.indexOf('text-end'))
  })

  test('eager tools that are the last call of a turn that its token limit ended never run', async () => {
    const { log, result } = await play([{ parts: [call('look'), call('look')], finishReason: 'length' }, 'done'])
    expect(log.filter((line) => line === 'run look')).toHaveLength(1)
    expect(result).toMatchObject({
      toolResults: [{ output: { value: 'look' } }, { output: { value: { code: 'truncated-call' } } }],
    })
  })

  test('eager tools do not start in a turn that was asked to call nothing', async () => {
    const { log } = await play([turn, 'done'], { toolChoice: 'none' })
    expect(log).not.toContain('run look')
  })

  test('eager tools wait where a call may be denied: that is asked once per call, not for turns that fail', async () => {
    const asked: string[] = []
    const error = new AdapterError({ provider: 'p', model: 'm', code: 'connection' })
    const { result } = await play([{ parts: [call('look')], error }, [call('look')], 'done'], {
      maxRetries: 1,
      clock: hasty,
      toolTimeout: 0,
      denyCall: ({ toolName }) => void asked.push(toolName),
    })
    expect([asked, result]).toMatchObject([['look'], { toolResults: [{ output: { value: 'look' } }] }])
  })

  test.each([
    [0, { code: 'turn-failed', transcript: { messages: [{ role: 'user' }] } }],
    [1, { text: 'done', toolResults: [] }],
  ])('eager tools are cancelled and discarded when the turn fails to end, also with %d retries', async (maxRetries, ends) => {
    const error = new AdapterError({ provider: 'p', model: 'm', code: 'incomplete-stream', retryAfterMs: 1 })
    const clock = fakeClock()
    const failed = { parts: [call('hang'), call('write')], error }
    const after: typeof clock.after = (ms, ring) => (ms === 1 ? hasty : clock).after(ms, ring)
    const { result, signals } = await play([failed, 'done'], { maxRetries, clock: { ...clock, after } })
    expect(result).toMatchObject(ends)
    expect([signals[0]?.aborted, clock.open]).toEqual([true, 0])
  })

  test('eager tools are told the same of their call as others, but for their own turn', async () => {
    const contexts: object[] = []
    const look = tool({
      inputSchema: z.object({}),
      effect: 'read',
      execute: (_input, { transcriptId, toolCallId, messages }) =>
        void contexts.push([transcriptId, toolCallId, messages.length]),
    })
    const { result } = await play([[call('look'), call('look')], 'done'], { tools: { look } })
    const { id } = (result as RunResult).transcript
    expect(contexts).toEqual([
      [id, 'call_0_0', 1],
      [id, 'call_0_1', 2],
    ])
  })

  test.each([true, false])(
    'eager tools whose schema takes its time are checked, shown and refused like others: %s',
    async (eagerTools) => {
      const shown: unknown[] = []
      const ran: unknown[] = []
      const inputSchema = z.object({ n: z.number().default(7) }).refine(({ n }) => Promise.resolve(n > 0), 'too small')
      const look = tool({ inputSchema, effect: 'read', execute: (input) => void ran.push(input) })
      const calls = [{}, { n: 0 }, {}].map((input) => ({ ...call('look'), input }))
      const { result } = await play([calls, 'done'], {
        tools: { look },
        eagerTools,
        onToolExecuted: ({ toolCall }) => void shown.push(toolCall?.input),
      })
      expect([shown, ran]).toEqual([
        [{ n: 7 }, { n: 0 }, { n: 7 }],
        [{ n: 7 }, { n: 7 }],
      ])
      const codes = (result as RunResult).toolResults.map(({ output }) => output.type === 'error' && output.value.code)
      expect(codes).toEqual([false, 'invalid-input', false])
    },
  )

  test('eager tools that stand in the same chunk do not start once the run is aborted', async () => {
    const controller = new AbortController()
    let runs = 0
    const execute = (): void => {
      runs++
      controller.abort()
    }
    const loop = makeLoop({
      model: scriptedAdapter([[call('look'), call('look'), call('look')]]),
      tools: { look: tool({ inputSchema: z.object({}), effect: 'read', execute }) },
      eagerTools: true,
      middleware: {
        async *turn(_info, next) {
          const events: TurnEvent[] = []
          for await (const batch of next()) events.push(...batch)
          yield events
        },
      },
    })
    await expect(loop.generate('x', { abortSignal: controller.signal })).rejects.toMatchObject({ code: 'aborted' })
    expect(runs).toBe(1)
  })
}
