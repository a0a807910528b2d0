import type { AdapterErrorCode } from '../contract/adapter.ts'
import type { ErrorFacts } from '../contract/wire-format.ts'
import { retryAfterOf } from './retry-after.ts'

/** What providers' error envelopes have in common, already picked out of the body by the adapter. */
export interface ProviderErrorParts {
  readonly status?: number | undefined
  readonly headers?: Headers | undefined
  /** Words such as `error.code`, `error.type`, `error.status`; anything that is not a string is ignored. */
  readonly words?: readonly unknown[] | undefined
  readonly message?: string | undefined
  /** Milliseconds, where the body says so; the headers are asked otherwise. */
  readonly retryAfterMs?: number | undefined
  readonly requestId?: string | undefined
  /** The first word is the provider's own class of the error, and right whatever the status says. Default: a 4xx is the fault of the request. */
  readonly wordsWin?: boolean | undefined
}

/** In this order: a word that says more wins over one that says less, wherever the provider put it. */
const codes: readonly (readonly [code: AdapterErrorCode, ...words: readonly string[]])[] = [
  ['tool-use-failed', 'tool_use_failed'],
  ['context-overflow', 'context_length_exceeded', 'exceed_context_size_error', 'too_many_prompt_tokens'],
  ['insufficient-credit', 'insufficient_quota', 'billing_error'],
  ['continuation-not-found', 'previous_response_not_found'],
  ['not-found', 'model_not_found', 'not_found_error', 'notfounderror', 'not_found'],
  ['authentication', 'authentication_error', 'invalid_api_key', 'unauthenticated'],
  ['permission', 'permission_error', 'permission_denied'],
  // The last one is Azure's, one level below its code.
  ['content-filter', 'content_filter', 'content_policy_violation', 'responsibleaipolicyviolation'],
  ['rate-limit', 'rate_limit_error', 'rate_limit_exceeded', 'too_many_requests', 'resource_exhausted'],
  ['overloaded', 'overloaded_error', 'server_is_overloaded', 'service_unavailable_error', 'unavailable'],
  ['server-error', 'server_error', 'api_error', 'internal_error', 'internal'],
]

const overflowPhrases = [
  'context window',
  'context length',
  'context size',
  'maximum context',
  'prompt is too long',
  'total length of all messages is too long',
  'input token count',
  'maximum number of tokens',
  'max_model_len',
]

/** llama.cpp answers 500 to an image for a model without eyes; asked again it says the same. */
const unsupportedInput = /\binput is not supported\b/

const faultsOfServer: ReadonlySet<AdapterErrorCode> = new Set(['overloaded', 'server-error'])

const badRequestWords = new Set(['invalid_request_error', 'invalid_argument'])

/**
 * Maps an error body and status to our code: words first, in order of how much they say, then the status (docs/wire.md#error-bodies,
 * docs/wire.md#the-status-of-an-unknown-model). A 4xx is the fault of the request, also where a gateway calls each error `api_error`: such
 * a word does not make it one to be asked again. A 400 whose words speak of the context is `context-overflow`; no credit is told apart from
 * a rate limit.
 */
export function providerErrorFacts(parts: ProviderErrorParts): ErrorFacts {
  return {
    code: codeOf(parts),
    providerMessage: parts.message,
    retryAfterMs: parts.retryAfterMs ?? (parts.headers ? retryAfterOf(parts.headers) : undefined),
    requestId: parts.requestId ?? requestIdOf(parts.headers),
  }
}

function codeOf(parts: ProviderErrorParts): AdapterErrorCode {
  const words = (parts.words ?? []).filter((word) => typeof word === 'string').map((word) => word.toLowerCase())
  const named = codes.filter(([, ...known]) => words.some((word) => known.includes(word))).map(([code]) => code)
  const { status } = parts
  // Code without types gives `null` too.
  const message = (parts.message ?? '').toLowerCase()
  if (overflowPhrases.some((phrase) => message.includes(phrase)) && !named.includes('tool-use-failed')) {
    return 'context-overflow'
  }
  const byStatus = codeOfStatus(status)
  const isRefused = parts.wordsWin !== true && status !== undefined && status >= 400 && status < 500
  const byWord = named.find((code) => !(isRefused && faultsOfServer.has(code)))
  const code = byWord ?? byStatus
  if (code === 'server-error' && unsupportedInput.test(message)) return 'bad-request'
  if (code !== undefined) return code
  return words.some((word) => badRequestWords.has(word)) ? 'bad-request' : 'unknown'
}

function codeOfStatus(status: number | undefined): AdapterErrorCode | undefined {
  if (status === undefined) return undefined
  const code = status >= 400 ? 'bad-request' : undefined
  return codeByStatus[status] ?? (status >= 500 ? 'server-error' : code)
}

const codeByStatus: Readonly<Record<number, AdapterErrorCode>> = {
  401: 'authentication',
  402: 'insufficient-credit',
  403: 'permission',
  404: 'not-found',
  408: 'timeout',
  429: 'rate-limit',
  503: 'overloaded',
  529: 'overloaded',
}

function requestIdOf(headers: Headers | undefined): string | undefined {
  return headers?.get('x-request-id') ?? headers?.get('request-id') ?? undefined
}
