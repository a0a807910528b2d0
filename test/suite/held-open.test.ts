import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseCassette, type Exchange } from '@steploop/cassette'
import type { Subject } from '@steploop/conformance'
import type { TurnEvent } from '@steploop/core/adapter'
import { fakeClock, type FakeClock } from '@steploop/core/testing'
import { expect, test } from 'vitest'
import config from '../../steploop.config.ts'

const { subjects } = config

/** The streamed answer that a cassette of the subject begins with. */
function recorded({ cassettes }: Subject): Exchange {
  const file = new URL('parallel-calls.stream.yaml', cassettes)
  const [first] = parseCassette(readFileSync(file, 'utf8'), fileURLToPath(file)).exchanges
  if (first === undefined) throw new Error(`${file.href} holds no exchange.`)
  return first
}

interface Connection {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
  readonly state: { closed: boolean }
}

function connectionWith(bytes: Uint8Array, ending: 'closes' | 'stays open'): Connection {
  const state = { closed: false }
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(new Uint8Array(bytes))
      if (ending === 'closes') controller.close()
    },
    cancel: () => void (state.closed = true),
  })
  return { body, state }
}

/** The events of the answer, and what was thrown after them. */
async function eventsOf(subject: Subject, { response }: Exchange, { body }: Connection, clock: FakeClock) {
  const fetch = (): Promise<Response> =>
    Promise.resolve(new Response(body, { status: response.status, headers: { ...response.headers } }))
  const turn = subject
    .adapter({ fetch, apiKey: 'no-secret' })
    .turn({ messages: [], turn: 0 }, { mode: 'stream', clock })
  const events: TurnEvent[] = []
  for await (const batch of turn) events.push(...batch)
  return events
}

const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 5)
  })

test.each(subjects.map((subject) => [subject.name, subject] as const))(
  'an answer of %s is over although its connection stays open, and is the same as with one that closes',
  async (_name, subject) => {
    const exchange = recorded(subject)
    const bytes = new Uint8Array(exchange.response.body)
    const whole = await eventsOf(subject, exchange, connectionWith(bytes, 'closes'), fakeClock())
    const clock = fakeClock()
    const open = connectionWith(bytes, 'stays open')
    const events = eventsOf(subject, exchange, open, clock)
    await settled()
    // Twice: an answer without an end mark ends first, and its connection then.
    clock.advance(5000)
    expect(await events).toEqual(whole)
    clock.advance(5000)
    expect(open.state.closed).toBe(true)
    expect(clock.open).toBe(0)
  },
)
