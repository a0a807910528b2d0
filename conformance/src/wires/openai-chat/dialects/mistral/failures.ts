import { typeName, wordsFor, type FaultWords, type ShapeFault } from '../../../simulate/shape-fault.ts'
import { failureTable } from '../../../simulate/failure-table.ts'
import type { JsonObject, Rejection } from '../../../simulate/wire-simulation.ts'

/** Mistral's errors are flat (docs/wire.md#mistral). */
export function errorBody(rejection: Rejection): JsonObject {
  return {
    object: 'error',
    message: rejection.message,
    type: rejection.type,
    param: rejection.param ?? null,
    code: rejection.code ?? null,
  }
}

export function badOrder(message: string): Rejection {
  return { status: 400, type: 'invalid_request_message_order', code: '3230', message }
}

export function badRequest(message: string): Rejection {
  return { status: 400, type: 'invalid_request_error', code: '1001', message }
}

/** Bodies are validated before anything else, in the words of that library. */
export function shapeRejection(fault: ShapeFault): Rejection {
  const message = `${['body', ...fault.path].join('.')}: ${wordsFor(fault, reasons)}`
  return { status: 422, type: 'invalid_request_error', code: null, message }
}

const reasons: FaultWords = {
  'unknown-field': () => 'Extra inputs are not permitted',
  'missing-field': () => 'Field required',
  'wrong-type': (fault) => `Input should be a valid ${fault.expected.join(' or ')}, got ${typeName(fault.value)}`,
  'wrong-value': (fault) => `Input should be ${fault.allowed.map((value) => `'${value}'`).join(' or ')}`,
  pattern: (fault) => `String should match pattern '${fault.pattern}'`,
  limit: (fault) => `Input should be ${fault.bound === 'minimum' ? 'greater' : 'less'} than or equal to ${fault.limit}`,
}

export const unauthorised: Rejection = {
  status: 401,
  type: 'invalid_request_unauthorized_error',
  code: '1501',
  message: 'Unauthorized',
}

/** https://docs.mistral.ai/resources/error-codes */
export const failure = failureTable({
  'bad-key': unauthorised,
  forbidden: [403, 'forbidden', 'Access to this model is not allowed.', '1502'],
  'unknown-model': [400, 'invalid_model', 'Invalid model: {model}', '1500'],
  'bad-request': badRequest('The request could not be processed as it stands.'),
  'context-overflow': badRequest(
    'Prompt contains 131200 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
  ),
  'rate-limited': [429, 'rate_limited', 'Rate limit exceeded', '1300'],
  'insufficient-credit': [402, 'payment_required', 'Your organization has no credits left.', '1700'],
  overloaded: [503, 'service_tier_capacity_exceeded', 'Service tier capacity exceeded for this model.', '3505'],
  'server-error': [500, 'internal_server_error', 'Internal server error', '1000'],
})
