import { trace } from '@opentelemetry/api'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { AdapterError, tool, type LoopStream } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { toolNames, type ToolName } from './cached-names.ts'
import { namesOf } from './names.ts'
import { below, call, look, loopOf, memorySdk, parentOf } from './testing.ts'

const later = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

test('200 runs at once in one loop: no span is left open, and none is in another run’s trace', async () => {
  const sdk = memorySdk()
  const wait = tool({ inputSchema: z.object({}), execute: () => later(Math.random() * 5) })
  const turns = Array.from({ length: 400 }, (_turn, index) => (index < 200 ? [{ ...call, toolName: 'wait' }] : 'done'))
  const { loop } = loopOf(turns, { sdk, tools: { wait }, generateId: () => crypto.randomUUID() })
  const ways = [
    async (): Promise<unknown> => loop.generate('x'),
    async (): Promise<unknown> => loop.stream('x').result,
    async (): Promise<unknown> => {
      for await (const event of loop.stream('x')) if (event.type === 'step-end') break
      return undefined
    },
    async (): Promise<unknown> => loop.generate('x', { abortSignal: AbortSignal.timeout(2) }).catch(() => undefined),
  ]
  await Promise.all(
    Array.from({ length: 200 }, async (_run, index) =>
      below(sdk, `caller ${index}`, () => ways[index % ways.length]?.()),
    ),
  )
  await later(20)
  expect(sdk.open()).toBe(0)
  const runs = new Map(sdk.named('invoke_agent').map((span) => [span.spanContext().spanId, span]))
  expect(runs.size).toBe(200)
  const callers = new Map(sdk.named('caller').map((span) => [span.spanContext().spanId, span]))
  for (const run of runs.values()) {
    const caller = callers.get(run.parentSpanContext?.spanId ?? '')
    expect(caller?.spanContext().traceId).toBe(run.spanContext().traceId)
  }
  for (const span of [...sdk.named('chat'), ...sdk.named('execute_tool')]) {
    const run = runs.get(span.parentSpanContext?.spanId ?? '')
    expect(run?.spanContext().traceId).toBe(span.spanContext().traceId)
    expect(run?.attributes['gen_ai.conversation.id']).toBe(span.attributes['gen_ai.conversation.id'])
  }
})

test.each(['signal', 'break'] as const)('a caller who goes at any event, by %s: no span is left open', async (how) => {
  const slow = tool({ inputSchema: z.object({}), effect: 'read', execute: () => later(3) })
  const failing = new AdapterError({ provider: 's', model: 'm', code: 'overloaded', retryAfterMs: 0 })
  const calls = ['slow', 'look', 'slow'].map((toolName) => ({ ...call, toolName }))
  const turns = [[{ type: 'text', text: 'some words' } as const, ...calls], failing, 'done']
  let after = 1
  for (let over = false; !over; after++) {
    const { sdk, loop } = loopOf(turns, { tools: { slow, look }, eagerTools: true })
    const controller = new AbortController()
    const stream = loop.stream('x', { abortSignal: controller.signal })
    let seen = 0
    for await (const event of stream) {
      over = event.type === 'run-end'
      if (++seen !== after) continue
      if (how === 'break') break
      controller.abort()
    }
    await stream.result.catch(() => undefined)
    expect(sdk.open()).toBe(0)
    const [root] = sdk.named('invoke_agent')
    expect(sdk.spans.filter((span) => span !== root).map((span) => parentOf(span, sdk.spans))).toEqual(
      Array.from({ length: sdk.spans.length - 1 }, () => 'invoke_agent'),
    )
    expect(sdk.named('chat').length).toBeLessThanOrEqual(3)
  }
  expect(after).toBeGreaterThan(20)
})

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

async function collect(isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < 50 && !isDone(); turn++) {
    // What was just looked at stays until this job is over.
    await later(5)
    gc()
  }
}

test('the names of a tool that is always called another way are not kept', async () => {
  const toolOf = toolNames(namesOf('current'), {})
  const nameOf = (toolName: string): ToolName =>
    toolOf({ tool: look, toolCall: { toolName } } as unknown as Parameters<typeof toolOf>[0])
  const first = new WeakRef(nameOf('first'))
  expect(nameOf('second')).toMatchObject({ name: 'second', spanName: 'execute_tool second' })
  await collect(() => first.deref() === undefined)
  expect(first.deref()).toBeUndefined()
})

test('a stream that its reader drops in the middle ends its spans when it is collected', async () => {
  const { sdk, loop } = loopOf([[{ type: 'text', text: 'some text' }, call], 'done'])
  const drop = async (stream: LoopStream): Promise<void> => {
    const iterator = stream[Symbol.asyncIterator]()
    while ((await iterator.next()).value?.type !== 'text-delta');
  }
  await drop(loop.stream('x'))
  expect(sdk.open()).toBe(2)
  await collect(() => sdk.open() === 0)
  expect(sdk.spans.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['chat scripted-1', 'aborted'],
    ['invoke_agent', 'aborted'],
  ])
})

test('the span of a request is active in each of its batches, not only in the first', async () => {
  const scripted = scriptedAdapter([{ parts: ['some', 'more', 'words'].map((text) => ({ type: 'text', text })) }])
  const active: (string | undefined)[] = []
  const model = {
    ...scripted,
    async *turn(...given: Parameters<typeof scripted.turn>) {
      for await (const batch of scripted.turn(...given))
        for (const event of batch) {
          active.push(trace.getActiveSpan()?.spanContext().spanId)
          yield [event]
        }
    },
  }
  const { sdk, loop } = loopOf([], { model })
  for await (const event of loop.stream('x')) expect(event.type).not.toBe('run-error')
  const [chat] = sdk.named('chat')
  expect(active.length).toBeGreaterThan(4)
  expect(new Set(active)).toEqual(new Set([chat?.spanContext().spanId]))
})
