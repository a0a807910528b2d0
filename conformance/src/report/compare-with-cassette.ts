import { CassetteError, createReplay, type Cassette, type Exchange } from '@steploop/cassette'
import { escapedBytes } from '../escaped-bytes.ts'
import type { SentRequest } from '../evidence.ts'
import { lineDiff } from '../judge/trace/line-diff.ts'
import { parsed } from '../json.ts'
import type { AttemptDetails, CaseDetails, RequestDetails, ResponseDetails } from '../details-schema.ts'

/** No response: the replay refused the request. */
export type ComparedRequest = Pick<AttemptDetails, 'request' | 'response'>

export interface Comparison {
  /** Call it for each request in the order in which they were sent. */
  readonly compare: (request: SentRequest) => ComparedRequest
  /** Call it after the last one. */
  readonly unused: () => CaseDetails['unused']
}

/** Matches requests with the exchanges of a cassette as replay does, and says how one differs from the nearest when it fits none. */
export function compareWithCassette(cassette: Cassette): Comparison {
  const replay = createReplay(cassette)
  const { exchanges } = cassette
  return {
    compare(request) {
      const { method, url, headers, text } = request
      const body = new TextEncoder().encode(text)
      try {
        const exchange = replay.take({ method, url, headers: Object.entries(headers), body })
        const recorded = requestDetails(exchange.request)
        return {
          request: { ...recorded, exchange: exchanges.indexOf(exchange) + 1 },
          response: responseDetails(exchange.response),
        }
      } catch (error) {
        if (!CassetteError.isInstance(error)) throw error
        return { request: missed(request, exchanges, error) }
      }
    },
    unused: () =>
      replay.unconsumed().map((exchange) => {
        const { method, url, body } = requestDetails(exchange.request)
        return { exchange: exchanges.indexOf(exchange) + 1, method, url, body }
      }),
  }
}

function requestDetails({ method, url, headers, body }: Exchange['request']): RequestDetails {
  return { method, url, headers: { ...headers }, body: pretty(new TextDecoder().decode(body)) }
}

function missed(sent: SentRequest, exchanges: readonly Exchange[], error: CassetteError): RequestDetails {
  const { method, url, headers, text } = sent
  const got: RequestDetails = { method, url, headers: { ...headers }, body: pretty(text) }
  const number = Number(/exchange (\d+)/.exec(error.location ?? '')?.[1])
  const nearest = exchanges[number - 1]
  if (nearest === undefined) return got
  const expected = requestDetails(nearest.request)
  // Headers that no cassette holds differ from runtime to runtime and are not compared.
  const names = Object.keys(expected.headers)
  const headersSent = Object.fromEntries(
    names.flatMap((name) => (name in headers ? [[name, headers[name] ?? '']] : [])),
  )
  return { ...got, exchange: number, diff: diffOf(asText(expected), asText({ ...got, headers: headersSent })) }
}

function asText({ method, url, headers, body }: RequestDetails): readonly string[] {
  const lines = Object.entries(headers).map(([name, value]) => {
    // Recorded without the key; what it was sent with is not what differs.
    return `${name}: ${/(^|-)(authorization|key|token)$/.test(name) ? '[redacted]' : value}`
  })
  return [`${method} ${url}`, ...lines, '', ...body.split('\n')]
}

/** Beyond, the search for common lines takes too long; what differs is then shown as a whole. */
const comparableLines = 1_500

function diffOf(expected: readonly string[], got: readonly string[]): string {
  let start = 0
  while (start < expected.length && expected[start] === got[start]) start++
  let end = 0
  const shorter = Math.min(expected.length, got.length) - start
  while (end < shorter && expected[expected.length - 1 - end] === got[got.length - 1 - end]) end++
  const [left, right] = [expected.slice(start, expected.length - end), got.slice(start, got.length - end)]
  const isShort = left.length <= comparableLines && right.length <= comparableLines
  return [
    ...expected.slice(0, start).map((line) => `  ${line}`),
    ...(isShort && left.length > 0 && right.length > 0
      ? [lineDiff(left.join('\n'), right.join('\n'))]
      : [...left.map((line) => `- ${line}`), ...right.map((line) => `+ ${line}`)]),
    ...expected.slice(expected.length - end).map((line) => `  ${line}`),
  ].join('\n')
}

function pretty(text: string): string {
  const value = parsed(text)
  return value === undefined ? text : JSON.stringify(value, undefined, 2)
}

function responseDetails({ status, headers, body, chunks, ending }: Exchange['response']): ResponseDetails {
  const isBinary = !isText(body)
  const decoder = new TextDecoder()
  let offset = 0
  const shown = chunks.map(({ ms, bytes }, index) => {
    const piece = body.subarray(offset, (offset += bytes))
    return {
      ms,
      bytes,
      text: isBinary ? escapedBytes(piece) : decoder.decode(piece, { stream: index < chunks.length - 1 }),
    }
  })
  return { status, headers: { ...headers }, chunks: shown, ending }
}

/** No text has other control characters: a binary framing does. */
function isText(body: Uint8Array): boolean {
  return !body.some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d)
}
