import type { Cassette, CassetteHeader, Exchange, Chunk } from '../cassette.ts'
import { CassetteError } from '../errors.ts'
import { isMaskPath, maskRequestBody, maskResponseBody } from '../redaction/mask-body.ts'
import { noteCredentials, refuseCredentials, type SentCredentials } from '../redaction/sent-credentials.ts'
import { jsonBodyText } from '../format/json-text.ts'
import { storedRequestHeaders, storedResponseHeaders, storedUrl } from '../rules/stored-headers.ts'
import { headerValue } from './recorded-headers.ts'
import type { ImportedExchange, ImportedRequest, ImportedResponse, ImportedSession } from './session.ts'

export interface BuildOptions {
  /** Facts of the header that only the caller knows. */
  readonly header: Pick<CassetteHeader, 'scenario' | 'provider' | 'wire' | 'model'>
  /** The program that imports, with its version. */
  readonly by: string
  /** Fields to mask, as dotted paths with `*`. Default: none. */
  readonly mask?: readonly string[] | undefined
  /** Request headers that the recorder removed and clients send, such as `authorization`; credentials are stored redacted. Default: none. */
  readonly requestHeaders?: readonly (readonly [name: string, value: string])[] | undefined
  /** The request to a response that was recorded without one. Default: `POST https://unknown.invalid/` without a body. */
  readonly guessRequest?: ((exchange: ImportedExchange) => ImportedRequest) | undefined
  /** Default: today. */
  readonly today?: (() => Date) | undefined
}

export interface BuiltCassette {
  readonly cassette: Cassette
  /** What had to be guessed; also in the header's `origin.guessed`. */
  readonly guessed: readonly string[]
  /** What was left out. */
  readonly left: readonly string[]
}

interface Notes {
  readonly guessed: Set<string>
  readonly leftHeaders: { readonly request: Set<string>; readonly response: Set<string> }
}

/**
 * Makes a cassette with origin `imported` of another tool's recording. Headers outside of the allow-lists are left out, credentials are
 * redacted, declared fields masked. Nothing is scanned or written yet: `writeCassette` does both.
 *
 * @throws {CassetteError} `schema` for an empty recording or a mask path that is none; `secret-found` when a credential of a request comes back.
 */
export function buildCassette(session: ImportedSession, options: BuildOptions): BuiltCassette {
  const mask = options.mask ?? []
  const wrong = mask.find((path) => !isMaskPath(path))
  if (wrong !== undefined) {
    const fix = 'Write names with dots between them, and * for any member: messages.*.content'
    throw new CassetteError('schema', { what: `"${wrong}" is no path of a field to mask.`, fix })
  }
  if (session.exchanges.length === 0) {
    throw new CassetteError('schema', { what: 'The recording holds no exchange.', fix: 'Record it again.' })
  }
  const notes: Notes = {
    guessed: new Set(session.guessed),
    leftHeaders: { request: new Set(), response: new Set() },
  }
  const exchanges = session.exchanges.map((exchange) => buildExchange(exchange, options, mask, notes))
  if (session.date === undefined) notes.guessed.add('date: the day of the import')
  const guessed = [...notes.guessed]
  const date = session.date ?? (options.today?.() ?? new Date()).toISOString().slice(0, 10)
  const { source, licence } = session
  const origin = {
    kind: 'imported' as const,
    by: options.by,
    date,
    ...(source === undefined ? {} : { source }),
    ...(licence === undefined ? {} : { licence }),
    ...(guessed.length === 0 ? {} : { guessed: guessed.join('; ') }),
  }
  const mode = exchanges.some(({ response }) => isStream(response.headers['content-type'])) ? 'stream' : 'generate'
  const header = { ...options.header, mode, origin, ...(mask.length === 0 ? {} : { mask }) } as const
  const cassette = { header, exchanges }
  refuseCredentials(credentialsOf(session), cassette)
  return { cassette, guessed, left: [...session.left, ...leftHeaders(notes)] }
}

function credentialsOf({ exchanges }: ImportedSession): SentCredentials {
  const sent: SentCredentials = new Map()
  for (const { request } of exchanges) if (request !== undefined) noteCredentials(sent, request)
  return sent
}

const isStream = (type: string | undefined): boolean => /event-?stream|ndjson|jsonl|json-seq/.test(type ?? '')

