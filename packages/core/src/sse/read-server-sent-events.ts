import type { ChatEvent } from './chat-events.ts'
import { StepLoopError } from '../contract/errors.ts'
import { createSseFramer } from '../wire/framing.ts'
import { isObject } from '../wire/json.ts'

/**
 * Reads on a page what `toServerSentEvents` wrote on the server: `for await (const event of readServerSentEvents(await fetch('/chat',
 * { method: 'POST', body })))`. It ends after `done`. Leaving it closes the connection, which stops the run. Nothing is asked for again,
 * other than by `EventSource`: a run must not begin twice because a connection broke.
 *
 * Throws `StepLoopError` `bad-response` for a response that is no event stream, `malformed-response` for an event that is none of ours, and
 * `incomplete-stream` when the connection ends before `done`.
 */
export async function* readServerSentEvents(response: Response): AsyncGenerator<ChatEvent, undefined> {
  const type = response.headers.get('content-type') ?? ''
  if (!response.ok || response.body === null || !type.startsWith('text/event-stream')) {
    response.body?.cancel().catch(() => undefined)
    const got = `HTTP ${response.status}${type === '' ? '' : ` with content type ${type}`}`
    throw new StepLoopError('bad-response', `The server gave no events but ${got}. Look at what it says.`)
  }
  const framer = createSseFramer()
  const reader = response.body.getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read()
      const events: ChatEvent[] = []
      const take = ({ data }: { readonly data: string }): void => void events.push(parseEvent(data))
      if (value === undefined) framer.end(take)
      else framer.push(value, take)
      const last = events.findIndex((event) => event.type === 'done')
      yield* last < 0 ? events : events.slice(0, last + 1)
      if (last >= 0) return undefined
      if (done)
        throw new StepLoopError('incomplete-stream', 'The connection ended before `done`. Ask for the state anew.')
    }
  } finally {
    // Not awaited, as above: a reader that leaves does not wait for the network. An error of it has been thrown already.
    reader.cancel().catch(() => undefined)
  }
}

function parseEvent(data: string): ChatEvent {
  try {
    const event: unknown = JSON.parse(data)
    if (isObject(event) && typeof event['type'] === 'string') return event as unknown as ChatEvent
  } catch {
    // Told below.
  }
  throw new StepLoopError('malformed-response', `The server sent what is no event: ${data.slice(0, 200)}`)
}
