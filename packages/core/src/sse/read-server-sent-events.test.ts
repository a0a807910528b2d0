import { expect, test } from 'vitest'
import { readServerSentEvents } from './read-server-sent-events.ts'

/** A response in these chunks, and whether it was closed before its end. */
function respond(chunks: readonly string[], init: ResponseInit = { headers: { 'content-type': 'text/event-stream' } }) {
  const left: unknown[] = []
  const encoder = new TextEncoder()
  const rest = [...chunks]
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = rest.shift()
      if (chunk === undefined) controller.close()
      else controller.enqueue(encoder.encode(chunk))
    },
    cancel: () => void left.push('left'),
  })
  return { response: new Response(body, init), left }
}

const frame = (event: object): string => `data: ${JSON.stringify(event)}\n\n`
const said = { type: 'content', content: 'ab' }
const done = { type: 'done', done: true, status: 'completed' }

/** What a page gets, and with what code and message it fails. */
async function read(response: Response): Promise<readonly unknown[]> {
  const got: unknown[] = []
  try {
    for await (const event of readServerSentEvents(response)) got.push(event)
  } catch (error) {
    got.push(error)
  }
  return got
}

const failing = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) })

test('a page reads no further than `done`, and the connection is closed', async () => {
  for (const chunks of [
    [frame(said) + frame(done) + frame(said), frame(said)],
    [frame(said), frame(done), 'x'],
  ]) {
    const { response, left } = respond(chunks)
    expect([await read(response), left]).toEqual([[said, done], ['left']])
  }
  expect(await read(respond([frame(done) + frame(said)]).response)).toEqual([done])
})

test('a page reads a last event that has no blank line', async () => {
  expect(await read(respond([frame(said), frame(done).trimEnd()]).response)).toEqual([said, done])
})

test('a connection that ends before `done` is an error, after the events that came', async () => {
  for (const chunks of [[frame(said)], [frame(said).trimEnd()]])
    expect(await read(respond(chunks).response)).toEqual([said, failing('incomplete-stream', 'before `done`')])
})

test.each(['not json', '7', 'null', '"content"', '{}', '{"type":7}'])(
  'what is no event is an error, with what came: %s',
  async (data) => {
    const { response, left } = respond([`data: ${data}\n\n`, frame(done)])
    expect(await read(response)).toEqual([failing('malformed-response', `what is no event: ${data}`)])
    expect(left).toEqual(['left'])
  },
)

test('of what is no event an error has the first 200 characters', async () => {
  const message = `The server sent what is no event: ${'x'.repeat(200)}`
  expect(await read(respond([`data: ${'x'.repeat(200)}tail\n\n`]).response)).toMatchObject([{ message }])
})

test.each<[string, ResponseInit]>([
  ['HTTP 500 with content type text/html.', { status: 500, headers: { 'content-type': 'text/html' } }],
  ['HTTP 502 with content type text/event-stream.', { status: 502, headers: { 'content-type': 'text/event-stream' } }],
  ['HTTP 200 with content type application/json.', { headers: { 'content-type': 'application/json' } }],
  ['HTTP 200.', {}],
])('a response that is no event stream is an error, and its connection is closed: %s', async (got, init) => {
  const { response, left } = respond([frame(done)], init)
  expect(await read(response)).toEqual([failing('bad-response', `The server gave no events but ${got}`)])
  expect(left).toEqual(['left'])
})

test('a response that has been read already, and cannot be closed, is told as what it is', async () => {
  const { response } = respond([frame(done)], { status: 500 })
  await response.text()
  const locked = respond([frame(done)], { status: 500 }).response
  locked.body?.getReader()
  for (const one of [response, locked]) expect(await read(one)).toEqual([failing('bad-response', 'HTTP 500')])
})

test('a connection that cannot be closed either is told with its own error alone', async () => {
  const body = new ReadableStream({ pull: () => Promise.reject(new Error('reset')) })
  const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  expect(await read(response)).toEqual([new Error('reset')])
})
