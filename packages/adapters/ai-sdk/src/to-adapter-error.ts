import {
  jsonOf,
  AdapterError,
  arrayOf,
  objectOf,
  parseDelay,
  providerErrorFacts,
  textOf,
  type AdapterErrorCode,
  type JsonObject,
  type Mode,
  type Origin,
} from '@steploop/core/adapter'
import { StreamPartError } from './part-decoder.ts'

export interface ErrorContext {
  readonly origin: Origin
  /** The caller's signal: its abort wins over what it caused. */
  readonly signal: AbortSignal | undefined
  readonly mode: Mode
  /** Something of the answer was delivered before. */
  readonly begun: boolean
}

/** Whatever a model throws, or reports in an `error` part, as an `AdapterError`. */
export function toAdapterError(error: unknown, context: ErrorContext): AdapterError {
  const { origin, signal } = context
  if (signal?.aborted) {
    const reason: unknown = signal.reason
    const timedOut = reason instanceof Error && reason.name === 'TimeoutError'
    return new AdapterError({ ...origin, code: timedOut ? 'timeout' : 'aborted', cause: reason })
  }
  if (AdapterError.isInstance(error)) return error
  if (error instanceof StreamPartError) return reportedError(error.cause, context)
  return thrownError(error, context)
}

/** The response was fine until then, so there is no status: numbers that the package gives are its own reading of the words. */
function reportedError(error: unknown, context: ErrorContext): AdapterError {
  const fields = objectOf(error)
  if (error instanceof Error && !isNamed(error, 'APICallError')) return thrownError(error, context)
  const body = { ...errorBody(fields['responseBody']), ...errorBody(fields['data']) }
  const words = [...wordsOf(body), fields['code'], fields['type']]
  const status = statusOf(fields['statusCode']) ?? words.map(statusOf).find((number) => number !== undefined)
  const message = textOf(fields['message']) ?? textOf(body['message']) ?? textOf(error)
  const facts = providerErrorFacts({ status, words, message })
  return new AdapterError({
    ...context.origin,
    ...facts,
    excerpt: message === undefined ? excerptOf(error) : undefined,
  })
}

/** The AI SDK's errors carry a name each; copies of its package make `instanceof` fail. */
function thrownError(error: unknown, context: ErrorContext): AdapterError {
  const { origin } = context
  const fields = objectOf(error)
  const said = textOf(fields['message']) ?? String(error)
  if (isNamed(error, 'APICallError') || statusOf(fields['statusCode']) !== undefined)
    return callError(fields, said, context)
  const code = codeByName.find(([name]) => isNamed(error, name))?.[1]
  if (endedEarly.test(said)) return new AdapterError({ ...origin, code: 'incomplete-stream', cause: error })
  if (code === 'malformed-response') return unreadable(fields, said, context)
  if (code !== undefined) return new AdapterError({ ...origin, code, message: said, cause: error })
  if (isConnectionError(fields)) {
    return new AdapterError({ ...origin, code: context.begun ? 'incomplete-stream' : 'connection', cause: error })
  }
  return new AdapterError({ ...origin, code: 'unknown', cause: error, message: `the model failed: ${said}` })
}

/** Some packages have an error for what others finish as `interrupted`. */
const endedEarly = /stream (ended|closed|finished) (without|before)/i

const codeByName: readonly (readonly [name: string, code: AdapterErrorCode])[] = [
  ['LoadAPIKeyError', 'missing-api-key'],
  ['LoadSettingError', 'bad-request'],
  ['NoSuchModelError', 'not-found'],
  ['UnsupportedFunctionalityError', 'unsupported'],
  ['NoSuchProviderReferenceError', 'unsupported'],
  ['InvalidPromptError', 'bad-request'],
  ['InvalidArgumentError', 'bad-request'],
  ['JSONParseError', 'malformed-response'],
  ['TypeValidationError', 'malformed-response'],
  ['InvalidResponseDataError', 'malformed-response'],
  ['EmptyResponseBodyError', 'empty-response'],
  ['NoContentGeneratedError', 'empty-response'],
]

function isNamed(error: unknown, name: string): boolean {
  return objectOf(error)['name'] === `AI_${name}`
}

