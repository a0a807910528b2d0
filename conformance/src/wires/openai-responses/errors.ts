import type { AdapterErrorCode, JsonObject } from '@steploop/core/adapter'
import { openaiDocumentedErrors } from '../openai-common/documented-errors.ts'
import type { WireError } from '../simulate/wire-error.ts'

/** `response.error.code` of a failed response: https://platform.openai.com/docs/api-reference/responses/object, and what each is about. */
const codes: Readonly<Record<string, AdapterErrorCode>> = {
  server_error: 'server-error',
  rate_limit_exceeded: 'rate-limit',
  vector_store_timeout: 'server-error',
  image_content_policy_violation: 'content-filter',
  invalid_prompt: 'bad-request',
  invalid_image: 'bad-request',
  invalid_image_format: 'bad-request',
  invalid_base64_image: 'bad-request',
  invalid_image_url: 'bad-request',
  image_too_large: 'bad-request',
  image_too_small: 'bad-request',
  image_parse_error: 'bad-request',
  invalid_image_mode: 'bad-request',
  image_file_too_large: 'bad-request',
  unsupported_image_media_type: 'bad-request',
  empty_image_file: 'bad-request',
  failed_to_download_image: 'bad-request',
  image_file_not_found: 'bad-request',
}

const failed = (code: string): JsonObject => ({
  id: 'resp_failed',
  object: 'response',
  created_at: 1_760_000_000,
  model: 'any',
  status: 'failed',
  error: { code, message: 'It failed.' },
  output: [],
  usage: null,
})

function failures(word: string): readonly WireError[] {
  const why = 'the reference of the response object'
  const code = codes[word] ?? 'unknown'
  const response = failed(word)
  return [
    { id: `failed-${word}`, why, code, mode: 'generate', body: response },
    {
      id: `failed-${word}`,
      why,
      code,
      mode: 'stream',
      body: { type: 'response.failed', sequence_number: 9, response },
    },
  ]
}

/** A response that is no answer, whole or as the last event (docs/wire.md#responses-background). */
function unanswered(status: string, code: AdapterErrorCode): readonly WireError[] {
  const { error: _none, ...rest } = failed('')
  const why = 'a response in the background'
  const response = { ...rest, status }
  const event = { type: `response.${status}`, response }
  const whole: WireError = { id: `is-${status}`, why, code, mode: 'generate', body: response }
  return status === 'cancelled' ? [whole, { ...whole, mode: 'stream', body: event }] : [whole]
}

const rateLimited = { code: 'rate_limit_exceeded', message: 'Too many.', param: null }

export const openaiResponsesErrors: readonly WireError[] = [
  ...openaiDocumentedErrors,
  ...Object.keys(codes).flatMap((word) => failures(word)),
  ...unanswered('cancelled', 'aborted'),
  ...unanswered('queued', 'unsupported'),
  ...unanswered('in_progress', 'unsupported'),
  {
    id: 'call-without-a-name',
    why: 'nothing but the item names a function',
    code: 'malformed-response',
    mode: 'generate',
    body: {
      ...failed(''),
      status: 'completed',
      error: null,
      output: [{ type: 'function_call', call_id: 'call_1', arguments: '{}' }],
    },
  },
  {
    id: 'upstream',
    why: 'OpenRouter tells what its upstream said',
    code: 'bad-request',
    body: { error: { code: 400, message: 'Provider returned error', metadata: { raw: 'temperature is too hot' } } },
    says: 'temperature is too hot',
  },
  {
    id: 'text',
    why: 'xAI writes a text, and beside it a sentence as code',
    status: 400,
    code: 'bad-request',
    body: { code: 'Client specified an invalid argument', error: 'It is too hot.' },
  },
  {
    id: 'status-in-error',
    why: 'gateways before Groq hand on what it says inside a 200 (docs/wire.md#error-events-of-groq)',
    code: 'overloaded',
    body: { error: { message: 'Over capacity.', status_code: 503 } },
  },
  {
    id: 'listed',
    why: 'gateways before Gemini put it into a list',
    status: 404,
    code: 'not-found',
    body: '[{"error":{"code":404,"message":"models/x is not found","status":"NOT_FOUND"}}]',
  },
  {
    id: 'request-id',
    why: 'servers that name the request in the body',
    status: 500,
    code: 'server-error',
    requestId: 'req_body',
    body: { message: 'It failed.', type: 'server_error', request_id: 'req_body' },
  },
  {
    id: 'kept-nothing',
    why: 'the guide to data controls: with zero data retention nothing is stored',
    status: 400,
    code: 'continuation-not-found',
    body: {
      error: {
        message: 'Previous response cannot be used for this organization due to Zero Data Retention.',
        type: 'invalid_request_error',
        param: null,
        code: 'unsupported_parameter',
      },
    },
  },
  {
    id: 'cannot-continue',
    why: 'llama.cpp stores nothing',
    status: 400,
    code: 'continuation-not-found',
    body: {
      error: {
        message: "llama.cpp does not support 'previous_response_id'.",
        type: 'invalid_request_error',
        code: 400,
      },
    },
  },
  {
    id: 'event-flat',
    why: 'an `error` event (docs/wire.md#errors-inside-a-200)',
    code: 'rate-limit',
    mode: 'stream',
    body: { type: 'error', sequence_number: 9, ...rateLimited },
  },
  {
    id: 'event-nested',
    why: 'an `error` event (docs/wire.md#errors-inside-a-200)',
    code: 'rate-limit',
    mode: 'stream',
    body: { type: 'error', sequence_number: 9, error: { type: 'tokens', ...rateLimited } },
  },
  {
    id: 'event-with-status',
    why: 'xAI names the status alone',
    code: 'overloaded',
    mode: 'stream',
    body: { type: 'error', code: '503', message: 'Service temporarily unavailable.' },
  },
  {
    id: 'gone',
    why: 'the guide to conversation state: what is not stored cannot be continued',
    status: 400,
    code: 'continuation-not-found',
    body: {
      error: {
        message: "Previous response with id 'resp_1' not found.",
        type: 'invalid_request_error',
        param: 'previous_response_id',
        code: 'previous_response_not_found',
      },
    },
  },
]
