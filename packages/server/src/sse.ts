import type { JsonObject } from './json.ts'

export type SequencedEvent = JsonObject & { readonly type: string; readonly sequence_number: number }

const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache, no-transform' }

export interface EventResponseOptions {
  /** Called when the reader goes before the end. */
  readonly leave?: (() => void) | undefined
  readonly headers?: HeadersInit | undefined
  /** Milliseconds of silence after which a comment is sent, so that nothing in between takes the connection for dead. */
  readonly keepAlive: number
}

/** Server-sent events, at the pace of who reads them. An error in the middle ends the stream with an event `error`, never with silence. */
export function eventResponse(
  events: AsyncIterator<SequencedEvent, unknown>,
  { leave, headers: extra, keepAlive }: EventResponseOptions,
): Response {
  const encoder = new TextEncoder()
  let timer: ReturnType<typeof setInterval> | undefined
  let isSilent = true
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        timer = setInterval(() => {
          // One that nobody has read yet is enough.
          if (isSilent && (controller.desiredSize ?? -1) >= 0) controller.enqueue(encoder.encode(': keep-alive\n\n'))
          isSilent = true
        }, keepAlive)
      },
      async pull(controller) {
        try {
          const next = await events.next()
          isSilent = false
          if (next.done !== true) return controller.enqueue(encoder.encode(frame(next.value)))
        } catch {
          const message = 'The stream broke off.'
          controller.enqueue(
            encoder.encode(frame({ type: 'error', code: 'server_error', message, param: null, sequence_number: 0 })),
          )
        }
        clearInterval(timer)
        controller.close()
      },
      async cancel() {
        clearInterval(timer)
        leave?.()
        await events.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { ...headers, ...Object.fromEntries(new Headers(extra)) } })
}

function frame(event: SequencedEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** Numbers events from 0, or from where an earlier run stopped. */
export async function* sequenced<Result>(
  events: AsyncGenerator<JsonObject & { readonly type: string }, Result, undefined>,
  from = 0,
): AsyncGenerator<SequencedEvent, Result, undefined> {
  let number = from
  try {
    for (;;) {
      const next = await events.next()
      if (next.done === true) return next.value
      yield { ...next.value, sequence_number: number++ }
    }
  } finally {
    await events.return(undefined as Result)
  }
}

/** The events with one that was taken off their beginning. */
export function putBack<Event, Result>(
  first: IteratorResult<Event, Result>,
  rest: AsyncGenerator<Event, Result, undefined>,
): AsyncIterator<Event, Result> {
  let taken = false
  return {
    async next() {
      if (taken) return rest.next()
      taken = true
      return first
    },
    return: async (value) => rest.return(value as Result),
  }
}
