import type { Cassette, Exchange } from '../cassette.ts'
import { jsonBodyText } from '../format/json-text.ts'
import { absent, structuralDiff } from '../replay/structural-diff.ts'
import { createNormaliser, type NormalFormOptions, type Normaliser } from './normal-form.ts'

export interface DiffOptions extends NormalFormOptions {
  /** What a response means, by its format; undefined for what it cannot read. Default: JSON, events, or text. */
  readonly readResponse?: ((exchange: Exchange, cassette: Cassette) => unknown) | undefined
}

/** One path in which two cassettes differ; a side that has nothing there lacks its member. */
export interface CassetteDifference {
  /** Path of the value, such as `exchange 2, request.body.messages[3].content`. */
  readonly path: string
  readonly left?: unknown
  readonly right?: unknown
}

/**
 * Where two cassettes differ in meaning: header facts, then exchange by exchange. Ids are aliased by first appearance, times, durations
 * and rate limits masked, JSON inside of texts compared as values, and chunks left out, for none of these is the same twice.
 */
export function diffCassettes(left: Cassette, right: Cassette, options: DiffOptions = {}): CassetteDifference[] {
  const length = Math.max(left.exchanges.length, right.exchanges.length)
  const sides = [left, right].map((cassette) => ({ cassette, normal: createNormaliser(options) }))
  const exchanges = Array.from({ length }, (_, index) => {
    const [one, other] = sides.map(({ cassette, normal }) => exchangeForm(cassette, index, normal, options))
    return differences(one, other, `exchange ${index + 1}`)
  })
  return [...differences(headerForm(left), headerForm(right), 'header'), ...exchanges.flat()]
}

function differences(left: unknown, right: unknown, path: string): CassetteDifference[] {
  return structuralDiff(left, right, '').map((found) => ({
    path: `${path}${found.path === '' ? '' : found.path.replace(/^\./, ', ')}`,
    ...(found.expected === absent ? {} : { left: found.expected }),
    ...(found.got === absent ? {} : { right: found.got }),
  }))
}

function headerForm({ header }: Cassette): unknown {
  const { scenario, mode, provider, wire, model, mask, origin } = header
  return { scenario, mode, provider, wire, model, mask: mask ?? [], origin: origin.kind }
}

function exchangeForm(cassette: Cassette, index: number, normal: Normaliser, options: DiffOptions): unknown {
  const exchange = cassette.exchanges[index]
  if (exchange === undefined) return absent
  const { request, response } = exchange
  return {
    request: {
      method: request.method,
      url: request.url,
      headers: headersForm(request.headers),
      body: normal(bodyForm(request.body)),
    },
    response: {
      status: response.status,
      ending: response.ending,
      headers: headersForm(response.headers),
      body: normal(options.readResponse?.(exchange, cassette) ?? bodyForm(response.body)),
    },
  }
}

const volatileHeader = /ratelimit|request-?id|processing-ms|^date$|^retry-after/

function headersForm(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, volatileHeader.test(name) ? '(varies)' : value]),
  )
}

function bodyForm(body: Uint8Array): unknown {
  const json = jsonBodyText(body)
  if (json !== undefined) return JSON.parse(json)
  const text = new TextDecoder().decode(body)
  const payloads = text.split(/\r\n|[\r\n]/).flatMap((line) => /^(?:data: ?)?([[{].*)$/.exec(line)?.[1] ?? [])
  return payloads.length === 0 ? text : { events: payloads.map((payload) => parsed(payload)) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
