import { isRecord, stringOf, type Interaction, type RecordedRequest } from './recording.ts'

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

/** Reads wire format, host and mode from URL and body; the response's shape and the recorder's notes help where those are missing. */
export function detectExchange(interaction: Interaction): Detected {
  const { request } = interaction
  const url = parseUrl(request?.url)
  const wire = wireOfUrl(url, request) ?? wireOfShape(interaction) ?? recordedWire(interaction, url)
  return {
    wire,
    host: dialectHost(url, interaction.recordedProvider),
    isTurn: request === undefined || isTurnRequest(url, request.method, wire),
    mode: interaction.response.streamed || asksForStream(url, request?.body) ? 'stream' : 'generate',
  }
}

function parseUrl(text: string | undefined): URL | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined
}

/** First match wins; each pattern is the end of a path. */
const wireByPath: readonly (readonly [RegExp, string])[] = [
  [/\/chat\/completions$/, 'openai-chat'],
  [/\/responses(\/[^/]+)*$/, 'openai-responses'],
  [/\/messages$/, 'anthropic-messages'],
  [/:(stream)?GenerateContent$/i, 'gemini-generate'],
  [/\/api\/chat$/, 'ollama-chat'],
  [/\/converse(-stream)?$/, 'bedrock-converse'],
  [/\/v2\/chat$/, 'cohere-chat'],
  [/\/interactions(\/[^/]+)*$/, 'gemini-interactions'],
]

function wireOfUrl(url: URL | undefined, request: RecordedRequest | undefined): string | undefined {
  if (request?.method.toLowerCase() === 'grpc') return 'grpc'
  if (url === undefined) return undefined
  // Claude on Bedrock and Vertex: the Messages format under another path, told by a member of the body.
  if (/\/invoke$|:(streamR|r)awPredict$/.test(url.pathname)) {
    return isRecord(request?.body) && 'anthropic_version' in request.body ? 'anthropic-messages' : undefined
  }
  return wireByPath.find(([pattern]) => pattern.test(url.pathname))?.[1]
}

/** Formats whose endpoint also answers for what it made: `/responses/<id>`, `/responses/compact`. */
const collections: Readonly<Record<string, RegExp>> = {
  'openai-responses': /\/responses\/[^/]+/,
  'gemini-interactions': /\/interactions\/[^/]+/,
}

function isTurnRequest(url: URL | undefined, method: string, wire: string): boolean {
  if (wire === 'grpc') return true
  const path = url?.pathname ?? ''
  const isPart = (collections[wire]?.test(path) ?? false) && !/\/(responses|interactions)$/.test(path)
  return method.toUpperCase() === 'POST' && !isPart
}

function asksForStream(url: URL | undefined, body: unknown): boolean {
  if (/:streamGenerateContent$|-stream$/.test(url?.pathname ?? '')) return true
  return isRecord(body) && body['stream'] === true
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
  const type = stringOf(payload['type']) ?? ''
  if (/^response\.[a-z]/.test(type) || payload['object'] === 'response') return 'openai-responses'
  if (/^(message_start|content_block_)/.test(type)) return 'anthropic-messages'
  if (type === 'message' && Array.isArray(payload['content'])) return 'anthropic-messages'
  if (type === 'error' && isRecord(payload['error'])) return undefined
  if (/^(message|content)-(start|delta)$/.test(type)) return 'cohere-chat'
  if (Array.isArray(payload['choices'])) return 'openai-chat'
  if ('candidates' in payload || 'promptFeedback' in payload) return 'gemini-generate'
  if (typeof payload['done'] === 'boolean' && isRecord(payload['message'])) return 'ollama-chat'
  return undefined
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
      return isRecord(value) ? [value] : []
    } catch {
      return []
    }
  })
}

/** Names that recorders use for a format. A provider's name stands for the format of its usual endpoint. */
const wireByRecordedName: Readonly<Record<string, string>> = {
  anthropic: 'anthropic-messages',
  gemini: 'gemini-generate',
  deepseek: 'openai-chat',
  groq: 'openai-chat',
  mistral: 'openai-chat',
  ollama: 'openai-chat',
  openrouter: 'openai-chat',
  'other-chat-compatible': 'openai-chat',
  xai: 'openai-chat',
  cohere: 'cohere-chat',
}

/** An answer of unknown shape from an unknown path is some other endpoint; an error may look like anything. */
function recordedWire({ recordedWire: name, response }: Interaction, url: URL | undefined): string {
  const isOther = url !== undefined && response.status < 400
  return name === undefined || isOther ? 'unknown' : (wireByRecordedName[name] ?? name)
}

/** Where a provider is usually reached, for recordings without a URL and for gateways that name it in the path. */
const hostByProvider: Readonly<Record<string, string>> = {
  openai: 'api.openai.com',
  anthropic: 'api.anthropic.com',
  google: 'generativelanguage.googleapis.com',
  'google-vertex': 'aiplatform.googleapis.com',
  groq: 'api.groq.com',
  mistral: 'api.mistral.ai',
  xai: 'api.x.ai',
  deepseek: 'api.deepseek.com',
  openrouter: 'openrouter.ai',
  perplexity: 'api.perplexity.ai',
  alibaba: 'dashscope-intl.aliyuncs.com',
  moonshotai: 'api.moonshot.ai',
  azure: 'openai.azure.com',
  ollama: 'localhost:11434',
}

function dialectHost(url: URL | undefined, provider: string | undefined): string | undefined {
  const usual = provider === undefined ? undefined : hostByProvider[provider]
  if (url === undefined) return usual
  if (!isLoopback(url.hostname)) return url.host
  const named = url.pathname.split('/').find((segment) => Object.hasOwn(hostByProvider, segment))
  return (named === undefined ? undefined : hostByProvider[named]) ?? usual ?? url.host
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}
