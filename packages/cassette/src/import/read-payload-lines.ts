import { encode, isRecord, notA, parseJson } from './json-value.ts'
import type { ImportedExchange, ImportedSession } from './session.ts'

/** How the events of a stream looked, of which only the payloads were kept. */
export interface StreamFraming {
  /** Events are named by the `type` of their payload. */
  readonly named: boolean
  /** Data of the event behind the last payload, such as `[DONE]`. */
  readonly last?: string | undefined
  /** Lines of JSON instead of server-sent events. */
  readonly lines?: boolean | undefined
  /** Whether a payload begins another response. */
  readonly begins?: ((payload: Readonly<Record<string, unknown>>) => boolean) | undefined
}

/**
 * Reads a text with one JSON payload per line, as in the `chunks.txt` fixtures of the AI SDK, and rebuilds the stream around them.
 * Requests are unknown. A payload keeps its text as it stands in the file.
 *
 * @param framingOf Chooses the framing by the first payload.
 * @throws {CassetteError} `syntax` or `schema`, with the file's name and the line.
 */
export function readPayloadLines(
  text: string,
  file: string,
  framingOf: (payload: Readonly<Record<string, unknown>>) => StreamFraming,
): ImportedSession {
  const payloads = text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return []
    const value = parseJson(line, `${file}, line ${index + 1}`)
    return [{ text: line.trim(), value: isRecord(value) ? value : {} }]
  })
  const [first] = payloads
  if (first === undefined) throw notA('list of payloads', file, 'it is empty')
  const framing = framingOf(first.value)
  const responses: string[] = []
  for (const { text: line, value } of payloads) {
    if (responses.length === 0 || framing.begins?.(value) === true) responses.push('')
    responses.push(`${responses.pop() ?? ''}${eventText(line, value, framing)}`)
  }
  const end = framing.last === undefined ? '' : `data: ${framing.last}\n\n`
  return {
    exchanges: responses.map((body) => exchangeOf(body + end, framing)),
    guessed: ['framing of the stream: only the payloads were recorded', 'status and headers'],
    left: [],
  }
}

function eventText(line: string, value: Readonly<Record<string, unknown>>, framing: StreamFraming): string {
  if (framing.lines === true) return `${line}\n`
  const name = framing.named && typeof value['type'] === 'string' ? `event: ${value['type']}\n` : ''
  return `${name}data: ${line}\n\n`
}

function exchangeOf(body: string, { lines }: StreamFraming): ImportedExchange {
  const type = lines === true ? 'application/x-ndjson' : 'text/event-stream'
  return { response: { status: 200, headers: [['content-type', type]], body: encode(body) } }
}

/** Reads one JSON response body that stands alone in a file, as in the `.json` fixtures of the AI SDK. */
export function readResponseBody(text: string, file: string): ImportedSession {
  parseJson(text, file)
  const response = { status: 200, headers: [['content-type', 'application/json'] as const], body: encode(text) }
  return { exchanges: [{ response }], guessed: ['status and headers'], left: [] }
}
