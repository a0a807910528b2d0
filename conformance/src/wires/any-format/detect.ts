import { isObject, textOf } from '@steploop/core/adapter'
import { wireKit, wireKits } from '../index.ts'
import { usualBase } from './provider-bases.ts'
import type { Subject } from '../../subject.ts'
import type { Interaction, RecordedRequest } from '../read/recording.ts'

/** What an exchange is, read from the exchange itself. */
export interface Detected {
  /** The wire format, by the names that subjects use (`openai-chat`, `anthropic-messages` ...), or a format without any subject. */
  readonly wire: string
  /** Host with port, in lower case; picks the dialect. `undefined` when nothing tells. */
  readonly host: string | undefined
  /** False for polling, compaction and whatever else is no request for a turn. */
  readonly isTurn: boolean
  readonly mode: 'generate' | 'stream'
}

/**
 * Reads wire format, host and mode from URL and body; the response's shape and the recorder's notes help where those are missing.
 *
 * @param speakers subjects whose wire format the suite may not know: what is recorded as one of those is one, whatever its path
 */
export function detectExchange(interaction: Interaction, speakers: readonly Pick<Subject, 'wire'>[] = []): Detected {
  const { request, recordedWire: stated = '' } = interaction
  const url = parseUrl(request?.url)
  const isForeign = wireKit(stated) === undefined && speakers.some(({ wire }) => wire === stated)
  const wire = isForeign
    ? stated
    : (wireOfUrl(url, request) ?? wireOfShape(interaction) ?? recordedWire(interaction, url))
  return {
    wire,
    host: dialectHost(url, interaction.recordedProvider),
    isTurn: request === undefined || isTurnRequest(url, request.method, wire),
    mode: interaction.response.streamed || asksForStream(url, request?.body) ? 'stream' : 'generate',
  }
}

function parseUrl(text: string | undefined): URL | undefined {
  // Some recorders put the name of what they hide in its place: `https://bedrock-runtime.<AWS_REGION>.amazonaws.com`.
  const said = text?.replaceAll(/<\w+>/g, 'hidden')
  return said !== undefined && URL.canParse(said) ? new URL(said) : undefined
}

function wireOfUrl(url: URL | undefined, request: RecordedRequest | undefined): string | undefined {
  if (request?.method.toLowerCase() === 'grpc') return 'grpc'
  return url && wireKits.find(({ detect }) => detect.isEndpoint(url.pathname, request?.body))?.name
}

function isTurnRequest(url: URL | undefined, method: string, wire: string): boolean {
  if (wire === 'grpc') return true
  const isPart = wireKit(wire)?.detect.isPart?.(url?.pathname ?? '') ?? false
  return method.toUpperCase() === 'POST' && !isPart
}

function asksForStream(url: URL | undefined, body: unknown): boolean {
  if (url !== undefined && wireKits.some(({ detect }) => detect.asksForStream?.(url.pathname))) return true
  return isObject(body) && body['stream'] === true
}

/** Tells by the members of the first payload: each wire format has some of its own. */
function wireOfShape(interaction: Interaction): string | undefined {
  for (const payload of payloadsOf(interaction)) {
    const wire = wireOfPayload(payload)
    if (wire !== undefined) return wire
  }
  return undefined
}

function wireOfPayload(payload: Readonly<Record<string, unknown>>): string | undefined {
  const type = textOf(payload['type']) ?? ''
  if (type === 'error' && isObject(payload['error'])) return undefined
  return wireKits.find(({ detect }) => detect.isPayload?.(payload, type))?.name
}

/** Enough to pass comments, pings and odd first events. */
const payloadsToLookAt = 8

function payloadsOf({ response }: Interaction): readonly Readonly<Record<string, unknown>>[] {
  if (response.bytes === undefined) return []
  const text = new TextDecoder().decode(response.bytes)
  if (!response.streamed) return parsedRecords([text])
  const lines = text.split(/\r\n|\n|\r/).flatMap((line) => /^(?:data: ?)?(\{.*)$/.exec(line)?.[1] ?? [])
  return parsedRecords(lines.slice(0, payloadsToLookAt))
}

function parsedRecords(texts: readonly string[]): readonly Readonly<Record<string, unknown>>[] {
  return texts.flatMap((text) => {
    try {
      const value: unknown = JSON.parse(text)
      return isObject(value) ? [value] : []
    } catch {
      return []
    }
  })
}

/**
 * A format that is unknown here is what the recorder says. In one that is known, an answer of unknown shape from an unknown path is some
 * other endpoint; an error may look like anything.
 */
function recordedWire({ recordedWire: name, response }: Interaction, url: URL | undefined): string {
  if (name === undefined) return 'unknown'
  const known = wireKits.find((kit) => kit.name === name || kit.detect.recordedAs?.includes(name))
  if (known === undefined) return name
  return url !== undefined && response.status < 400 ? 'unknown' : known.name
}

function dialectHost(url: URL | undefined, provider: string | undefined): string | undefined {
  const usual = hostOf(provider)
  if (url === undefined) return usual
  if (!isLoopback(url.hostname)) return url.host
  return url.pathname.split('/').map(hostOf).find(Boolean) ?? usual ?? url.host
}

function hostOf(provider: string | undefined): string | undefined {
  const base = usualBase(provider)
  return base === undefined ? undefined : new URL(base).host
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}
