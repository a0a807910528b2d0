import type { AnswerContext, FailureKind, JsonObject, Refusal } from '../simulate/wire-simulation.ts'

/** A 400 in OpenAI's words. */
export function invalidRequest(facts: {
  readonly message: string
  readonly param?: string | null | undefined
  readonly code?: string | null | undefined
}): Refusal {
  return { status: 400, type: 'invalid_request_error', code: null, param: null, ...facts }
}

/** The error shape of both OpenAI endpoints (docs/wire.md#error-bodies). */
export function openaiErrorBody(refusal: Refusal): JsonObject {
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
export function openaiAuthorise(headers: Readonly<Record<string, string>>, apiKey?: string): Refusal | undefined {
  const unauthorised = { status: 401, type: 'invalid_request_error', param: null }
  const key = /^Bearer\s+(\S+)$/.exec(headers['authorization'] ?? '')?.[1]
  if (key === undefined) {
    const message =
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
    return { ...unauthorised, message, code: null }
  }
  if (apiKey === undefined || key === apiKey) return undefined
  return { ...unauthorised, message: wrongKeyMessage(), code: 'invalid_api_key' }
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

/** Faults that look alike at both endpoints; `undefined` for those that differ. */
export function openaiFailure(
  kind: Exclude<FailureKind, 'unknown-model' | 'context-overflow'>,
  context: AnswerContext,
): Refusal {
  switch (kind) {
    case 'bad-key':
      return { status: 401, type: 'invalid_request_error', code: 'invalid_api_key', message: wrongKeyMessage() }
    case 'forbidden':
      return {
        status: 403,
        type: 'request_forbidden',
        code: 'unsupported_country_region_territory',
        message: 'Country, region, or territory not supported',
      }
    case 'bad-request':
      return invalidRequest({
        message: "Invalid 'metadata': the request could not be processed as it stands.",
        param: 'metadata',
        code: 'invalid_value',
      })
    case 'rate-limited':
      return rateLimited(context)
    case 'insufficient-credit':
      return {
        status: 429,
        type: 'insufficient_quota',
        code: 'insufficient_quota',
        message: 'You exceeded your current quota, please check your plan and billing details.',
      }
    case 'overloaded':
      return {
        status: 503,
        type: 'service_unavailable_error',
        code: 'server_is_overloaded',
        message: 'Our servers are currently overloaded. Please try again later.',
      }
    case 'server-error':
      return {
        status: 500,
        type: 'server_error',
        code: null,
        message: 'The server had an error while processing your request. Sorry about that!',
      }
    default:
      return kind satisfies never
  }
}

function rateLimited(context: AnswerContext): Refusal {
  return {
    status: 429,
    type: 'tokens',
    code: 'rate_limit_exceeded',
    message: `Rate limit reached for ${String(context.request['model'])} in organization org-sim on tokens per min (TPM): Limit 800000, Used 799900, Requested 300. Please try again in 1s.`,
    headers: { 'retry-after': '1', 'retry-after-ms': '1000', 'x-ratelimit-reset-tokens': '1s' },
  }
}

/** The provider shows the key's ends; the simulator shows nothing of it. */
function wrongKeyMessage(): string {
  return 'Incorrect API key provided: ********. You can find your API key at https://platform.openai.com/account/api-keys.'
}
