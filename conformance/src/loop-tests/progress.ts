import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  tool,
  type FunctionTool,
  type LoopEvent,
  type Middleware,
  type RunOptions,
  type ToolContext,
} from '@steploop/core'
import { fakeClock, scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'

export function testProgress(makeLoop: MakeWholeLoop): void {
  const inputSchema = z.object({})
  const call = { type: 'call', toolName: 'work', input: {} } as const

  type Declared = Pick<FunctionTool, 'effect' | 'timeout' | 'maxTotalTimeout'>
  type Work = (context: ToolContext) => unknown

  function loopOf(work: Work, options: Partial<RunOptions> = {}, declared: Declared = {}) {
    const tools = { work: tool({ inputSchema, ...declared, execute: (_input, context) => work(context) }) }
    const script: readonly ScriptedTurn[] = [[call, { type: 'text', text: 'so' }], 'done']
    const { abortSignal, ...rest } = options
    const loop = makeLoop({ model: scriptedAdapter(script), tools, ...rest })
    return { loop, abortSignal }
  }

  async function play(...given: Parameters<typeof loopOf>) {
    const events: LoopEvent[] = []
    const { loop, abortSignal } = loopOf(...given)
    for await (const event of loop.stream('x', { abortSignal })) events.push(event)
    const reports = events.flatMap((event) => (event.type === 'tool-progress' ? [event] : []))
    const order = events.map((event) => (event.type === 'tool-state' ? event.state : event.type))
    return { events, reports, order }
  }

  /** Until the reader of the events has had a turn. */
  const pause = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve))

  test('what a tool reports is an event between `running` and the result, with the id and name of the call', async () => {
    const { reports, order } = await play(async ({ report }) => {
      report({ progress: 1, total: 2, message: 'half' })
      await pause()
      report({ progress: 2 })
      await pause()
    })
    const { toolCallId } = reports[0] ?? {}
    expect(reports).toEqual([
      { type: 'tool-progress', toolCallId, toolName: 'work', progress: 1, total: 2, message: 'half' },
      { type: 'tool-progress', toolCallId, toolName: 'work', progress: 2 },
    ])
    expect(order.slice(order.indexOf('running'), order.indexOf('tool-result'))).toEqual([
      'running',
      'tool-progress',
      'tool-progress',
      'completed',
    ])
  })

  test('what a tool reports is told while it runs', async () => {
    const seen: string[] = []
    const { loop } = loopOf(async ({ report }) => {
      await pause()
      report({ progress: 1 })
      await pause()
      seen.push('the end of the tool')
    })
    for await (const { type } of loop.stream('x')) if (type === 'tool-progress') seen.push(type)
    expect(seen).toEqual(['tool-progress', 'the end of the tool'])
  })

  test.each([
    ['tool-call', 'text-start'],
    ['text-delta', 'text-end'],
  ] as const)('what a tool that began early reports beside a %s is told while the turn goes on', async (type, next) => {
    const begun: ToolContext[] = []
    const turn: Middleware['turn'] = async function* (_info, ask) {
      for await (const batch of ask()) {
        for (const event of batch) {
          if (event.type === type) begun[0]?.report({ progress: 1 })
          yield [event]
        }
      }
    }
    const model = scriptedAdapter([[call, call, { type: 'text', text: 'so' }], 'done'])
    const options = { model, middleware: { turn }, eagerTools: true }
    const { order } = await play((context) => (begun.push(context), pause()), options, { effect: 'read' })
    expect(order.indexOf('tool-progress')).toBeLessThan(order.indexOf(next))
    expect(order).toContain('tool-progress')
  })

  test('what a tool reports is in no message: the model sees the result alone', async () => {
    const model = scriptedAdapter([[call], 'done'])
    const { loop } = loopOf(({ report }) => (report({ message: 'secret' }), 'seen'), { model })
    const { transcript } = await loop.generate('x')
    expect(JSON.stringify(transcript)).toContain('seen')
    expect(JSON.stringify([transcript, model.requests])).not.toContain('secret')
  })

  test('what a tool reports is replaced by the newest where the reader is slower, and content is reported all the same', async () => {
    const content = [{ type: 'text', text: 'for you' }] as const
    const { reports } = await play(({ report }) => {
      for (let progress = 0; progress < 1000; progress++) report({ progress })
      report({ content })
      for (let progress = 1000; progress < 2000; progress++) report({ progress })
    })
    expect(reports).toMatchObject([{ content }, { progress: 1999 }])
  })

  test('what a tool reports belongs to nobody once the call is answered', async () => {
    const begun: ToolContext[] = []
    const model = scriptedAdapter([[call, { ...call, id: 'second' }], 'done'])
    const { reports } = await play(
      async (context) => {
        if (begun.push(context) === 1) return
        await pause()
        begun[0]?.report({ progress: 1 })
        await pause()
      },
      { model },
    )
    begun[1]?.report({ progress: 2 })
    expect([begun.length, reports]).toEqual([2, []])
  })

  test('what a tool reports after an abort reaches nobody', async () => {
    const controller = new AbortController()
    const { reports, order } = await play(
      ({ report, signal }) => {
        signal.addEventListener('abort', () => report({ progress: 1 }))
        controller.abort()
        report({ progress: 2 })
        return new Promise(() => undefined)
      },
      { abortSignal: controller.signal },
    )
    expect([reports, order.at(-1)]).toEqual([[], 'run-error'])
  })

  test.each([undefined, null, 'half', {}, { progress: Number.NaN }, { progress: '1', content: [] }])(
    'what a tool reports and is nothing that can be reported (%j) fails no call',
    async (odd) => {
      const { events, reports } = await play(({ report }) => (report(odd as never), 'fine'))
      expect(reports).toEqual([])
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'tool-result', output: { type: 'text', value: 'fine' } }),
      )
    },
  )

  test('what a tool reports keeps its words, whatever the tool does with the object later', async () => {
    const said = { progress: 1, message: 'first' }
    const { reports } = await play(({ report }) => {
      report(said)
      said.message = 'second'
    })
    expect(reports).toMatchObject([{ message: 'first' }])
  })

  test('what a tool reports comes while the turn goes on where the call began early', async () => {
    const { order } = await play(
      async ({ report }) => {
        report({ progress: 1 })
        await pause()
        report({ progress: 2 })
      },
      {
        eagerTools: true,
        model: scriptedAdapter([
          [call, { type: 'call', toolName: 'other', input: {} }, { type: 'text', text: 'so' }],
          'done',
        ]),
      },
      { effect: 'read' },
    )
    expect(order.indexOf('tool-progress')).toBeGreaterThan(order.indexOf('running'))
    expect(order.indexOf('tool-progress')).toBeLessThan(order.indexOf('text-end'))
    expect(order.filter((type) => type === 'tool-progress')).toHaveLength(2)
  })

  /** Reports every 8 ms, `times` times, and then hangs. */
  async function outcomeOf(times: number, declared: Declared) {
    const clock = fakeClock()
    const { events } = await play(
      async ({ report }) => {
        void (async () => {
          for (let time = 0; time < times; time++) {
            await pause()
            clock.advance(8)
            report({ progress: time })
          }
          await pause()
          clock.advance(1000)
        })()
        await pause()
        return new Promise((resolve) => clock.after(30, () => resolve('done')))
      },
      { clock },
      { timeout: 10, ...declared },
    )
    return events.flatMap((event) => (event.type === 'tool-result' ? [event.output.value] : []))
  }

  test('a tool with `maxTotalTimeout` has its time anew with each report', async () => {
    expect(await outcomeOf(5, { maxTotalTimeout: 100 })).toEqual(['done'])
  })

  test('a tool with `maxTotalTimeout` has no more than that, however much it reports', async () => {
    expect(await outcomeOf(5, { maxTotalTimeout: 20 })).toMatchObject([
      { code: 'tool-timeout', message: "'work' did not finish within 20 ms." },
    ])
  })

  test('a tool with `maxTotalTimeout` has its `timeout` alone where it falls silent, and without the option reports prolong nothing', async () => {
    const [silent, plain] = [await outcomeOf(1, { maxTotalTimeout: 100 }), await outcomeOf(5, {})]
    expect([...silent, ...plain]).toMatchObject([{ code: 'tool-timeout' }, { code: 'tool-timeout' }])
  })
}
