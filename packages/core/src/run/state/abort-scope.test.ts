import { getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { StepLoop, tool } from '../../index.ts'
import { scriptedAdapter } from '../../testing/index.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })
const script = [[{ type: 'call', toolName: 'look', input: {} }], 'done'] as const
const loopOf = () => new StepLoop({ model: scriptedAdapter(script), tools: { look } })
const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length

/** Garbage goes when the engine has time for it. */
async function collected(signal: AbortSignal): Promise<number> {
  for (let round = 0; round < 20 && listeners(signal) > 0; round++) {
    collect()
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
    })
  }
  return listeners(signal)
}

test('a signal that many runs share has one listener for all of them, and none when they were begun, read once and dropped', async () => {
  const { signal } = new AbortController()
  for (let run = 0; run < 50; run++) {
    await loopOf().stream('x', { abortSignal: signal })[Symbol.asyncIterator]().next()
    await loopOf().stream('x', { abortSignal: signal }).toReadableStream().getReader().read()
    await loopOf().steps('x', { abortSignal: signal }).next()
  }
  expect(listeners(signal)).toBe(1)
  expect(await collected(signal)).toBe(0)
})

test('a signal that many runs share reaches each of them, and keeps no listener', async () => {
  const controller = new AbortController()
  const hanging = () => new StepLoop({ model: scriptedAdapter([{ parts: [], hang: true }]) })
  const options = { abortSignal: controller.signal }
  await loopOf().generate('x', options)
  const runs = [1, 2, 3].map(() =>
    hanging()
      .generate('x', options)
      .catch((error: unknown) => error),
  )
  await loopOf().generate('x', options)
  expect(listeners(controller.signal)).toBe(1)
  controller.abort('enough')
  expect(await Promise.all(runs)).toMatchObject(runs.map(() => ({ code: 'aborted', cause: 'enough' })))
  expect(listeners(controller.signal)).toBe(0)
  await expect(loopOf().generate('x', options)).rejects.toMatchObject({ code: 'aborted' })
})

test.each(['before', 'after'])(
  'a signal that many runs share still reaches a run that nobody reads on, where its result is waited for, asked for %s its first event',
  async (when) => {
    const controller = new AbortController()
    const failure = (running: Promise<unknown>) => running.catch((error: unknown) => error)
    const begin = async () => {
      const stream = loopOf().stream('x', { abortSignal: controller.signal })
      const early = when === 'before' && failure(stream.result)
      await stream[Symbol.asyncIterator]().next()
      return { result: early || failure(stream.result) }
    }
    const { result } = await begin()
    expect(await collected(controller.signal)).toBe(1)
    controller.abort()
    expect(await result).toMatchObject({ code: 'aborted' })
  },
)

test('a signal that many runs share still reaches a run that waits for what nobody else holds', async () => {
  const controller = new AbortController()
  const model = scriptedAdapter([{ parts: [], hang: true }])
  const result = new StepLoop({ model })
    .generate('x', { abortSignal: controller.signal })
    .catch((error: unknown) => error)
  expect(await collected(controller.signal)).toBeGreaterThan(0)
  controller.abort()
  expect(await result).toMatchObject({ code: 'aborted' })
})

test('a signal that many runs share reaches a run that pauses and is read on', async () => {
  const controller = new AbortController()
  const events = loopOf().stream('x', { abortSignal: controller.signal })[Symbol.asyncIterator]()
  await events.next()
  await collected(controller.signal)
  controller.abort()
  const types: string[] = []
  for (let next = await events.next(); !next.done; next = await events.next()) types.push(next.value.type)
  expect(types.at(-1)).toBe('run-error')
  expect(listeners(controller.signal)).toBe(0)
})
