import { typeName, wordsFor, type FaultWords, type ShapeFault } from '../../../simulate/shape-fault.ts'
import { failureTable } from '../../../simulate/failure-table.ts'
import type { JsonObject, Rejection } from '../../../simulate/wire-simulation.ts'

/** Without `param`, and without a code where there is none. */
export function errorBody({ message, type, code, members }: Rejection): JsonObject {
  return { error: { message, type, ...(code == null ? {} : { code }), ...members } }
}

export function badRequest(message: string, code?: string): Rejection {
  return { status: 400, type: 'invalid_request_error', code, message }
}

export function shapeRejection(fault: ShapeFault): Rejection {
  const path = fault.type === 'unknown-field' || fault.type === 'missing-field' ? fault.path.slice(0, -1) : fault.path
  const where = path.length === 0 ? '' : `'${path.join('.')}' : `
  return badRequest(where + wordsFor(fault, reasons))
}

const reasons: FaultWords = {
  'unknown-field': (fault) => `property '${String(fault.path.at(-1))}' is unsupported`,
  'missing-field': (fault) => `property '${String(fault.path.at(-1))}' is missing`,
  'wrong-type': (fault) => `value must be ${fault.expected.join(' or ')}, but got ${typeName(fault.value)}`,
  'wrong-value': (fault) => `value must be one of ${fault.allowed.map((value) => `"${value}"`).join(', ')}`,
  pattern: (fault) => `value must match the pattern '${fault.pattern}'`,
  limit: (fault) => `${fault.bound} ${fault.of === 'number' ? 'value' : 'length'} is ${fault.limit}`,
}

export const invalidKey: Rejection = {
  status: 401,
  type: 'invalid_request_error',
  code: 'invalid_api_key',
  message: 'Invalid API Key',
}

/** https://console.groq.com/docs/errors */
export const failure = failureTable({
  'bad-key': invalidKey,
  forbidden: [
    403,
    'permissions_error',
    'The model `{model}` is blocked at the organization level.',
    'model_permission_blocked_org',
  ],
  'unknown-model': [
    404,
    'invalid_request_error',
    'The model `{model}` does not exist or you do not have access to it.',
    'model_not_found',
  ],
  'bad-request': badRequest('the request could not be processed as it stands'),
  'context-overflow': badRequest('Please reduce the length of the messages or completion.', 'context_length_exceeded'),
  'rate-limited': {
    status: 429,
    type: 'tokens',
    code: 'rate_limit_exceeded',
    message:
      'Rate limit reached for model `{model}` in organization `org_sim` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Used 11900, Requested 300. Please try again in 1s.',
    headers: { 'retry-after': '1' },
  },
  'insufficient-credit': [
    400,
    'billing_error',
    'API access is blocked: your organization has reached its spend limit.',
    'blocked_api_access',
  ],
  overloaded: [
    503,
    'internal_server_error',
    '{model} is currently over capacity. Please try again and back off exponentially.',
    'over_capacity',
  ],
  'server-error': [500, 'internal_server_error', 'Internal Server Error'],
})
