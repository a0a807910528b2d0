import { expect, test } from 'vitest'
import { eventResponse, type SequencedEvent, type Tell } from './sse.ts'
import { testServer } from './testing.ts'

const hello: SequencedEvent = { type: 'x', sequence_number: 0 }

/** A stream that says `hello` when told to, and then is over. */
function stream() {
  const { promise, resolve: say } = Promise.withResolvers<void>()
  const source = async (tell: Tell): Promise<void> => {
    await promise
    await tell([hello])
  }
  return { say, response: eventResponse(source, { controller: new AbortController(), keepAlive: 1 }) }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20))

test('a stream that is silent gets comments, which are no events, until it is over', async () => {
  const { say, response } = stream()
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader.read()).value).toBe(': keep-alive\n\n')
  expect((await reader.read()).value).toBe(': keep-alive\n\n')
  say()
  let rest = ''
  for (let next = await reader.read(); !next.done; next = await reader.read()) rest += next.value
  expect(rest.replaceAll(': keep-alive\n\n', '')).toBe(`event: x\ndata: ${JSON.stringify(hello)}\n\n`)
})

test('who does not read has one comment waiting, not one for each time', async () => {
  const { say, response } = stream()
  await pause()
  say()
  const text = await response.text()
  expect(text.match(/: keep-alive/g)?.length).toBe(1)
})

test('a HEAD of a stream holds nothing', async () => {
  const { client, baseURL } = await testServer(['Hi'])
  const stored = await client.responses.create({ model: 'm', input: 'x', background: true })
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  for (let round = 0; round < 20; round++)
    await fetch(`${baseURL}/responses/${stored.id}?stream=true`, { method: 'HEAD' })
  expect(timers()).toBeLessThan(before + 10)
})
