import type { AdapterErrorCode } from '@steploop/core/adapter'
import { pageOfProxy, type WireError } from '../simulate/wire-error.ts'

/** https://docs.claude.com/en/api/errors */
const rows: readonly (readonly [status: number, type: string, code: AdapterErrorCode, message?: string])[] = [
  [400, 'invalid_request_error', 'bad-request'],
  [401, 'authentication_error', 'authentication'],
  [402, 'billing_error', 'insufficient-credit'],
  [403, 'permission_error', 'permission'],
  [404, 'not_found_error', 'not-found'],
  [413, 'request_too_large', 'bad-request'],
  [429, 'rate_limit_error', 'rate-limit'],
  [500, 'api_error', 'server-error'],
  [529, 'overloaded_error', 'overloaded'],
  [400, 'invalid_request_error', 'context-overflow', 'prompt is too long: 210000 tokens > 200000 maximum'],
  [
    400,
    'invalid_request_error',
    'context-overflow',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
  ],
  [400, 'invalid_request_error', 'insufficient-credit', 'Your credit balance is too low to access the Anthropic API.'],
]

const bodyOf = (type: string, message = 'Sorry about that.') => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_errors',
})

export const anthropicErrors: readonly WireError[] = [
  ...rows.map(([status, type, code, message], index): WireError => ({
    id: `${status}-${type}-${index + 1}`,
    why: 'the page on errors',
    status,
    code,
    body: bodyOf(type, message),
    requestId: 'req_errors',
  })),
  ...(
    [
      ['overloaded_error', 'overloaded'],
      ['rate_limit_error', 'rate-limit'],
      ['api_error', 'server-error'],
      ['timeout_error', 'timeout'],
      ['invalid_request_error', 'bad-request'],
    ] as const
  ).map(([type, code]): WireError => ({
    id: `inside-${type}`,
    why: 'an error may come after the status 200 was sent',
    code,
    body: bodyOf(type),
  })),
  {
    id: 'wait-in-header',
    why: 'the page on rate limits',
    status: 429,
    code: 'rate-limit',
    headers: { 'retry-after': '7' },
    body: bodyOf('rate_limit_error'),
    retryAfterMs: 7000,
  },
  pageOfProxy,
  { id: 'nothing', why: 'a proxy answers with nothing', status: 529, code: 'overloaded', body: '' },
]
