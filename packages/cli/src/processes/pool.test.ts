import { expect, test } from 'vitest'
import { inLanes } from './pool.ts'

test('each item is worked on once, in so many lanes, and results are in the order of the list', async () => {
  let [running, most] = [0, 0]
  const lanes = new Set<number>()
  const results = await inLanes(['a', 'b', 'c', 'd', 'e'], 2, async (item, lane) => {
    most = Math.max(most, ++running)
    lanes.add(lane)
    for (let rounds = item === 'a' ? 5 : 1; rounds > 0; rounds--) await Promise.resolve()
    running--
    return item.toUpperCase()
  })
  expect([results, most, [...lanes]]).toEqual([['A', 'B', 'C', 'D', 'E'], 2, [0, 1]])
})

test('a failure of one lane is the failure of all', async () => {
  const work = (item: number) => (item === 1 ? Promise.reject(new Error('no')) : Promise.resolve(item))
  await expect(inLanes([0, 1, 2], 2, work)).rejects.toThrow('no')
})
