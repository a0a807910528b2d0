import { isObject } from '@steploop/core/adapter'
import { parsed } from '../json.ts'
import { brokenEvent, brokenEvents, brokenFetch, type Break, type Breaks, type Bug } from './mutant.ts'

const carriageReturn = 0x0d
const blank = 0x20

/** The response with each chunk of its body changed. */
function withChunks(response: Response, change: (chunk: Uint8Array) => Uint8Array): Response {
  if (response.body === null) return response
  const changed = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => controller.enqueue(change(chunk)),
    }),
  )
  return new Response(changed, { status: response.status, headers: response.headers })
}

/** Breaks what comes back. `asks` says for which requests. */
export function brokenResponses(
  bug: Bug & {
    readonly change: (response: Response) => Response | Promise<Response>
    readonly asks?: ((body: string) => boolean) | undefined
  },
): Break {
  const { change, asks = () => true, ...facts } = bug
  return brokenFetch({
    ...facts,
    wrap: (correct) => async (input, init) => {
      const response = await correct(input, init)
      return asks(typeof init?.body === 'string' ? init.body : '') ? change(response) : response
    },
  })
}

/** Programs have a way for streams with tools and one for those without; this is the first. */
export const hasTools = (body: string): boolean => body.includes('get_weather') || body.includes('list_alerts')

/** Breaks each line of an event stream; nothing takes the line away. `state` is fresh per stream. */
export function brokenLines<State>(
  bug: Bug & {
    readonly fresh: () => State
    readonly change: (line: string, state: State) => string | undefined
  },
): Break {
  const { fresh, change, ...facts } = bug
  return brokenResponses({
    ...facts,
    change(response) {
      if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
      const { status, headers } = response
      const decoder = new TextDecoder()
      const state = fresh()
      let rest = ''
      const lines = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          const cut = (rest + decoder.decode(chunk, { stream: true })).split('\n')
          rest = cut.pop() ?? ''
          const kept = cut.flatMap((line) => change(line, state) ?? [])
          controller.enqueue(new TextEncoder().encode(kept.map((line) => `${line}\n`).join('')))
        },
        flush: (controller) => controller.enqueue(new TextEncoder().encode(change(rest, state) ?? '')),
      })
      return new Response(response.body?.pipeThrough(lines) ?? null, { status, headers })
    },
  })
}

const none = (): undefined => undefined

