import { openaiShapeRejection } from '../../../openai-common/openai-shape.ts'
import type { ShapeFault } from '../../../simulate/shape-fault.ts'
import type { AnswerContext, FailureKind, JsonObject, Rejection } from '../../../simulate/wire-simulation.ts'

/** The code is the status, as a number; what the upstream said stands in the metadata (docs/wire.md#error-bodies). */
export function errorBody(rejection: Rejection): JsonObject {
  return { error: errorObject(rejection), user_id: 'user_sim' }
}

/** An error after the answer has begun names its kind in one of the API's own words: https://openrouter.ai/docs/api-reference/errors */
export function lateError({ status, message, type }: Rejection): JsonObject {
  return { code: status, message, metadata: { error_type: errorTypes[status] ?? 'unmapped', provider_code: type } }
}

const errorTypes: Readonly<Record<number, string | undefined>> = {
  400: 'invalid_request',
  401: 'authentication',
  402: 'payment_required',
  403: 'permission_denied',
  429: 'rate_limit_exceeded',
  502: 'server',
  503: 'provider_overloaded',
}

function errorObject({ status, message, members }: Rejection): JsonObject {
  return { code: status, message, ...members }
}

export function badRequest(message: string): Rejection {
  return { status: 400, type: 'bad_request', message }
}

/** Found by the provider behind the gateway. */
export function upstreamRejection(raw: string, status = 400): Rejection {
  const message = 'Provider returned error'
  return { status, type: 'provider_error', message, members: { metadata: { provider_name: 'Sim', raw } } }
}

export function shapeRejection(fault: ShapeFault): Rejection {
  return badRequest(openaiShapeRejection(fault).message)
}

export const noCredentials: Rejection = { status: 401, type: 'unauthorized', message: 'No auth credentials found' }

/** https://openrouter.ai/docs/api-reference/errors */
export function failure(kind: FailureKind, context: AnswerContext): Rejection {
  const model = String(context.request['model'])
  switch (kind) {
    case 'bad-key':
      return { status: 401, type: 'unauthorized', message: 'User not found.' }
    case 'forbidden':
      return { status: 403, type: 'forbidden', message: 'This model is not available for your account.' }
    case 'unknown-model':
      return badRequest(`${model} is not a valid model ID`)
    case 'bad-request':
      return badRequest('The request could not be processed as it stands.')
    case 'context-overflow':
      return badRequest(
        "This endpoint's maximum context length is 200000 tokens. However, you requested about 200210 tokens (200210 of text input). Please reduce the length of either one.",
      )
    case 'rate-limited':
      return upstreamRejection(`${model} is temporarily rate-limited upstream. Please retry shortly.`, 429)
    case 'insufficient-credit':
      return { status: 402, type: 'payment_required', message: 'Insufficient credits. Add more credits to go on.' }
    case 'overloaded':
      return { status: 503, type: 'unavailable', message: 'No instances available' }
    case 'server-error':
      return upstreamRejection('Internal server error', 502)
    default:
      return kind satisfies never
  }
}
