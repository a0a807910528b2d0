import type { FilePart, UserPart } from '@steploop/core'
import type { TurnRequest } from '@steploop/core/adapter'
import { changeResults, withMessages } from './messages.ts'
import { brokenBody, brokenEnd, brokenEvent, brokenEvents, brokenRequest, type Breaks } from './mutant.ts'
import { brokenLines } from './stream-mutants.ts'

/** The name of a file in its place. */
function named({ mediaType }: FilePart): UserPart {
  return { type: 'text', text: `[${mediaType}]` }
}

function changeFiles(request: TurnRequest, change: (file: FilePart) => UserPart): TurnRequest {
  return withMessages(request, (messages) =>
    messages.map((message) => {
      if (message.role !== 'user' || typeof message.content === 'string') return message
      return { ...message, content: message.content.map((part) => (part.type === 'file' ? change(part) : part)) }
    }),
  )
}

/** Files, sources, and what only some servers send. */
export const mediaMutants: Breaks = {
  'files-named-not-sent': brokenRequest({
    bug: 'A file in a message becomes a word, whether it could be sent or not.',
    killer: 'image-input#file-in-bodies',
    change: (request) => changeFiles(request, named),
  }),
  'unsupported-files-left-out': brokenRequest({
    bug: 'A file that cannot be sent is left out without a word.',
    killer: 'file-refused#refused-unsent',
    change: (request, { capabilities }) => (capabilities.fileInput ? request : changeFiles(request, named)),
  }),
  'sources-lost': brokenEvent({
    bug: 'The sources of an answer are dropped.',
    killer: 'citations#sources-reported',
    change: (event) => (event.type === 'citation' ? [] : [event]),
  }),
  'sources-of-the-first-part': brokenEvent({
    bug: 'Sources are those of the first part, whatever they support.',
    killer: 'reasoning-text#turn-events',
    change: (event) => [event.type === 'citation' ? { ...event, part: 0 } : event],
  }),
  'file-names-lost': brokenRequest({
    bug: 'A file is sent without its name.',
    killer: 'file-input#file-named',
    change: (request) => changeFiles(request, (file) => ({ ...file, filename: undefined })),
  }),
  'images-are-photographs': brokenRequest({
    bug: 'Every image passes for a JPEG.',
    killer: 'image-input#file-in-bodies',
    change: (request) =>
      changeFiles(request, (file) => (file.mediaType === 'image/png' ? { ...file, mediaType: 'image/jpeg' } : file)),
  }),
  'images-are-drawings': brokenRequest({
    bug: 'Every image passes for a PNG.',
    killer: 'text-only#requests',
    change: (request) =>
      changeFiles(request, (file) => (file.mediaType === 'image/jpeg' ? { ...file, mediaType: 'image/png' } : file)),
  }),
  'one-file-of-a-message': brokenRequest({
    bug: 'Of the files of a message the first one is sent.',
    killer: 'text-only#requests',
    change: (request) =>
      withMessages(request, (messages) =>
        messages.map((message) => {
          if (message.role !== 'user' || typeof message.content === 'string') return message
          const first = message.content.find(({ type }) => type === 'file')
          return { ...message, content: message.content.filter((part) => part.type === 'text' || part === first) }
        }),
      ),
  }),
  'one-file-of-a-result': brokenRequest({
    bug: 'Of the files of a result the first one is sent.',
    killer: 'text-only#requests',
    change: (request) =>
      changeResults(request, ({ output, ...result }) => {
        if (output.type !== 'content') return { ...result, output }
        const first = output.value.find(({ type }) => type === 'file')
        const value = output.value.filter((part) => part.type === 'text' || part === first)
        return { ...result, output: { ...output, value } }
      }),
  }),
  'addresses-as-bytes': brokenRequest({
    bug: 'The address of an image is sent where its bytes belong.',
    killer: 'text-only#requests',
    change: (request) =>
      changeFiles(request, ({ url, ...file }) => (url === undefined ? file : { ...file, data: url })),
  }),
  'files-in-warnings': brokenEvents({
    bug: 'What is said of a file that is left out repeats all of it.',
    killer: 'text-only#requests',
    fresh: ({ messages }) => JSON.stringify(messages),
    change: (events, messages) =>
      events.map((event) =>
        event.type === 'turn-start'
          ? { ...event, warnings: event.warnings?.map((one) => ({ ...one, message: `${one.message}: ${messages}` })) }
          : event,
      ),
  }),
  'end-warnings-lost': brokenEnd({
    bug: 'What is noticed at the end of a turn is not reported.',
    killer: 'gemini-undeclared-call#tried-call-named',
    change: () => ({ warnings: undefined }),
  }),
  'counts-of-chunks-added': brokenLines({
    bug: 'Counts that a stream gives again and again, growing, are added up.',
    killer: 'compatible-usage-in-every-chunk#counted-as-at-the-end',
    fresh: () => ({ before: 0 }),
    change: (line, sum) =>
      line.replace(/^(data: .*"completion_tokens":)(\d+)/, (_, start: string, count: string) => {
        sum.before += Number(count)
        return `${start}${sum.before}`
      }),
  }),
  'odd-ids-cleaned': brokenBody({
    bug: 'Ids of calls are cleaned for a provider that gave them as they are.',
    killer: 'call-id-shapes#ids-as-they-came',
    change: (body, items) =>
      items
        .flatMap((item) => (item.type === 'call' || item.type === 'result' ? [item.id] : []))
        .reduce(
          (text, id) => text.replaceAll(JSON.stringify(id), JSON.stringify(id.replaceAll(/[^a-zA-Z0-9_-]/g, '_'))),
          body,
        ),
  }),
}
