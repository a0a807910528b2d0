import { isObject, textOf } from '@steploop/core/adapter'
import { HarnessError } from '../../harness-error.ts'
import { eventMessage } from '../simulate/event-message.ts'

/** One recorded session: what one JSON file holds. */
export interface Recording {
  /** Path from the traffic folder, with `/`. */
  readonly file: string
  /** The folder that groups the report; for a file outside any folder the wire format that it names. */
  readonly group: string
  /** A person wrote or changed it: no evidence of what a provider sends. */
  readonly handEdited: boolean
  /** Codes with which answers in it may fail although their status is 2xx, for a recording of an answer that went wrong. */
  readonly mayFail: readonly string[]
  readonly interactions: readonly Interaction[]
}

export interface Interaction {
  /** Position in the file, from 0. */
  readonly index: number
  /** What the recorder wrote down; used only where the exchange itself does not tell. */
  readonly recordedWire: string | undefined
  readonly recordedProvider: string | undefined
  readonly request: RecordedRequest | undefined
  readonly response: RecordedResponse
}

export interface RecordedRequest {
  readonly method: string
  readonly url: string
  readonly body: unknown
}

export interface RecordedResponse {
  readonly status: number
  readonly headers: Headers
  /** The body as it goes through the transport; `undefined` for what is no HTTP body (gRPC), and for a 2xx that was recorded without one. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
  /** The body is an event stream. */
  readonly streamed: boolean
}

/**
 * Reads one recorded session (`{ interactions: [{ request, response }] }`).
 *
 * @throws HarnessError `unreadable-input` that names the file when the text is no JSON or no recording
 */
export function parseRecording(text: string, file: string): Recording {
  const root = parseJsonFile(text, file)
  if (!isObject(root) || !Array.isArray(root['interactions'])) {
    const fix = 'Convert it, or move it out of the folder.'
    throw unreadable(file, `is no recording: it has no list \`interactions\`. ${fix}`)
  }
  const wire = textOf(root['wire'])
  const folder = file.includes('/') ? file.slice(0, file.indexOf('/')) : undefined
  return {
    file,
    group: folder ?? wire ?? 'recordings',
    handEdited: root['handEdited'] === true,
    mayFail: codesOf(root['mayFail'], file),
    interactions: root['interactions'].map((value: unknown, index) => interactionOf(value, { index, file, wire })),
  }
}

function codesOf(value: unknown, file: string): readonly string[] {
  const isList = Array.isArray(value) && value.every((code): code is string => typeof code === 'string')
  if (isList) return value
  if (value === undefined) return []
  throw unreadable(
    file,
    'has a `mayFail` that is no list of error codes, for example ["incomplete-stream"]. Correct it.',
  )
}

/** Parses a JSON file; what is none throws `unreadable-input` with its name. */
export function parseJsonFile(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw unreadable(file, `is broken JSON (${reason}). Restore it or move it out of the folder.`, cause)
  }
}

export function unreadable(file: string, message: string, cause?: unknown): HarnessError {
  return new HarnessError('unreadable-input', `${file} ${message}`, { file, cause })
}

interface Location {
  readonly index: number
  readonly file: string
  readonly wire: string | undefined
}

function interactionOf(value: unknown, { index, file, wire }: Location): Interaction {
  const response = isObject(value) ? value['response'] : undefined
  if (!isObject(value) || !isObject(response)) {
    throw unreadable(file, `has no \`response\` in interaction ${index}. Record it again or remove the interaction.`)
  }
  return {
    index,
    recordedWire: textOf(value['wire']) ?? wire,
    recordedProvider: textOf(value['provider']),
    request: requestOf(value['request']),
    response: responseOf(response, { index, file, wire }),
  }
}

function requestOf(value: unknown): RecordedRequest | undefined {
  if (!isObject(value)) return undefined
  const { method, url, body } = value
  return { method: textOf(method) ?? 'POST', url: textOf(url) ?? '', body: parsedBody(body) }
}

/** Some recorders keep the body as text. */
function parsedBody(body: unknown): unknown {
  if (typeof body !== 'string') return body
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

function responseOf(response: Readonly<Record<string, unknown>>, location: Location): RecordedResponse {
  const { status = 200 } = response
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 0 || status > 599) {
    throw unreadable(
      location.file,
      `has the status ${JSON.stringify(status)} in interaction ${location.index}. Correct it.`,
    )
  }
  const headers = headersOf(response['headers'], location)
  const contentType = textOf(response['contentType'])
  if (contentType !== undefined && !headers.has('content-type')) headers.set('content-type', contentType)
  const type = headers.get('content-type') ?? ''
  const isStreamType = /^(text\/event-stream|application\/x-ndjson)/i.test(type)
  const isBinary = typeof response['bytesBase64'] === 'string' && !/^(application|text)\/([\w.-]+\+)?json/i.test(type)
  return {
    status,
    headers,
    bytes: bytesOf(response, status),
    streamed:
      typeof response['sse'] === 'string' ||
      (typeof response['body'] === 'string' && isStreamType) ||
      isBinary ||
      Array.isArray(response['events']),
  }
}

const encoder = new TextEncoder()

/** Statuses with which HTTP allows no body. */
export const bodylessStatuses: ReadonlySet<number> = new Set([204, 205, 304])

function bytesOf(response: Readonly<Record<string, unknown>>, status: number): Uint8Array<ArrayBuffer> | undefined {
  const { sse, body, bytesBase64, events, chunks } = response
  if (typeof sse === 'string') return encoder.encode(sse)
  if (typeof body === 'string') return encoder.encode(body)
  if (body !== undefined) return encoder.encode(JSON.stringify(body))
  if (typeof bytesBase64 === 'string') return Uint8Array.from(Buffer.from(bytesBase64, 'base64'))
  // Events of another shape are no bytes: it is not known how they stood in the stream.
  if (Array.isArray(events) && events.every((one) => isObject(one) && typeof one['event'] === 'string'))
    return framesOf(events)
  // A refusal says enough by its status, and so does a 204; an answer whose body is not there says nothing.
  const mayBeEmpty = status < 200 || status > 299 || bodylessStatuses.has(status)
  return chunks === undefined && mayBeEmpty ? new Uint8Array(0) : undefined
}

/** Messages of the AWS event stream, for a recorder that kept only what they say. */
function framesOf(events: readonly unknown[]): Uint8Array<ArrayBuffer> {
  const frames = events.filter(isObject).map(({ event, messageType, payload }) => {
    const kind = messageType === 'exception' ? 'exception' : 'event'
    return eventMessage(String(event), JSON.stringify(payload ?? {}), kind)
  })
  return new Uint8Array(Buffer.concat(frames))
}

/** The recorder decoded the bodies, so headers about their coding and length no longer hold. */
const untrueHeaders = new Set(['content-encoding', 'content-length', 'transfer-encoding'])

function headersOf(value: unknown, { file, index }: Location): Headers {
  const headers = new Headers()
  if (!isObject(value)) return headers
  for (const [name, content] of Object.entries(value)) {
    if (untrueHeaders.has(name.toLowerCase())) continue
    for (const one of Array.isArray(content) ? content : [content]) {
      if (typeof one !== 'string' && typeof one !== 'number') continue
      try {
        headers.append(name, String(one))
      } catch (cause) {
        throw unreadable(
          file,
          `has a header '${name}' in interaction ${index} that HTTP cannot carry. Remove it.`,
          cause,
        )
      }
    }
  }
  return headers
}
