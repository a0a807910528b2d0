import { setupServer } from 'msw/node'
import { expect, onTestFinished, test } from 'vitest'
import type { Cassette } from '../cassette.ts'
import { bytes, cassetteOf, exchange, textOf } from '../testing.ts'
import { cassetteHandlers } from './cassette-handlers.ts'

const url = 'https://api.example.com/v1/chat'
const question = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"question":"why?"}' }

function answering(cassette: Cassette): void {
  const server = setupServer(...cassetteHandlers(cassette))
  server.listen({ onUnhandledFrame: 'error' })
  onTestFinished(() => server.close())
}

async function pieces(response: Response): Promise<string[]> {
  const read: string[] = []
  for await (const chunk of response.body ?? []) read.push(textOf(chunk))
  return read
}

test('aborts driven by a timer do not crash the process', async () => {
  const count = 40
  answering(cassetteOf(...Array.from({ length: count }, () => exchange({ chunks: ['x'], ending: 'stall' }))))
  const crashes: unknown[] = []
  const note = (error: unknown): void => void crashes.push(error)
  process.on('uncaughtExceptionMonitor', note)
  onTestFinished(() => void process.off('uncaughtExceptionMonitor', note))
  const ends = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const aborter = new AbortController()
      setTimeout(() => aborter.abort(), 20 + (index % 7))
      return fetch(url, { ...question, signal: aborter.signal })
        .then(pieces)
        .then(
          () => 'complete',
          (error: unknown) => (error instanceof Error ? error.name : 'unknown'),
        )
    }),
  )
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(ends).toEqual(Array.from({ length: count }, () => 'AbortError'))
  expect(crashes).toEqual([])
})

test('requests to other origins are left to the other handlers of the server', async () => {
  const server = setupServer(
    ...cassetteHandlers(cassetteOf(exchange({ chunks: ['one'] }))),
    ...cassetteHandlers(cassetteOf(exchange({ url: 'https://other.example.com/v1/chat', chunks: ['two'] }))),
  )
  server.listen({ onUnhandledFrame: 'error' })
  onTestFinished(() => server.close())
  expect(await (await fetch('https://other.example.com/v1/chat', question)).text()).toBe('two')
  expect(await (await fetch(url, question)).text()).toBe('one')
})

test('boundaries of a server that the test set up itself isolate its handlers', async () => {
  const server = setupServer()
  server.listen({ onUnhandledFrame: 'error' })
  onTestFinished(() => server.close())
  const inBoundary = (text: string) =>
    server.boundary(async () => {
      server.use(...cassetteHandlers(cassetteOf(exchange({ chunks: [bytes(text)] }))))
      await new Promise((resolve) => setImmediate(resolve))
      return (await fetch(url, question)).text()
    })()
  expect(await Promise.all(['a', 'b', 'c'].map(inBoundary))).toEqual(['a', 'b', 'c'])
})
