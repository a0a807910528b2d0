import {
  buildCassette,
  readHar,
  readPayloadLines,
  readResponseBody,
  readSessions,
  readVcr,
  type BuiltCassette,
  type ImportedExchange,
  type ImportedSession,
  type StreamFraming,
} from '@steploop/cassette/import'
import { objectOf, type JsonObject, type Mode } from '@steploop/core/adapter'
import { HarnessError } from '@steploop/conformance'
import { suiteVersion, detectExchange, type Detected, parsed, wireKit } from '@steploop/conformance/cli'
import { guessRequest, modelOf } from './guess-request.ts'
import { readAimock } from './read-aimock.ts'
import { detectFormat, type RecordingFormat } from './recording-format.ts'

export interface ImportOptions {
  /** The recording's text. */
  readonly text: string
  /** Name of the recording, for messages and the format. */
  readonly file: string
  /** Default: by content. */
  readonly format?: RecordingFormat | undefined
  /** The cassette's scenario. */
  readonly scenario: string
  /** Fields to mask, as dotted paths with `*`. */
  readonly mask?: readonly string[] | undefined
  /** Request headers that the recorder removed and a client sends. */
  readonly requestHeaders?: readonly (readonly [name: string, value: string])[] | undefined
  /** Only exchanges whose URL holds this text. */
  readonly url?: string | undefined
  /** What the recording does not say of itself. Default: detected, otherwise `unknown`. */
  readonly wire?: string | undefined
  readonly provider?: string | undefined
  readonly model?: string | undefined
  /** For fixtures that fit both modes. Default: `stream`. */
  readonly mode?: Mode | undefined
  readonly today?: (() => Date) | undefined
}

/**
 * Makes a cassette of a foreign recording. Nothing is scanned or written yet.
 *
 * @throws {CassetteError} `syntax` or `schema`, with the location in the recording
 * @throws HarnessError `unreadable-input` for a format that is not known
 */
export function importRecording(options: ImportOptions): BuiltCassette {
  const format = options.format ?? detectFormat(options.text, options.file)
  if (format === undefined) {
    const message = `${options.file} is no recording of a known format. Name its format with --from.`
    throw new HarnessError('unreadable-input', message, { file: options.file })
  }
  const session = onlyUrl(readAs(format, options), options.url)
  if (session.exchanges.length === 0) {
    const why = session.left.length === 0 ? '' : ` (${session.left.slice(0, 3).join('; ')})`
    const message = `${options.file} holds no exchange that can be imported${why}. Leave it out, or give another --url.`
    throw new HarnessError('unreadable-input', message, { file: options.file })
  }
  const facts = session.exchanges.map((exchange) => factsOf(exchange, options))
  return buildCassette(session, {
    header: {
      scenario: options.scenario,
      wire: oneOf(facts.map(({ wire }) => wire)),
      provider: oneOf(facts.map(({ provider }) => provider)),
      model: facts.find(({ model }) => model !== undefined)?.model ?? 'unknown',
    },
    by: `@steploop/conformance ${suiteVersion} import of ${format}`,
    mask: options.mask,
    requestHeaders: options.requestHeaders,
    guessRequest: (exchange) => guessRequest(exchange, factsOf(exchange, options)),
    today: options.today,
  })
}

function readAs(format: RecordingFormat, options: ImportOptions): ImportedSession {
  const { text, file } = options
  switch (format) {
    case 'vcr':
      return readVcr(text, file)
    case 'har':
      return readHar(text, file)
    case 'sessions':
      return readSessions(text, file)
    case 'chunks':
      return readPayloadLines(text, file, (payload) => framingOf(payload, options))
    case 'body':
      return readResponseBody(text, file)
    case 'aimock':
      return readAimock(text, options)
    default:
      return format satisfies never
  }
}

function onlyUrl(session: ImportedSession, part: string | undefined): ImportedSession {
  if (part === undefined) return session
  const exchanges = session.exchanges.filter(({ request }) => request?.url.includes(part))
  const count = session.exchanges.length - exchanges.length
  return count === 0 ? session : { ...session, exchanges, left: [...session.left, `${count} exchanges of other URLs`] }
}

function framingOf(payload: JsonObject, options: ImportOptions): StreamFraming {
  const body = new TextEncoder().encode(JSON.stringify(payload))
  const response = { status: 200, headers: [], body }
  const wire = options.wire ?? detect({ response, provider: options.provider }).wire
  return wireKit(wire)?.framing ?? { named: false }
}

interface Facts {
  readonly wire: string
  readonly provider: string
  readonly model: string | undefined
}

function factsOf(exchange: ImportedExchange, options: ImportOptions): Facts {
  const { wire, host } = detect(exchange)
  const sent = objectOf(parsed(decode(exchange.request?.body)))
  return {
    wire: options.wire ?? wire,
    provider: options.provider ?? exchange.provider ?? providerOfHost(host) ?? wireKit(wire)?.provider ?? 'unknown',
    model:
      options.model ??
      modelOf(
        sent,
        wireKit(options.wire ?? wire)?.detect.modelOf?.(exchange.request?.url ?? ''),
        firstPayload(exchange),
      ),
  }
}

function providerOfHost(host: string | undefined): string | undefined {
  const labels = (host ?? '').split('.').filter((label) => !/^(?:api|www|com|ai|org|net|io|dev)$/.test(label))
  return labels[0] === '' ? undefined : labels[0]
}

function detect({ request, response, wire, provider }: ImportedExchange): Detected {
  const type = response.headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  return detectExchange({
    index: 0,
    recordedWire: wire,
    recordedProvider: provider,
    request: request && { method: request.method, url: request.url, body: parsed(decode(request.body)) },
    response: {
      status: response.status,
      headers: new Headers(),
      bytes: new Uint8Array(response.body),
      streamed: /event-?stream|ndjson/.test(type),
    },
  })
}

function firstPayload({ response }: ImportedExchange): JsonObject {
  const text = decode(response.body)
  const whole = parsed(text)
  if (whole !== undefined) return objectOf(Array.isArray(whole) ? whole[0] : whole)
  return objectOf(parsed(/^(?:data: ?)?(\{.*)$/m.exec(text)?.[1] ?? ''))
}

const decode = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

/** The one value that all share, or `mixed`. */
function oneOf(values: readonly string[]): string {
  const [first = 'unknown', ...others] = [...new Set(values)]
  return others.length === 0 ? first : 'mixed'
}
