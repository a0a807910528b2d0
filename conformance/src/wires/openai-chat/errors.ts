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
    says: '<function=',
  },
  {
    id: 'inside-choice',
    why: 'OpenRouter: the upstream failed',
    code: 'rate-limit',
    body: { choices: [{ index: 0, error: { code: '429', message: 'Upstream is busy.' }, finish_reason: 'error' }] },
  },
  {
    id: 'inside-upstream',
    why: 'OpenRouter tells what its upstream said',
    code: 'bad-request',
    body: {
      error: {
        code: 400,
        message: 'Provider returned error',
        metadata: { provider_name: 'Zürich AI', raw: 'temperature is too hot' },
      },
    },
    says: '(Zürich AI: temperature is too hot)',
  },
  {
    id: 'inside-upstream-unnamed',
    why: 'OpenRouter tells what its upstream said, and not always who it is',
    code: 'bad-request',
    body: { error: { code: 400, message: 'Provider returned error', metadata: { raw: 'temperature is too hot' } } },
    says: 'temperature is too hot',
  },
  {
    id: 'no-choice',
    why: 'a list without a choice is no answer',
    code: 'empty-response',
    mode: 'generate',
    body: { id: 'chatcmpl-1', object: 'chat.completion', choices: [] },
  },
  {
    id: 'no-choices',
    why: 'what holds no choice is no answer',
    code: 'malformed-response',
    mode: 'generate',
    body: { id: 'chatcmpl-1', object: 'chat.completion' },
  },
  {
    id: 'inside-aside',
    why: 'Groq tells of it beside the choices',
    code: 'overloaded',
    body: { choices: [], x_groq: { error: { message: 'Over capacity.', status_code: 503 } } },
  },
  {
    id: 'inside-status',
    why: 'Cerebras writes the status beside it',
    code: 'rate-limit',
    body: { error: { message: 'Too busy.' }, status_code: 429 },
  },
  { id: 'inside-text', why: 'gateways write a text', code: 'server-error', body: { error: 'It failed.', code: 500 } },
  {
    id: 'inside-flat',
    why: 'vLLM, without an envelope',
    code: 'server-error',
    body: { object: 'error', message: 'It failed.', type: 'InternalServerError', code: 500 },
  },
  {
    id: 'inside-finish',
    why: 'Mistral and OpenRouter: the finish reason says so, and nothing else',
    code: 'server-error',
    body: { choices: [{ index: 0, delta: {}, finish_reason: 'error' }] },
  },
  {
    id: 'inside-resource',
    why: 'DeepSeek gave up on the turn',
    code: 'overloaded',
    body: { choices: [{ index: 0, delta: {}, finish_reason: 'insufficient_system_resource' }] },
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
  {
    id: 'wait-in-details',
    why: 'Gemini’s endpoint says when in a detail',
    status: 429,
    code: 'rate-limit',
    body: {
      error: {
        code: 429,
        message: 'Quota exceeded.',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.Help' }, { retryDelay: '34.5s' }],
      },
    },
    retryAfterMs: 34_500,
  },
  {
    id: 'details-listed',
    why: 'servers on FastAPI list what does not fit',
    status: 422,
    code: 'bad-request',
    body: { detail: [{ loc: ['body', 'tools'], msg: 'Field required', type: 'missing' }, { type: 'extra' }] },
    says: 'Field required; {"type":"extra"}',
  },
  {
    id: 'message-deeper',
    why: 'Mistral puts what does not fit into the message',
    status: 422,
    code: 'bad-request',
    body: {
      object: 'error',
      message: { detail: [{ msg: 'Input should be a valid list' }] },
      type: 'invalid_request_error',
    },
    says: 'Input should be a valid list',
  },
  {
    id: 'request-id',
    why: 'Mistral and Together name the request in the body',
    status: 500,
    code: 'server-error',
    requestId: 'req_body',
    body: { object: 'error', message: 'Service unavailable.', type: 'internal_server_error', request_id: 'req_body' },
  },
  {
    id: 'correlation-id',
    why: 'Mistral names the request in a header of its own',
    status: 500,
    code: 'server-error',
    headers: { 'mistral-correlation-id': 'req_mistral' },
    requestId: 'req_mistral',
    body: { object: 'error', message: 'Service unavailable.', type: 'internal_server_error' },
  },
]
