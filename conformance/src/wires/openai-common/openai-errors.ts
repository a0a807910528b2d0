import type { FailureRow } from '../simulate/failure-table.ts'
import type { FailureKind, JsonObject, Rejection } from '../simulate/wire-simulation.ts'

/** A 400 in OpenAI's words. */
export function invalidRequest(facts: {
  readonly message: string
  readonly param?: string | null | undefined
  readonly code?: string | null | undefined
}): Rejection {
  return { status: 400, type: 'invalid_request_error', code: null, param: null, ...facts }
}

/** The error shape of both OpenAI endpoints (docs/wire.md#error-bodies). */
export function openaiErrorBody(refusal: Rejection): JsonObject {
  return {
    error: {
      message: refusal.message,
      type: refusal.type,
      param: refusal.param ?? null,
      code: refusal.code ?? null,
    },
  }
}

/** https://platform.openai.com/docs/api-reference/authentication */
export function openaiAuthorise(headers: Readonly<Record<string, string>>, apiKey?: string): Rejection | undefined {
  const unauthorised = { status: 401, type: 'invalid_request_error', param: null }
  const key = /^Bearer\s+(\S+)$/.exec(headers['authorization'] ?? '')?.[1]
  if (key === undefined) {
    const message =
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
    return { ...unauthorised, message, code: null }
  }
  if (apiKey === undefined || key === apiKey) return undefined
  return { ...unauthorised, message: wrongKeyMessage, code: 'invalid_api_key' }
}

/** Fixed clock, fixed limits: https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers */
export function openaiHeaders(requestNumber: number): Readonly<Record<string, string>> {
  return {
    'openai-organization': 'org-sim',
    'openai-processing-ms': String(200 + requestNumber),
    'openai-version': '2020-10-01',
    'x-ratelimit-limit-requests': '5000',
    'x-ratelimit-limit-tokens': '800000',
    'x-ratelimit-remaining-requests': String(5000 - requestNumber),
    'x-ratelimit-remaining-tokens': String(800_000 - 100 * requestNumber),
    'x-ratelimit-reset-requests': '12ms',
    'x-ratelimit-reset-tokens': '7ms',
    'x-request-id': `req_sim_${requestNumber}`,
  }
}

/** The provider shows the key's ends; the simulator shows nothing of it. */
const wrongKeyMessage =
  'Incorrect API key provided: ********. You can find your API key at https://platform.openai.com/account/api-keys.'

/** Faults that look alike at both endpoints. */
export const openaiFaults = {
  'bad-key': [401, 'invalid_request_error', wrongKeyMessage, 'invalid_api_key'],
  forbidden: [
    403,
    'request_forbidden',
    'Country, region, or territory not supported',
    'unsupported_country_region_territory',
  ],
  'bad-request': invalidRequest({
    message: "Invalid 'metadata': the request could not be processed as it stands.",
    param: 'metadata',
    code: 'invalid_value',
  }),
  'rate-limited': {
    status: 429,
    type: 'tokens',
    code: 'rate_limit_exceeded',
    message:
      'Rate limit reached for {model} in organization org-sim on tokens per min (TPM): Limit 800000, Used 799900, Requested 300. Please try again in 1s.',
    headers: { 'retry-after': '1', 'retry-after-ms': '1000', 'x-ratelimit-reset-tokens': '1s' },
  },
  'insufficient-credit': [
    429,
    'insufficient_quota',
    'You exceeded your current quota, please check your plan and billing details.',
    'insufficient_quota',
  ],
  overloaded: [
    503,
    'service_unavailable_error',
    'Our servers are currently overloaded. Please try again later.',
    'server_is_overloaded',
  ],
  'server-error': [500, 'server_error', 'The server had an error while processing your request. Sorry about that!'],
} satisfies Partial<Record<FailureKind, FailureRow>>
