import { expect, test } from 'vitest'
import { shrink } from './shrink.ts'

const numbers = Array.from({ length: 1000 }, (_, index) => index)

test('a fault of one item is found in a few tries', async () => {
  let tries = 0
  const least = await shrink(numbers, async (part) => {
    tries++
    return part.includes(737)
  })
  expect(least).toEqual([737])
  expect(tries).toBeLessThanOrEqual(20)
})

test('a fault that needs two items keeps both and drops the others', async () => {
  const few = numbers.slice(0, 16)
  const least = await shrink(few, async (part) => part.includes(3) && part.includes(12))
  expect(least).toEqual([3, 12])
})

test('what needs all items stays as it is', async () => {
  const three = [1, 2, 3]
  expect(await shrink(three, async (part) => part.length === 3)).toEqual(three)
})
