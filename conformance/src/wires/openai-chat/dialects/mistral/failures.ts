import type { ShapeFault } from '../../../simulate/shape-fault.ts'
import { typeName } from '../../../simulate/shape-fault.ts'
import type { AnswerContext, FailureKind, JsonObject, Refusal } from '../../../simulate/wire-simulation.ts'

/** Mistral's errors are flat (docs/wire.md#mistral). */
export function errorBody(refusal: Refusal): JsonObject {
  return {
    object: 'error',
    message: refusal.message,
    type: refusal.type,
    param: refusal.param ?? null,
    code: refusal.code ?? null,
  }
}

export function badOrder(message: string): Refusal {
  return { status: 400, type: 'invalid_request_message_order', code: '3230', message }
}

export function badRequest(message: string): Refusal {
  return { status: 400, type: 'invalid_request_error', code: '1001', message }
}

/** Bodies are validated before anything else, in the words of that library. */
export function shapeRefusal(fault: ShapeFault): Refusal {
  const message = `${['body', ...fault.path].join('.')}: ${reason(fault)}`
  return { status: 422, type: 'invalid_request_error', code: null, message }
}

function reason(fault: ShapeFault): string {
  switch (fault.type) {
    case 'unknown-field':
      return 'Extra inputs are not permitted'
    case 'missing-field':
      return 'Field required'
    case 'wrong-type':
      return `Input should be a valid ${fault.expected.join(' or ')}, got ${typeName(fault.value)}`
    case 'wrong-value':
      return `Input should be ${fault.allowed.map((value) => `'${value}'`).join(' or ')}`
    case 'pattern':
      return `String should match pattern '${fault.pattern}'`
    case 'limit':
      return `Input should be ${fault.bound === 'minimum' ? 'greater' : 'less'} than or equal to ${fault.limit}`
    default:
      return fault satisfies never
  }
}

export const unauthorised: Refusal = {
  status: 401,
  type: 'invalid_request_unauthorized_error',
  code: '1501',
  message: 'Unauthorized',
}

/** https://docs.mistral.ai/resources/error-codes */
export function failure(kind: FailureKind, context: AnswerContext): Refusal {
  switch (kind) {
    case 'bad-key':
      return unauthorised
    case 'forbidden':
      return { status: 403, type: 'forbidden', code: '1502', message: 'Access to this model is not allowed.' }
    case 'unknown-model':
      return {
        status: 400,
        type: 'invalid_model',
        code: '1500',
        message: `Invalid model: ${String(context.request['model'])}`,
      }
    case 'bad-request':
      return badRequest('The request could not be processed as it stands.')
    case 'context-overflow':
      return badRequest(
        'Prompt contains 131200 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
      )
    case 'rate-limited':
      return { status: 429, type: 'rate_limited', code: '1300', message: 'Rate limit exceeded' }
    case 'insufficient-credit':
      return { status: 402, type: 'payment_required', code: '1700', message: 'Your organization has no credits left.' }
    case 'overloaded':
      return {
        status: 503,
        type: 'service_tier_capacity_exceeded',
        code: '3505',
        message: 'Service tier capacity exceeded for this model.',
      }
    case 'server-error':
      return { status: 500, type: 'internal_server_error', code: '1000', message: 'Internal server error' }
    default:
      return kind satisfies never
  }
}