/** How bytes become events. */
export const streamMutants: Breaks = {
  'long-chunks-cut': brokenResponses({
    bug: 'Of a chunk that is longer than a buffer the end is lost.',
    killer: 'text-only#long',
    change: (response) => withChunks(response, (chunk) => chunk.subarray(0, 64 * 1024)),
  }),
  'long-inputs-cut': brokenEvent({
    bug: 'Of the arguments of a call no more is kept than a buffer holds.',
    killer: 'text-only#long',
    change: (event) => {
      const isLong = event.type === 'tool-call' && event.inputText.length > 16 * 1024
      return [isLong ? { ...event, input: undefined, invalid: 'unparsable' } : event]
    },
  }),
  'texts-normalised': brokenEvent({
    bug: 'A letter that is written as two signs is told as one.',
    killer: 'text-only#long',
    change: (event) => [event.type === 'text-delta' ? { ...event, text: event.text.normalize('NFC') } : event],
  }),
  'long-events-lost': brokenEvents({
    bug: 'An event that is longer than a buffer is lost.',
    killer: 'text-only#long',
    fresh: () => new Set<number>(),
    change: (events, lost) =>
      events.filter((event) => {
        if (event.type === 'tool-call-start' && event.toolName.length > 4 * 1024) lost.add(event.part)
        return !('part' in event && lost.has(event.part))
      }),
  }),
  'utf8-per-chunk': brokenResponses({
    bug: 'With tools, each chunk is decoded on its own, so characters cut by the network are lost.',
    killer: 'no-arguments#rechunk',
    asks: hasTools,
    change: (response) => withChunks(response, (chunk) => new TextEncoder().encode(new TextDecoder().decode(chunk))),
  }),
  'split-on-lf-lf': brokenResponses({
    bug: 'With tools, events are split at two line feeds only, so a stream with CR LF is one long event.',
    killer: 'single-call#noise',
    asks: hasTools,
    change: (response) =>
      withChunks(response, (chunk) => chunk.map((byte) => (byte === carriageReturn ? blank : byte))),
  }),
  'data-line-only': brokenLines({
    bug: 'Only lines that begin with `data: `, blank included, are data.',
    killer: 'text-only#noise',
    fresh: none,
    change: (line) => (/^data:[^ ]/.test(line) ? undefined : line),
  }),
  'comment-is-data': brokenLines({
    bug: 'A comment line is taken for a payload that is no JSON.',
    killer: 'text-only#noise',
    fresh: none,
    change: (line) => (line.startsWith(': keep-alive') ? 'data: keep-alive\n' : line),
  }),
  'unknown-field-refused': brokenLines({
    bug: 'A field that the adapter does not know makes the stream fail.',
    killer: 'text-only#noise',
    fresh: none,
    change: (line) => {
      const payload = line.startsWith('data:') ? parsed(line.slice(5)) : undefined
      return isObject(payload) && 'x_unknown' in payload ? 'data: {' : line
    },
  }),
  'unknown-event-refused': brokenLines({
    bug: 'An event of a type that is not known makes the stream fail.',
    killer: 'text-only#tolerate',
    fresh: none,
    change: (line) => (line.startsWith('data:') && line.includes('unheard_of') ? 'data: {' : line),
  }),
  'unparsable-frame-skipped': brokenLines({
    bug: 'What is no JSON is skipped, wherever it stands.',
    killer: 'broken-json#golden',
    fresh: none,
    change(line) {
      const isPayload = line.startsWith('data:') && !line.includes('[DONE]')
      return isPayload && parsed(line.slice(5)) === undefined ? undefined : line
    },
  }),
  'abort-leaks-connection': brokenFetch({
    bug: 'The request does not get the signal, and a response that nobody reads is not closed.',
    killer: 'text-only#abort',
    wrap: (correct) => async (input, init) => {
      const response = await correct(input, { ...init, signal: null })
      const { body, status, headers } = response
      return body === null ? response : new Response(unclosable(body), { status, headers })
    },
  }),
  'whole-arguments-lost': brokenLines({
    bug: 'Arguments are the sum of their deltas; those that come in the closing event alone are lost (docs/wire.md#responses-arguments-without-deltas).',
    killer: 'responses-arguments-at-once#golden',
    fresh: () => ({ deltas: false }),
    change(line, seen) {
      seen.deltas ||= line.includes('function_call_arguments.delta')
      const lost = !seen.deltas && line.startsWith('data:') && line.includes('function_call')
      return lost ? line.replaceAll(/"arguments":"(?:[^"\\]|\\.)*"/g, '"arguments":""') : line
    },
  }),
  'usage-added-not-last': brokenLines({
    bug: 'Where some input was cached, counts that a stream gives anew are added to those before (docs/wire.md#anthropic-usage).',
    killer: 'prompt-cache#counted-once',
    fresh: () => ({ output: 0, isCached: false }),
    change(line, sum) {
      const count = /"output_tokens":(\d+)/.exec(line)
      sum.isCached ||= /"cache_read_input_tokens":[1-9]/.test(line)
      if (!line.startsWith('data:') || count === null || !sum.isCached) return line
      sum.output += Number(count[1])
      return line.replace(count[0], `"output_tokens":${sum.output}`)
    },
  }),
  'last-event-needs-blank-line': brokenResponses({
    bug: 'The last event counts only if a blank line follows it.',
    killer: 'text-only#noise',
    async change(response) {
      if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
      const { status, headers } = response
      return new Response(dropUnfinished(response), { status, headers })
    },
  }),
}

/** Passes chunks on; that it is cancelled goes no further. */
function unclosable(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

/** Holds back all after the last line end until more comes. */
function dropUnfinished({ body }: Response): ReadableStream<Uint8Array> | null {
  let held: number[] = []
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const bytes = [...held, ...chunk]
      const end = bytes.lastIndexOf(0x0a) + 1
      held = bytes.slice(end)
      controller.enqueue(Uint8Array.from(bytes.slice(0, end)))
    },
  })
  return body?.pipeThrough(cut) ?? null
}
