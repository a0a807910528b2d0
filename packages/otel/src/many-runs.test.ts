import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { tool, type LoopStream } from '@steploop/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { below, call, loopOf, memorySdk } from './testing.ts'

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

test('a stream that its reader drops in the middle ends its spans when it is collected', async () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  const { sdk, loop } = loopOf([[{ type: 'text', text: 'some text' }, call], 'done'])
  const drop = async (stream: LoopStream): Promise<void> => {
    const iterator = stream[Symbol.asyncIterator]()
    while ((await iterator.next()).value?.type !== 'text-delta');
  }
  await drop(loop.stream('x'))
  expect(sdk.open()).toBe(2)
  for (let turn = 0; turn < 50 && sdk.open() > 0; turn++) {
    gc()
    await later(5)
  }
  expect(sdk.spans.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['chat scripted-1', 'aborted'],
    ['invoke_agent', 'aborted'],
  ])
})
