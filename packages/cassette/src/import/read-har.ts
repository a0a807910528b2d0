import type { Chunk, Ending } from '../cassette.ts'
import { decodeContent } from './decode-content.ts'
import { encode, isRecord, listOf, notA, parseJson, recordOf, textOf } from './json-value.ts'
import { dayOf, headerValue, recordedHeaders } from './recorded-headers.ts'
import type { ImportedExchange, ImportedResponse, ImportedSession } from './session.ts'

/**
 * Reads an HTTP archive (HAR 1.2), of a browser, a proxy, or our own export, whose chunks and endings come back exactly.
 *
 * @throws {CassetteError} `syntax` or `schema`, with the file's name and the entry.
 */
export function readHar(text: string, file: string): ImportedSession {
  const log = recordOf(recordOf(parseJson(text, file))['log'])
  if (!Array.isArray(log['entries'])) throw notA('HTTP archive', file, 'it has no list "log.entries"')
  const left: string[] = []
  const entries = log['entries'].map((entry: unknown) => recordOf(entry))
  const exchanges = entries.flatMap((entry, index) => {
    const read = readEntry(entry, `entry ${index + 1}`, file)
    if (typeof read !== 'string') return [read]
    left.push(read)
    return []
  })
  const date = entries.map((entry) => dayOf(textOf(entry['startedDateTime']))).find(Boolean)
  return { exchanges, guessed: [], left, date }
}

/** The exchange, or why there is none. */
function readEntry(
  entry: Readonly<Record<string, unknown>>,
  location: string,
  file: string,
): ImportedExchange | string {
  const request = recordOf(entry['request'])
  const url = textOf(request['url'])
  if (url === undefined || !isRecord(entry['response'])) {
    throw notA('HTTP archive', file, `${location} lacks its request's URL or its response`)
  }
  if (!/^https?:/.test(url) || !URL.canParse(url)) return `${location}: ${url.slice(0, 20)}... is no HTTP`
  const headers = recordedHeaders(request['headers'])
  const sent = recordOf(request['postData'])
  const body = contentBytes(sent, textOf(recordOf(sent)['_encoding']) ?? textOf(sent['encoding']))
  const method = (textOf(request['method']) ?? 'GET').toUpperCase()
  // A browser's question whether it may ask is not part of the conversation.
  if (method === 'OPTIONS') return `${location}: a preflight request (OPTIONS)`
  const type = headerValue(headers, 'content-type') ?? textOf(sent['mimeType'])
  const named = headers.filter(([name]) => name !== 'content-type')
  return {
    request: { method, url, headers: type === undefined ? named : [...named, ['content-type', type]], body },
    response: readResponse(recordOf(entry['response']), location, file),
  }
}

function readResponse(response: Readonly<Record<string, unknown>>, location: string, file: string): ImportedResponse {
  const { status } = response
  if (typeof status !== 'number') throw notA('HTTP archive', file, `${location} has no status`)
  const content = recordOf(response['content'])
  const headers = recordedHeaders(response['headers'])
  const type = headerValue(headers, 'content-type') ?? textOf(content['mimeType'])
  const named = headers.filter(([name]) => name !== 'content-type')
  // HAR writers store the decoded body; base64 may hold what came over the wire.
  const coding = content['encoding'] === 'base64' ? headerValue(headers, 'content-encoding') : undefined
  const body = decodeContent(contentBytes(content, textOf(content['encoding'])), coding, `${file}, ${location}`)
  return {
    status: status < 200 ? 0 : status,
    headers: type === undefined ? named : [...named, ['content-type', type]],
    body: status < 200 ? new Uint8Array() : body,
    chunks: ownChunks(response['_chunks'], body.length),
    ending: ownEnding(response['_ending']),
  }
}

function contentBytes(content: Readonly<Record<string, unknown>>, encoding: string | undefined): Uint8Array {
  const text = textOf(content['text']) ?? ''
  return encoding === 'base64' ? new Uint8Array(Buffer.from(text, 'base64')) : encode(text)
}

function ownChunks(value: unknown, bytes: number): readonly Chunk[] | undefined {
  if (!Array.isArray(value)) return undefined
  const chunks = listOf(value).flatMap((one): Chunk[] => {
    const { ms, bytes: size } = recordOf(one)
    return typeof ms === 'number' && typeof size === 'number' ? [{ ms, bytes: size }] : []
  })
  return chunks.reduce((sum, chunk) => sum + chunk.bytes, 0) === bytes ? chunks : undefined
}

const endings: readonly Ending[] = ['eof', 'reset', 'stall', 'abort']
const ownEnding = (value: unknown): Ending | undefined => endings.find((ending) => ending === value)
