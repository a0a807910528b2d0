import { objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import type { ImportedExchange, ImportedRequest } from '@steploop/cassette/import'

/** Where the endpoints are, for recordings that kept only responses: by provider first, by wire format otherwise. */
const chatBase: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com/v1',
  groq: 'https://api.groq.com/openai/v1',
  mistral: 'https://api.mistral.ai/v1',
  xai: 'https://api.x.ai/v1',
  deepseek: 'https://api.deepseek.com',
  openrouter: 'https://openrouter.ai/api/v1',
  perplexity: 'https://api.perplexity.ai',
}

const unknownBase = 'https://unknown.invalid'

export interface GuessFacts {
  readonly wire: string
  readonly provider: string | undefined
  readonly model: string | undefined
}

/** A request without a body to where such a response usually comes from. What was asked is not known, and nothing is made up for it. */
export function guessRequest({ response }: ImportedExchange, facts: GuessFacts): ImportedRequest {
  const type = response.headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  const url = urlOf(facts, /event-stream|ndjson/.test(type))
  return { method: 'POST', url, headers: [], body: new Uint8Array() }
}

function urlOf({ wire, provider = 'openai', model = 'unknown' }: GuessFacts, streamed: boolean): string {
  switch (wire) {
    case 'openai-chat':
      return `${chatBase[provider] ?? unknownBase}/chat/completions`
    case 'openai-responses':
      return `${chatBase[provider] ?? unknownBase}/responses`
    case 'anthropic-messages':
      return 'https://api.anthropic.com/v1/messages'
    case 'gemini-generate': {
      const method = streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'
      return `https://generativelanguage.googleapis.com/v1beta/models/${encodeURIComponent(model)}:${method}`
    }
    case 'ollama-chat':
      return 'http://localhost:11434/api/chat'
    default:
      return `${unknownBase}/${encodeURIComponent(wire)}`
  }
}

/** The model that an exchange names: in the request, in Gemini's URL, or in the response. */
export function modelOf(request: JsonObject, url: string | undefined, payload: JsonObject): string | undefined {
  return textOf(request['model']) ?? /\/models\/([^/:?]+):/.exec(url ?? '')?.[1] ?? modelOfPayload(payload)
}

function modelOfPayload(payload: JsonObject): string | undefined {
  const holders = [payload, objectOf(payload['response']), objectOf(payload['message'])]
  return holders.map((holder) => textOf(holder['model']) ?? textOf(holder['modelVersion'])).find(Boolean)
}
