import type { AdapterErrorCode } from '@steploop/core/adapter'
import { pageOfProxy, type WireError } from '../simulate/wire-error.ts'

type Row = readonly [id: string, status: number, code: AdapterErrorCode, error: Readonly<Record<string, unknown>>]

/** https://platform.openai.com/docs/guides/error-codes; words that stand for a code alone have a status that does not tell it. */
const rows: readonly Row[] = [
  ['wrong-key', 401, 'authentication', { type: 'invalid_request_error', code: 'invalid_api_key' }],
  ['no-organization', 401, 'authentication', { type: 'invalid_request_error', code: null }],
  ['region', 403, 'permission', { type: 'request_forbidden', code: 'unsupported_country_region_territory' }],
  ['unknown-model', 404, 'not-found', { type: 'invalid_request_error', code: 'model_not_found' }],
  ['unknown-model-400', 400, 'not-found', { type: 'invalid_request_error', param: 'model', code: 'model_not_found' }],
  ['invalid-value', 400, 'bad-request', { type: 'invalid_request_error', param: 'tools', code: 'invalid_value' }],
  ['too-long', 400, 'context-overflow', { type: 'invalid_request_error', code: 'context_length_exceeded' }],
  ['filtered-prompt', 400, 'content-filter', { type: 'invalid_request_error', code: 'content_policy_violation' }],
  ['quota', 429, 'insufficient-credit', { type: 'insufficient_quota', code: 'insufficient_quota' }],
  ['rate', 429, 'rate-limit', { type: 'tokens', code: 'rate_limit_exceeded' }],
  ['server', 500, 'server-error', { type: 'server_error', code: null }],
  ['overloaded', 503, 'overloaded', { type: 'service_unavailable_error', code: 'server_is_overloaded' }],
]

/** What both endpoints answer before anything else. */
export const openaiDocumentedErrors: readonly WireError[] = [
  ...rows.map(([id, status, code, error]): WireError => ({
    id,
    why: 'the guide to error codes',
    status,
    code,
    body: { error: { message: 'Sorry about that.', param: null, ...error } },
  })),
  {
    id: 'filtered-at-azure',
    why: 'Azure puts the code one level down',
    status: 400,
    code: 'content-filter',
    body: {
      error: {
        message: 'The response was filtered.',
        code: '400',
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    },
  },
  {
    id: 'wait-in-header',
    why: 'the guide to rate limits',
    status: 429,
    code: 'rate-limit',
    headers: { 'retry-after': '7', 'x-request-id': 'req_errors' },
    requestId: 'req_errors',
    body: { error: { message: 'Slow down.', type: 'requests', param: null, code: 'rate_limit_exceeded' } },
    retryAfterMs: 7000,
  },
  {
    id: 'wait-in-words',
    why: 'the message says when, and no header does',
    status: 429,
    code: 'rate-limit',
    body: {
      error: {
        message: 'Rate limit reached for tokens per min. Please try again in 1m2.5s. Visit the account page.',
        type: 'tokens',
        param: null,
        code: 'rate_limit_exceeded',
      },
    },
    retryAfterMs: 62_500,
  },
  { id: 'detail', why: 'servers on FastAPI', status: 422, code: 'bad-request', body: { detail: 'Unprocessable' } },
  pageOfProxy,
  { id: 'nothing', why: 'a proxy answers with nothing', status: 503, code: 'overloaded', body: '' },
]
