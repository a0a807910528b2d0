import { expect, test } from 'vitest'
import { isThenable } from './thenable.ts'

test('a promise is waited for, and what is none is not', () => {
  expect(isThenable<unknown>(Promise.resolve(1))).toBe(true)
  const taken: unknown[] = [null, undefined, 'then', 1, {}, () => undefined]
  expect(taken.map((value) => isThenable(value))).toEqual(taken.map(() => false))
})