function buildExchange(
  exchange: ImportedExchange,
  options: BuildOptions,
  mask: readonly string[],
  notes: Notes,
): Exchange {
  if (exchange.request === undefined) notes.guessed.add('requests: only responses were recorded')
  const request = exchange.request ?? (options.guessRequest ?? unknownRequest)(exchange)
  return {
    request: {
      method: request.method,
      url: storedUrl(request.url),
      headers: requestHeaders(request, options, notes),
      body: maskRequestBody(request.body, mask),
    },
    response: buildResponse(exchange.response, mask, notes),
  }
}

function unknownRequest(): ImportedRequest {
  return { method: 'POST', url: 'https://unknown.invalid/', headers: [], body: new Uint8Array() }
}

function requestHeaders(request: ImportedRequest, options: BuildOptions, notes: Notes): Record<string, string> {
  const added = (options.requestHeaders ?? []).filter(([name]) => headerValue(request.headers, name) === undefined)
  if (added.length > 0) notes.guessed.add(`request headers ${added.map(([name]) => name).join(', ')}: given by hand`)
  const stored = storedRequestHeaders([...request.headers, ...added])
  noteLeft(request.headers, stored, notes.leftHeaders.request)
  if (stored['content-type'] !== undefined || jsonBodyText(request.body) === undefined) return stored
  notes.guessed.add('content-type of requests: the body is JSON')
  return storedRequestHeaders([...Object.entries(stored), ['content-type', 'application/json']])
}

function buildResponse(response: ImportedResponse, mask: readonly string[], notes: Notes): Exchange['response'] {
  const headers = storedResponseHeaders(response.headers)
  noteLeft(response.headers, headers, notes.leftHeaders.response)
  const type = headers['content-type'] ?? guessType(response, notes)
  const body = maskResponseBody(response.body, type, mask)
  if (response.chunks === undefined && body.length > 0) {
    notes.guessed.add(
      isStream(type)
        ? 'chunk boundaries (one chunk per event) and times'
        : 'chunk boundaries (one chunk per body) and times',
    )
  }
  return {
    status: response.status,
    headers: type === undefined ? headers : storedResponseHeaders([...Object.entries(headers), ['content-type', type]]),
    body,
    chunks: response.chunks ?? guessChunks(body, type),
    ending: response.ending ?? (response.status === 0 ? 'reset' : 'eof'),
  }
}

function guessType(response: ImportedResponse, notes: Notes): string | undefined {
  if (response.body.length === 0) return undefined
  notes.guessed.add('content-type of responses')
  if (jsonBodyText(response.body) !== undefined) return 'application/json'
  const start = new TextDecoder().decode(response.body.subarray(0, 200))
  return /^(?:event|data|id|retry|:)/m.test(start) ? 'text/event-stream' : 'text/plain'
}

// They never enter a cassette, imported or recorded; saying so would be noise.
const unremarkable =
  /^(?:content-length|content-encoding|transfer-encoding|connection|date|host|user-agent|accept|accept-encoding|authorization)$/

function noteLeft(
  recorded: readonly (readonly [string, string])[],
  kept: Readonly<Record<string, string>>,
  names: Set<string>,
): void {
  for (const [name] of recorded) if (!(name in kept) && !unremarkable.test(name)) names.add(name)
}

function leftHeaders({ leftHeaders: { request, response } }: Notes): string[] {
  const line = (half: string, names: ReadonlySet<string>): string[] =>
    names.size === 0 ? [] : [`${half} headers outside of the allow-list: ${[...names].toSorted().join(', ')}`]
  return [...line('request', request), ...line('response', response)]
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** One chunk per event of a stream, cut behind its blank line; one per line for lines of JSON; otherwise one. */
function guessChunks(body: Uint8Array, contentType: string | undefined): readonly Chunk[] {
  if (body.length === 0) return []
  const type = contentType ?? ''
  const isLines = /ndjson|jsonl|json-seq/.test(type)
  if (!isLines && !type.includes('event-stream')) return [{ ms: 0, bytes: body.length }]
  const chunks: Chunk[] = []
  let start = 0
  for (let offset = 0; offset < body.length; offset += 1) {
    if (body[offset] !== lineFeed || (!isLines && !endsEvent(body, offset))) continue
    chunks.push({ ms: 0, bytes: offset + 1 - start })
    start = offset + 1
  }
  if (start < body.length) chunks.push({ ms: 0, bytes: body.length - start })
  return chunks
}

function endsEvent(body: Uint8Array, lineEnd: number): boolean {
  const before = body[lineEnd - 1] === carriageReturn ? lineEnd - 2 : lineEnd - 1
  return body[before] === lineFeed
}
