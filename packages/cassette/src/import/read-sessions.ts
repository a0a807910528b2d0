import { encode, isRecord, notA, parseJson, recordOf, textOf } from './json-value.ts'
import { recordedHeaders } from './recorded-headers.ts'
import type { ImportedExchange, ImportedRequest, ImportedResponse, ImportedSession } from './session.ts'

/**
 * Reads sessions as JSON: `{ source?, framing?, handEdited?, dropped?, interactions: [{ wire?, provider?, request, response }] }` with
 * `request: null | { method, url, headers, body }` and `response: { status, headers, contentType, body | sse | bytesBase64 }`.
 *
 * @throws {CassetteError} `syntax` or `schema`, with the file's name and the location.
 */
export function readSessions(text: string, file: string): ImportedSession {
  const root = recordOf(parseJson(text, file))
  const { interactions } = root
  if (!Array.isArray(interactions)) throw notA('recorded session', file, 'it has no list "interactions"')
  const guessed = new Set<string>()
  const exchanges = interactions.map((one: unknown, index) =>
    readInteraction(one, `interaction ${index + 1}`, guessed, file),
  )
  const framing = textOf(root['framing'])
  if (framing !== undefined && framing !== 'recorded') guessed.add(`framing, as the source says: ${framing}`)
  if (root['handEdited'] === true) guessed.add('content: the source says that a person edited it')
  const source = recordOf(root['source'])
  const location = [textOf(source['repo']), textOf(source['path'])].filter(Boolean).join(' ')
  const commit = textOf(source['commit'])
  return {
    exchanges,
    guessed: [...guessed],
    left: Array.isArray(root['dropped']) ? [`${root['dropped'].length} calls that the source itself left out`] : [],
    source: location === '' ? undefined : commit === undefined ? location : `${location} at ${commit.slice(0, 12)}`,
    licence: textOf(source['licence']),
  }
}

function readInteraction(value: unknown, location: string, guessed: Set<string>, file: string): ImportedExchange {
  const interaction = recordOf(value)
  if (!isRecord(interaction['response'])) throw notA('recorded session', file, `${location} has no response`)
  return {
    request: readRequest(interaction['request'], location, guessed, file),
    response: readResponse(interaction['response'], location, guessed, file),
    wire: textOf(interaction['wire']),
    provider: textOf(interaction['provider']),
  }
}

function readRequest(
  value: unknown,
  location: string,
  guessed: Set<string>,
  file: string,
): ImportedRequest | undefined {
  if (!isRecord(value)) return undefined
  const url = textOf(value['url'])
  const method = (textOf(value['method']) ?? 'POST').toUpperCase()
  if (url === undefined || !/^https?:/.test(url) || !URL.canParse(url)) {
    throw notA('recorded session of HTTP', file, `${location} is a ${method} call of "${url ?? 'nothing'}"`)
  }
  return { method, url, headers: recordedHeaders(value['headers']), body: bodyOf(value['body'], guessed) }
}

function readResponse(
  response: Readonly<Record<string, unknown>>,
  location: string,
  guessed: Set<string>,
  file: string,
) {
  const { status, sse, bytesBase64 } = response
  if (typeof status !== 'number') throw notA('recorded session', file, `${location} has no status`)
  if (response['statusAssumed'] === true) guessed.add('status, by the source')
  const known = recordedHeaders(response['headers'])
  const type = textOf(response['contentType'])
  const hasType = known.some(([name]) => name === 'content-type')
  const headers = type === undefined || hasType ? known : [...known, ['content-type', type] as const]
  if (typeof sse === 'string') return { status, headers, body: encode(sse) } satisfies ImportedResponse
  if (typeof bytesBase64 === 'string') {
    const body = new Uint8Array(Buffer.from(bytesBase64, 'base64'))
    return { status, headers, body } satisfies ImportedResponse
  }
  if (response['body'] === undefined && (response['chunks'] ?? response['events']) !== undefined) {
    throw notA('recorded session of HTTP', file, `${location} holds decoded messages but not the bytes that came`)
  }
  return { status, headers, body: bodyOf(response['body'], guessed) } satisfies ImportedResponse
}

function bodyOf(body: unknown, guessed: Set<string>): Uint8Array {
  if (body === undefined || body === null) return new Uint8Array()
  if (typeof body === 'string') return encode(body)
  guessed.add('JSON bodies: the recorder stored them parsed, so blanks and number spelling are not as sent')
  return encode(JSON.stringify(body))
}
