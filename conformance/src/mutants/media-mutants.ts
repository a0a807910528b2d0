import type { FilePart, Message, UserPart } from '@steploop/core'
import { parsed } from '../json.ts'
import { wireKit } from '../wires/index.ts'
import { brokenEvent, brokenFetch, brokenRequest, type Mutant } from './mutant.ts'

/** The name of a file in its place. */
function named({ mediaType }: FilePart): UserPart {
  return { type: 'text', text: `[${mediaType}]` }
}

function withoutFiles(message: Message): Message {
  if (message.role !== 'user' || typeof message.content === 'string') return message
  return { ...message, content: message.content.map((part) => (part.type === 'file' ? named(part) : part)) }
}

/** Files, sources, and what only some servers send. */
export const mediaMutants: readonly Mutant[] = [
  brokenRequest({
    id: 'files-named-not-sent',
    bug: 'A file in a message becomes a word, whether it could be sent or not.',
    killer: 'image-input#file-in-bodies',
    change: (request) => ({ ...request, messages: request.messages.map(withoutFiles) }),
  }),
  brokenRequest({
    id: 'unsupported-files-left-out',
    bug: 'A file that cannot be sent is left out without a word.',
    killer: 'file-refused#refused-unsent',
    change: (request, { capabilities }) =>
      capabilities.fileInput ? request : { ...request, messages: request.messages.map(withoutFiles) },
  }),
  brokenEvent({
    id: 'sources-lost',
    bug: 'The sources of an answer are dropped.',
    killer: 'citations#sources-told',
    change: (event) => (event.type === 'citation' ? [] : [event]),
  }),
  brokenEvent({
    id: 'end-warnings-lost',
    bug: 'What is noticed at the end of a turn is not told.',
    killer: 'gemini-undeclared-call#told-what-was-tried',
    change: (event) => (event.type === 'turn-end' ? [{ ...event, warnings: undefined }] : [event]),
  }),
  brokenFetch({
    id: 'counts-of-chunks-added',
    bug: 'Counts that a stream gives again and again, growing, are added up.',
    killer: 'compatible-usage-in-every-chunk#counted-as-at-the-end',
    wrap: (correct) => async (input, init) => {
      const response = await correct(input, init)
      const { body, status, headers } = response
      // Frames of bytes are no text, and would not come through.
      if (headers.get('content-type')?.startsWith('text/event-stream') !== true) return response
      return new Response(body?.pipeThrough(addingCounts()) ?? null, { status, headers })
    },
  }),
  {
    id: 'odd-ids-cleaned',
    bug: 'Ids of calls are cleaned for a provider that gave them as they are.',
    killer: 'call-id-shapes#ids-as-they-came',
    apply(subject) {
      const readRequest = wireKit(subject.wire)?.readRequest
      return {
        ...subject,
        adapter(options) {
          const send = options.fetch ?? fetch
          return subject.adapter({
            ...options,
            fetch(input, init) {
              const body = typeof init?.body === 'string' ? init.body : ''
              const items = readRequest?.(parsed(body))?.items ?? []
              const ids = items.flatMap((item) => (item.type === 'call' || item.type === 'result' ? [item.id] : []))
              return send(input, init?.body === undefined ? init : { ...init, body: cleaned(body, ids) })
            },
          })
        },
      }
    },
  },
]

function cleaned(body: string, ids: readonly string[]): string {
  return ids.reduce(
    (text, id) => text.replaceAll(JSON.stringify(id), JSON.stringify(id.replaceAll(/[^a-zA-Z0-9_-]/g, '_'))),
    body,
  )
}

/** Each count of a stream of Chat Completions with those before it added. */
function addingCounts(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ''
  let before = 0
  const added = (line: string): string =>
    line.replace(/^(data: .*"completion_tokens":)(\d+)/, (_, start: string, count: string) => {
      before += Number(count)
      return `${start}${before}`
    })
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      controller.enqueue(encoder.encode(lines.map((line) => `${added(line)}\n`).join('')))
    },
    flush: (controller) => controller.enqueue(encoder.encode(added(rest))),
  })
}
