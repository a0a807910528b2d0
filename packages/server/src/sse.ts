import type { JsonObject } from './json.ts'

export type SequencedEvent = JsonObject & { readonly type: string; readonly sequence_number: number }

/** Tells a reader of events, in order. The promise, if there is one, is to be waited for before more are told. */
export type Tell = (events: readonly SequencedEvent[]) => Promise<void> | undefined

const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache, no-transform' }
const broken = {
  type: 'error',
  code: 'server_error',
  message: 'The stream broke off.',
  param: null,
  sequence_number: 0,
}

export interface EventResponseOptions {
  /** Aborted when the reader goes before the end. When somebody else aborts it, nothing waits for the reader any more. */
  readonly controller: AbortController
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Milliseconds of silence after which a comment is sent, so that nothing in between takes the connection for dead. */
  readonly keepAlive: number
}

/** Takes the text of a stream. */
export interface TextWriter {
  /** False: no more until it has room, which `drained` tells. */
  write(text: string): boolean
  end(): void
}

/** The text of a stream, for one writer. */
export interface TextSource {
  readonly headers: Readonly<Record<string, string>>
  pipe(to: TextWriter): void
  drained(): void
  /** The reader has gone. */
  leave(): void
}

/** What the body of such a response holds: a stream of the web costs more than all else that is done for an event, and a socket can go without. */
export const textSources = new WeakMap<Response, TextSource>()

/**
 * Server-sent events, at the pace of who reads them. `source` is called at once. Where it fails, the stream ends with an event `error`,
 * never with silence.
 */
export function eventResponse(
  source: (tell: Tell) => Promise<unknown>,
  { controller, headers: extra, keepAlive }: EventResponseOptions,
): Response {
  const text = createTextSource({ ...streamHeaders, ...extra }, controller, keepAlive)
  const tell: Tell = (events) => text.send(events.map(frame).join(''))
  void source(tell)
    .catch(() => void text.send(frame(broken)))
    .finally(text.end)
  const response = new Response(bodyOf(text), { headers: text.headers })
  textSources.set(response, text)
  return response
}

function frame(event: SequencedEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

interface TextQueue extends TextSource {
  send(text: string): Promise<void> | undefined
  readonly end: () => void
}

function createTextSource(headers: TextSource['headers'], controller: AbortController, keepAlive: number): TextQueue {
  let writer: TextWriter | undefined
  /** Sent before there was a writer. */
  let early = ''
  let isFull = false
  let isSilent = true
  let state: 'open' | 'ended' | 'left' = 'open'
  let proceed: (() => void) | undefined
  const goOn = (): void => {
    proceed?.()
    proceed = undefined
  }
  const write = (text: string): void => {
    if (writer === undefined) early += text
    isFull = writer?.write(text) !== true
  }
  const timer = setInterval(() => {
    // One that nobody has read yet is enough.
    if (isSilent && !isFull) write(': keep-alive\n\n')
    isSilent = true
  }, keepAlive)
  controller.signal.addEventListener('abort', goOn, { once: true })
  const drained = (): void => {
    isFull = false
    goOn()
  }
  return {
    headers,
    drained,
    send(text) {
      isSilent = false
      if (state !== 'open') return undefined
      write(text)
      if (!isFull || controller.signal.aborted) return undefined
      return new Promise((resolve) => {
        proceed = resolve
      })
    },
    end() {
      clearInterval(timer)
      if (state !== 'open') return
      state = 'ended'
      writer?.end()
    },
    pipe(to) {
      writer = to
      isFull = early !== '' && !to.write(early)
      early = ''
      if (state === 'ended') to.end()
      if (!isFull) goOn()
    },
    leave() {
      if (state !== 'open') return
      state = 'left'
      clearInterval(timer)
      controller.abort()
    },
  }
}

function bodyOf(text: TextSource): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let isPiped = false
  return new ReadableStream(
    {
      pull(body) {
        if (isPiped) return text.drained()
        isPiped = true
        return text.pipe({
          write(chunk) {
            body.enqueue(encoder.encode(chunk))
            return false
          },
          end: () => body.close(),
        })
      },
      cancel: () => text.leave(),
    },
    { highWaterMark: 0 },
  )
}
