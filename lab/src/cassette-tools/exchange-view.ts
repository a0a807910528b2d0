import type { Cassette, Exchange } from '@steploop/cassette'
import { isObject, type JsonObject } from '@steploop/core/adapter'
import { createParser } from 'eventsource-parser'
import {
  detectExchange,
  type Detected,
  isEventStream,
  messagePayloads,
  parsed,
  type ResponseView,
  wireKit,
} from '@steploop/conformance/cli'
import type { RequestView } from '@steploop/conformance/simulator'

/** One exchange as a person reads it. */
export interface ExchangeView {
  /** From 1. */
  readonly number: number
  readonly method: string
  readonly url: string
  /** Detected from the exchange itself; the header's where that does not tell. */
  readonly wire: string
  readonly mode: 'generate' | 'stream'
  readonly status: number
  readonly ending: string
  readonly bytes: number
  readonly chunks: number
  /** Undefined when no reader knows the wire format, or the body is no JSON. */
  readonly request: RequestView | undefined
  readonly response: ResponseView | undefined
}

/** Reads every exchange of a cassette through the reader of its wire format. */
export function exchangeViews(cassette: Cassette): readonly ExchangeView[] {
  return cassette.exchanges.map((exchange, index) => {
    const { request, response } = exchange
    const { wire, mode } = detectWire(exchange, cassette)
    const sent = parsed(textOfBytes(request.body))
    return {
      number: index + 1,
      method: request.method,
      url: request.url,
      wire,
      mode,
      status: response.status,
      ending: response.ending,
      bytes: response.body.length,
      chunks: response.chunks.length,
      request: isObject(sent) ? wireKit(wire)?.readRequest?.(sent) : undefined,
      response: readResponse(exchange, wire),
    }
  })
}

/** The response folded to what it says; undefined when no reader knows the wire format or there is no JSON in it. */
export function readResponse({ response }: Exchange, wire: string): ResponseView | undefined {
  const payloads = payloadsOf(response.body, response.headers['content-type'] ?? '')
  return payloads.length === 0 ? undefined : wireKit(wire)?.readResponse?.(payloads)
}

/** The wire format and mode of one exchange: sessions may cross formats. */
export function detectWire({ request, response }: Exchange, { header }: Cassette): Detected {
  const detected = detectExchange({
    index: 0,
    recordedWire: header.wire,
    recordedProvider: header.provider,
    request: { method: request.method, url: request.url, body: parsed(textOfBytes(request.body)) },
    response: {
      status: response.status,
      headers: new Headers(response.headers),
      bytes: new Uint8Array(response.body),
      streamed: isStream(response.headers['content-type'] ?? ''),
    },
  })
  return detected.wire === 'unknown' ? { ...detected, wire: header.wire } : detected
}

const isStream = (type: string): boolean => /event-?stream|ndjson|jsonl/.test(type)

function textOfBytes(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

/** The JSON objects of a body: the whole, or one per event or line. What is no JSON object is left out. */
export function payloadsOf(body: Uint8Array, type: string): readonly JsonObject[] {
  if (isEventStream(body)) return messagePayloads(body)
  const whole = parsed(textOfBytes(body))
  // Gemini streams without `alt=sse` are one array of payloads.
  if (Array.isArray(whole)) return whole.filter((item) => isObject(item))
  if (isObject(whole)) return [whole]
  const texts = /ndjson|jsonl/.test(type) ? textOfBytes(body).split('\n') : dataOfEvents(textOfBytes(body))
  return texts.flatMap((data) => {
    const payload = parsed(data)
    return isObject(payload) ? [payload] : []
  })
}

/** The `data` of each server-sent event, the last one also without its blank line. */
function dataOfEvents(text: string): readonly string[] {
  const data: string[] = []
  createParser({ onEvent: (event) => void data.push(event.data) }).feed(`${text}\n\n`)
  return data
}
