import { parseDocument } from 'yaml'
import { CassetteError } from '../errors.ts'
import { decodeContent } from './decode-content.ts'
import { encode, isRecord, notA, parseJson, recordOf, textOf } from './json-value.ts'
import { dayOf, headerValue, recordedHeaders } from './recorded-headers.ts'
import type { ImportedExchange, ImportedRequest, ImportedResponse, ImportedSession } from './session.ts'

interface Notes {
  readonly guessed: Set<string>
  readonly left: string[]
}

/**
 * Reads a cassette of VCR.py (YAML or JSON; also the Ruby VCR's names), and the serialisers on it that store bodies parsed (`parsed_body`).
 *
 * @throws {CassetteError} `syntax` or `schema`, with the file's name and the location.
 */
export function readVcr(text: string, file: string): ImportedSession {
  const root = parse(text, file)
  const interactions = isRecord(root) ? (root['interactions'] ?? root['http_interactions']) : undefined
  if (!Array.isArray(interactions)) throw notA('VCR recording', file, 'it has no list "interactions"')
  const notes: Notes = { guessed: new Set(), left: [] }
  const exchanges = interactions.map((one: unknown, index) => readInteraction(one, index + 1, notes, file))
  const date = exchanges.map(({ response }) => dayOf(headerValue(response.headers, 'date'))).find(Boolean)
  return { exchanges, guessed: [...notes.guessed], left: notes.left, date }
}

function parse(text: string, file: string): unknown {
  if (/^\s*\{/.test(text)) return parseJson(text, file)
  // PyYAML writes YAML 1.1, in which bytes are tagged !!binary.
  const document = parseDocument(text, { schema: 'yaml-1.1', merge: false, logLevel: 'error' })
  const [error] = document.errors
  if (error !== undefined) {
    const location = `line ${error.linePos?.[0].line ?? 1}`
    const fix = 'Restore the file, or record it again.'
    throw new CassetteError('syntax', { file, location, what: `The file is broken YAML (${error.code}).`, fix })
  }
  return document.toJS({ maxAliasCount: 1000 })
}

function readInteraction(value: unknown, number: number, notes: Notes, file: string): ImportedExchange {
  const { request, response } = recordOf(value)
  const location = `interaction ${number}`
  if (!isRecord(request) || !isRecord(response)) {
    throw notA('VCR recording', file, `${location} lacks its request or its response`)
  }
  return {
    request: readRequest(request, notes, file, location),
    response: readResponse(response, notes, file, location),
  }
}

function readRequest(request: Readonly<Record<string, unknown>>, notes: Notes, file: string, location: string) {
  const url = textOf(request['uri']) ?? textOf(request['url'])
  if (url === undefined || !URL.canParse(url)) throw notA('VCR recording', file, `${location} has no absolute "uri"`)
  const headers = recordedHeaders(request['headers'])
  const coding = headerValue(headers, 'content-encoding')
  const body = decodeContent(bodyOf(request, notes), coding, `${file}, ${location}`)
  return { method: textOf(request['method'])?.toUpperCase() ?? 'GET', url, headers, body } satisfies ImportedRequest
}

function readResponse(response: Readonly<Record<string, unknown>>, notes: Notes, file: string, location: string) {
  const { status } = response
  const code = isRecord(status) ? status['code'] : (status ?? response['status_code'])
  if (typeof code !== 'number') throw notA('VCR recording', file, `${location} has no status code`)
  const headers = recordedHeaders(response['headers'])
  const coding = headerValue(headers, 'content-encoding')
  const body = decodeContent(bodyOf(response, notes), coding, `${file}, ${location}`)
  return { status: code, headers, body } satisfies ImportedResponse
}

function bodyOf(half: Readonly<Record<string, unknown>>, notes: Notes): Uint8Array {
  const parsed = half['parsed_body']
  if (parsed !== undefined) {
    notes.guessed.add(
      'JSON bodies: the recorder stored them parsed, so blanks, order of members and number spelling are not as sent',
    )
    return encode(JSON.stringify(parsed))
  }
  const body = half['body'] ?? half['content']
  return bytesOf(isRecord(body) ? (body['string'] ?? body['base64_string'] ?? body['content']) : body, body, notes)
}

function bytesOf(content: unknown, body: unknown, notes: Notes): Uint8Array {
  if (content instanceof Uint8Array) return content
  if (typeof content === 'string') {
    const isBase64 = isRecord(body) && textOf(body['base64_string']) === content
    return isBase64 ? new Uint8Array(Buffer.from(content, 'base64')) : encode(content)
  }
  if (content === undefined || content === null) return new Uint8Array()
  notes.guessed.add('JSON bodies: the recorder stored them parsed, so blanks and number spelling are not as sent')
  return encode(JSON.stringify(content))
}
