import { AdapterError, LoopError, type FilePart } from '@steploop/core'
import { unless, type Check } from '../check.ts'
import { document } from './sample-files.ts'
import type { SentRequest } from '../evidence.ts'

type GivenFile = FilePart & { readonly data: string }

/** How often the file's bytes stand in a body: as base64, in the alphabet of URLs too. */
function timesIn({ text }: SentRequest, { data }: GivenFile): number {
  return text.replaceAll('-', '+').replaceAll('_', '/').split(data).length - 1
}

/** Types of the same kind that a body speaks of, and that are not the file's. */
function otherTypes({ text }: SentRequest, { mediaType }: GivenFile): readonly string[] {
  const kind = mediaType.slice(0, mediaType.indexOf('/'))
  return (text.match(new RegExp(`\\b${kind}/[\\w.+-]+`, 'g')) ?? []).filter((type) => type !== mediaType)
}

/** The bytes are in each body from the given one on, once. */
export function fileInBodies(file: GivenFile, from = 1): Check {
  return {
    id: 'file-in-bodies',
    sentence: `The bytes of the file are in every body from request ${from} on, once in each, and of no other type.`,
    judge: ({ runs }) =>
      runs.flatMap(({ requests, number }) =>
        requests.slice(from - 1).flatMap((request, index) => {
          const times = timesIn(request, file)
          // What the provider has already is not sent again.
          const covered = request.view?.continuation !== undefined && times === 0
          const where = `run ${number}, request ${from + index}`
          return [
            ...unless(times === 1 || covered, `the ${file.mediaType} file is there ${times} times`, where),
            ...otherTypes(request, file).map((type) => ({
              message: `the ${file.mediaType} file is sent as ${type}`,
              where,
            })),
          ]
        }),
      ),
  }
}

/** A format without a field for it says so in `noWordsFor`, and some take plain signs only: the name's first word does for all. */
export const fileNamed: Check = {
  id: 'file-named',
  sentence: 'The name of the file is in every body that has its bytes.',
  judge: ({ runs }) =>
    runs.flatMap(({ requests, number }) =>
      requests.flatMap((request, index) => {
        const isNamed = request.text.includes(firstWord) || timesIn(request, document) === 0
        return unless(isNamed, `the name of the file is lost: no ${firstWord}`, `run ${number}, request ${index + 1}`)
      }),
    ),
}

const firstWord = document.filename?.split(' ')[0] ?? ''

/** A file that cannot be sent is refused here, with its type and what to do, and nothing goes out. */
export function refusedUnsent({ mediaType }: GivenFile): Check {
  return {
    id: 'refused-unsent',
    sentence: 'The file is refused before any request, by an error that names its type.',
    judge: ({ runs }) =>
      runs.flatMap(({ requests, error, number }) => {
        const where = `run ${number}`
        const cause = LoopError.isInstance(error) ? error.cause : undefined
        const named = AdapterError.isInstance(cause) && !cause.retryable && cause.message.includes(mediaType)
        const reason = cause instanceof Error ? cause.message : String(error)
        return [
          ...unless(requests.length === 0, `${requests.length} requests were made`, where),
          ...unless(
            named,
            `the error does not name '${mediaType}', or says that it can be tried again: ${reason}`,
            where,
          ),
        ]
      }),
  }
}
