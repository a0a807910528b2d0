import type { AdapterErrorCode } from '@steploop/core/adapter'
import { openaiDocumentedErrors } from '../openai-common/documented-errors.ts'
import type { WireError } from '../simulate/wire-error.ts'

/** Whole chunks or bodies that stand for an error (docs/wire.md#errors-inside-a-200). */
const inside: readonly WireError[] = [
  {
    id: 'inside-number',
    why: 'OpenRouter: a number as code',
    code: 'rate-limit',
    body: { error: { code: 429, message: 'Rate limited upstream.' } },
  },
  {
    id: 'inside-overloaded',
    why: 'vLLM: a number as code',
    code: 'overloaded',
    body: { error: { code: 503, message: 'Busy.', type: 'ServiceUnavailableError', param: null } },
  },
  {
    id: 'inside-words',
    why: 'the same words as before an answer',
    code: 'server-error',
    body: { error: { message: 'It failed.', type: 'server_error', param: null, code: null } },
  },
  {
    id: 'inside-call-unreadable',
    why: 'Groq could not read the call that the model wrote',
    code: 'tool-use-failed',
    body: {
      error: { message: 'Failed to call a function.', code: 'tool_use_failed', failed_generation: '<function=' },
    },
  },
]

/** https://openrouter.ai/docs/api-reference/errors: `error_type` says what it is, whatever the number beside it. */
const typed: readonly (readonly [word: string, code: AdapterErrorCode])[] = [
  ['context_length_exceeded', 'context-overflow'],
  ['authentication', 'authentication'],
  ['permission_denied', 'permission'],
  ['payment_required', 'insufficient-credit'],
  ['rate_limit_exceeded', 'rate-limit'],
  ['provider_overloaded', 'overloaded'],
  ['provider_unavailable', 'overloaded'],
  ['not_found', 'not-found'],
  ['content_policy_violation', 'content-filter'],
  ['server', 'server-error'],
  ['timeout', 'timeout'],
]

export const openaiChatErrors: readonly WireError[] = [
  ...openaiDocumentedErrors,
  ...inside,
  ...typed.map(([word, code]): WireError => ({
    id: `typed-${word}`,
    why: 'OpenRouter: the word tells',
    status: 400,
    code,
    body: { error: { code: 400, message: 'Provider returned error', metadata: { error_type: word } }, user_id: 'u' },
  })),
  {
    id: 'flat',
    why: 'Mistral and vLLM leave out the envelope',
    status: 429,
    code: 'rate-limit',
    body: { object: 'error', message: 'Requests rate limit exceeded', type: 'rate_limited', param: null, code: '1300' },
  },
  {
    id: 'listed',
    why: 'Gemini’s endpoint puts it into a list',
    status: 404,
    code: 'not-found',
    body: '[{"error":{"code":404,"message":"models/x is not found","status":"NOT_FOUND"}}]',
  },
]
