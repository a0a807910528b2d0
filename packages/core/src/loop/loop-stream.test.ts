import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { StepLoop, type Adapter } from '../index.ts'
import { scriptedAdapter } from '../testing/index.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? Number.NaN
}

test('a run that is over is garbage for the next small collection: its text does not wait for a full one', async () => {
  const model: Adapter = {
    ...scriptedAdapter([]),
    async *turn() {
      yield [{ type: 'turn-start' }]
      yield Array.from(
        { length: 100 },
        (_, index) => ({ type: 'text-delta', part: 0, text: `word ${index} ` }) as const,
      )
      yield [{ type: 'turn-end', finishReason: 'stop' }]
    },
  }
  const loop = new StepLoop({ model })
  const read = async (): Promise<void> => {
    for await (const event of loop.stream('x')) if (event.type === 'run-error') throw event.error
  }
  const run = async (): Promise<void> => {
    await read()
    // What has outlived two of them is old.
    for (let round = 0; round < 3; round++) collect({ type: 'minor' })
  }
  for (let warm = 0; warm < 12; warm++) await run()
  const grown: number[] = []
  while (grown.length < 15) {
    const before = oldBytes()
    await run()
    grown.push(oldBytes() - before)
  }
  // Such a run is 10 kB. It is so small that no collection falls into it, which would make old what is still in use.
  expect(grown.toSorted((one, other) => one - other)[7]).toBeLessThan(5000)
})

test('a stream may be spread into an object of the application, with its result', async () => {
  const spread = { ...new StepLoop({ model: scriptedAdapter(['Mild.']) }).stream('x') }
  const texts: string[] = []
  for await (const text of spread.textStream) texts.push(text)
  expect(texts.join('')).toBe('Mild.')
  expect((await spread.result).text).toBe('Mild.')
})

test('an application may put a result of its own in the place of that of a stream', async () => {
  const stream = new StepLoop({ model: scriptedAdapter(['Mild.']) }).stream('x')
  Object.defineProperty(stream, 'result', { value: 'mine' })
  expect(stream.result).toBe('mine')
})

test('a failure that is not looked at is no unhandled rejection', async () => {
  const unhandled: unknown[] = []
  const keep = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', keep)
  void new StepLoop({ model: scriptedAdapter([]) }).stream('x').result
  await new Promise((resolve) => void setTimeout(resolve, 5))
  process.off('unhandledRejection', keep)
  expect(unhandled).toEqual([])
})
