import {
  jsonOf,
  arrayOf,
  isObject,
  numberOf,
  objectOf,
  parseDelay,
  providerErrorFacts,
  textOf,
  type AdapterErrorCode,
  type ErrorFacts,
  type JsonObject,
  type ProviderErrorParts,
} from '@steploop/core/adapter'

type ErrorWords = Readonly<Record<string, AdapterErrorCode>>

/**
 * The facts of a response that is not 2xx. Understands `{ error: { ... } }`, `{ error: "..." }`, flat bodies (Mistral, vLLM, Bedrock),
 * `{ detail }` (FastAPI servers), an array around any of them (Gemini's endpoint), and bodies that are no JSON (docs/wire.md#error-bodies).
 */
export function decodeErrorBody(status: number, headers: Headers, text: string, words: ErrorWords): ErrorFacts {
  const body = unwrapped(jsonOf(text))
  const parts = partsOf(body)
  const requestId = parts.requestId ?? textOf(headers.get('mistral-correlation-id'))
  return factsOf({ ...parts, status, headers, requestId }, words, body)
}

/**
 * The error inside a response whose status was fine (docs/wire.md#errors-inside-a-200): a chunk or body with `error`, an `event: error`, a
 * flat `object: "error"`, `choices[0].error` and `finish_reason: "error"` (OpenRouter), `x_groq.error`. `undefined` when there is none.
 *
 * @param announced the frame's event name said that this is an error, so any object is one
 */
export function inBandError(body: JsonObject, announced: boolean, words: ErrorWords): ErrorFacts | undefined {
  const where = announced || body['object'] === 'error' ? body : envelopeOf(body)
  if (where === undefined) return undefined
  const parts = partsOf(where)
  return factsOf({ ...parts, status: inBandStatus(where) }, words, where)
}

function envelopeOf(body: JsonObject): JsonObject | undefined {
  if (saysSomething(body['error'])) return body
  const choice = objectOf(arrayOf(body['choices'])[0])
  if (saysSomething(choice['error'])) return choice
  const finish = textOf(choice['finish_reason'])
  const code = finish === undefined ? undefined : failedFinish.get(finish)
  if (code !== undefined) {
    return { error: { code, message: `the provider ended the turn with finish_reason "${finish}"` } }
  }
  const groq = objectOf(body['x_groq'])
  return saysSomething(groq['error']) ? groq : undefined
}

/** Finish reasons that mean failure: Mistral's and OpenRouter's, and DeepSeek's for a server that gave up on the turn. */
const failedFinish: ReadonlyMap<string, string> = new Map([
  ['error', 'server_error'],
  ['insufficient_system_resource', 'server_is_overloaded'],
])

/** Some servers write every field into every body, an empty error too. */
function saysSomething(error: unknown): boolean {
  if (!isObject(error)) return textOf(error) !== undefined
  return Boolean(error['message']) || Boolean(error['code']) || Boolean(error['type'])
}

function factsOf(parts: ErrorParts, words: ErrorWords, body: JsonObject): ErrorFacts {
  const { metadata } = isObject(body['error']) ? body['error'] : body
  const typed = codeByErrorType[String(objectOf(metadata)['error_type'])]
  const facts = { ...providerErrorFacts(parts), ...(typed !== undefined && { code: typed }) }
  const said = [...parts.words, parts.message].join('\n').toLowerCase()
  const [, code] = Object.entries(words).find(([word]) => said.includes(word)) ?? []
  return code === undefined ? facts : { ...facts, code }
}

type ErrorParts = ProviderErrorParts & { readonly words: readonly unknown[] }

function partsOf(body: JsonObject): ErrorParts {
  const inner = body['error']
  const error = isObject(inner) ? inner : body
  const message = messageOf(inner) ?? messageOf(body)
  const metadata = objectOf(error['metadata'])
  return {
    words: [
      error['code'],
      error['type'],
      error['status'],
      body['code'],
      body['type'],
      objectOf(error['innererror'])['code'],
    ],
    message:
      [message, upstream(metadata), failedGeneration(error)].filter((text) => text !== undefined).join(' ') ||
      undefined,
    retryAfterMs: retryDelay(error) ?? askedDelay(message),
    requestId: textOf(body['request_id']),
  }
}

/** OpenRouter's own words for a failure (`error.metadata.error_type`), whatever code it comes with; of the others the status tells. */
const codeByErrorType: Readonly<Record<string, AdapterErrorCode>> = {
  context_length_exceeded: 'context-overflow',
  token_limit_exceeded: 'context-overflow',
  authentication: 'authentication',
  permission_denied: 'permission',
  payment_required: 'insufficient-credit',
  rate_limit_exceeded: 'rate-limit',
  provider_overloaded: 'overloaded',
  provider_unavailable: 'overloaded',
  not_found: 'not-found',
  content_policy_violation: 'content-filter',
  refusal: 'content-filter',
  server: 'server-error',
  timeout: 'timeout',
}

/** A text, or the object that stands in its place (validation errors). */
function messageOf(value: unknown): string | undefined {
  if (typeof value === 'string') return textOf(value)
  if (Array.isArray(value))
    return textOf(value.map((item) => textOf(objectOf(item)['msg']) ?? JSON.stringify(item)).join('; '))
  if (!isObject(value)) return undefined
  return messageOf(value['message']) ?? messageOf(value['detail'])
}

/** OpenRouter says what its upstream said beside its own "Provider returned error". */
function upstream(metadata: JsonObject): string | undefined {
  const raw = textOf(metadata['raw'])
  return raw === undefined ? undefined : `(${textOf(metadata['provider_name']) ?? 'upstream'}: ${raw})`
}

/** Groq's text that it could not read as a call: the model needs it to do better. */
function failedGeneration(error: JsonObject): string | undefined {
  const text = textOf(error['failed_generation'])
  return text === undefined ? undefined : `Failed generation: ${text}`
}

/** Gemini's endpoint puts the delay into `details`. */
function retryDelay(error: JsonObject): number | undefined {
  for (const detail of arrayOf(error['details'])) {
    const delay = textOf(objectOf(detail)['retryDelay'])
    if (delay !== undefined) return parseDelay(delay)
  }
  return undefined
}

/** "Please try again in 7.66s." (OpenAI, Groq), where no header says it. */
function askedDelay(message: string | undefined): number | undefined {
  const delay =
    message === undefined
      ? undefined
      : /try again in ((?:\d{1,9}(?:\.\d{1,20})?(?:ms|s|m|h|d)){1,5})/i.exec(message)?.[1]
  return delay === undefined ? undefined : parseDelay(delay)
}

function inBandStatus(body: JsonObject): number | undefined {
  const error = isObject(body['error']) ? body['error'] : body
  // Groq writes `status_code` into its error, Cerebras beside it.
  for (const value of [error['status_code'], body['status_code'], error['code'], body['code']]) {
    const status = typeof value === 'string' ? Number(value) : numberOf(value)
    if (status !== undefined && status >= 400 && status < 600) return status
  }
  return undefined
}

function unwrapped(json: unknown): JsonObject {
  return objectOf(Array.isArray(json) ? json[0] : json)
}