/** A request that failed, or an answer of status 200 that the package could not read: an error may be inside. */
function callError(fields: JsonObject, said: string, { origin, mode }: ErrorContext): AdapterError {
  const status = statusOf(fields['statusCode'])
  const text = textOf(fields['responseBody'])
  const body = errorBody(text ?? fields['data'])
  const message = textOf(body['message'])
  const cause: unknown = fields['cause']
  if (status === undefined && text === undefined) {
    return new AdapterError({ ...origin, code: 'connection', message: said, cause })
  }
  const failed = status !== undefined && status >= 400
  const read = typeof fields['responseBody'] === 'string'
  // The body broke off while it was read: packages say no more of it than that they could not process it.
  if (!failed && !read && cause !== undefined) {
    return new AdapterError({ ...origin, code: mode === 'stream' ? 'incomplete-stream' : 'connection', cause })
  }
  if (!failed && message === undefined) {
    const code = text === undefined || text.trim() === '' ? 'empty-response' : 'malformed-response'
    return new AdapterError({ ...origin, code, message: said, excerpt: text, cause })
  }
  const facts = providerErrorFacts({
    status,
    headers: headersOf(fields['responseHeaders']),
    words: wordsOf(body),
    retryAfterMs: retryDelayOf(body),
    // What the package says is the provider's message where it could read the body, and a general phrase where it could not.
    message: message ?? (text === undefined ? said : undefined),
  })
  const retryable =
    facts.code === 'unknown' && typeof fields['isRetryable'] === 'boolean' ? fields['isRetryable'] : undefined
  const excerpt = facts.providerMessage === undefined ? text : undefined
  return new AdapterError({ ...origin, ...facts, status, retryable, excerpt })
}

/** A chunk that the package's schema refuses; it may be an error in a form that the package does not know. */
function unreadable(fields: JsonObject, said: string, { origin }: ErrorContext): AdapterError {
  const value = objectOf(fields['value'] ?? fields['data'])
  const isError = value['error'] !== undefined || value['object'] === 'error' || value['type'] === 'error'
  const body = isError ? errorBody(value) : {}
  const message = textOf(body['message'])
  if (message !== undefined) {
    const words = wordsOf(body)
    const status =
      words.map(statusOf).find((number) => number !== undefined) ?? statusOfType[textOf(body['type']) ?? '']
    return new AdapterError({ ...origin, ...providerErrorFacts({ status, words, message }) })
  }
  // What is no JSON at all; the package's message repeats the whole of it.
  const excerpt = textOf(fields['text'])
  const words = excerpt === undefined ? said : 'the response holds something that is no JSON'
  return new AdapterError({ ...origin, code: 'malformed-response', message: words, excerpt, cause: fields })
}

/** The envelope's inside: `{ error: { message } }`, `[{ error }]` (Gemini), `{ error: 'text' }`, or the fields at the top (Mistral). */
function errorBody(given: unknown): JsonObject {
  const value = typeof given === 'string' ? jsonOf(given) : given
  const envelope = objectOf(Array.isArray(value) ? value[0] : value)
  const { error, message, detail } = envelope
  if (typeof error === 'string') return { ...envelope, message: error }
  const inside = error === undefined ? envelope : objectOf(error)
  return { ...inside, message: textOf(inside['message']) ?? textOf(message) ?? textOf(detail) }
}

/**
 * Words that say more than the status: reasons of `google.rpc.ErrorInfo` (a wrong key is a plain 400 otherwise), and types of Mistral's
 * errors (docs/wire.md#mistral, https://docs.mistral.ai/resources/error-codes).
 */
const knownWords: Readonly<Record<string, string | undefined>> = {
  API_KEY_INVALID: 'invalid_api_key',
  API_KEY_EXPIRED: 'invalid_api_key',
  BILLING_DISABLED: 'billing_error',
  invalid_model: 'model_not_found',
}

/** Said in a stream without a status; with one, the status says more: Groq's 503 has this type too. */
const statusOfType: Readonly<Record<string, number | undefined>> = { internal_server_error: 500 }

function wordsOf({ code, type, status, details }: JsonObject): readonly unknown[] {
  const reasons = arrayOf(details).map((detail) => objectOf(detail)['reason'])
  const known = [...reasons, type].map((word) => knownWords[textOf(word) ?? ''])
  return [...known, code, type, status]
}

/** `google.rpc.RetryInfo`: a duration such as `34.07s`. */
function retryDelayOf({ details }: JsonObject): number | undefined {
  const delays = arrayOf(details).map((detail) => textOf(objectOf(detail)['retryDelay']))
  const delay = delays.find((text) => text !== undefined)
  return delay === undefined ? undefined : parseDelay(delay)
}

function statusOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 100 && value < 600 ? value : undefined
}

function headersOf(headers: unknown): Headers {
  const texts = Object.entries(objectOf(headers)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return new Headers(texts)
}

function excerptOf(error: unknown): string | undefined {
  return error === undefined ? undefined : JSON.stringify(error)
}

/** `fetch` of each runtime says it in its own words; system errors have a code. */
const connectionWords =
  /^(fetch failed|failed to fetch|load failed|network ?error|terminated|connection (closed|lost))|socket|network connection/i

function isConnectionError(fields: JsonObject): boolean {
  const code = textOf(objectOf(fields['cause'])['code']) ?? textOf(fields['code']) ?? ''
  return /^(E[A-Z]{4,}|UND_ERR_\w+)$/.test(code) || connectionWords.test(textOf(fields['message']) ?? '')
}
