import type { FilePart, Message, UserPart } from '@steploop/core'
import { brokenBody, brokenEnd, brokenEvent, brokenRequest, type Mutant } from './mutant.ts'
import { brokenLines } from './stream-mutants.ts'

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
    killer: 'citations#sources-reported',
    change: (event) => (event.type === 'citation' ? [] : [event]),
  }),
  brokenEnd({
    id: 'end-warnings-lost',
    bug: 'What is noticed at the end of a turn is not reported.',
    killer: 'gemini-undeclared-call#tried-call-named',
    change: () => ({ warnings: undefined }),
  }),
  brokenLines({
    id: 'counts-of-chunks-added',
    bug: 'Counts that a stream gives again and again, growing, are added up.',
    killer: 'compatible-usage-in-every-chunk#counted-as-at-the-end',
    fresh: () => ({ before: 0 }),
    change: (line, sum) =>
      line.replace(/^(data: .*"completion_tokens":)(\d+)/, (_, start: string, count: string) => {
        sum.before += Number(count)
        return `${start}${sum.before}`
      }),
  }),
  brokenBody({
    id: 'odd-ids-cleaned',
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
]
