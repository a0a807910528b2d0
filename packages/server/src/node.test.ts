import { expect, test } from 'vitest'
import { testServer } from './testing.ts'

test('a process that serves keeps its own `Request` and `Response`', async () => {
  const { Request, Response } = globalThis
  await testServer(['Hi'])
  expect([globalThis.Request, globalThis.Response]).toEqual([Request, Response])
})
