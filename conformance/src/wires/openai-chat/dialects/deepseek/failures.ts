import { serdeMessage } from '../../../openai-common/serde-words.ts'
import type { ShapeFault } from '../../../simulate/shape-fault.ts'
import type { FailureKind, Refusal } from '../../../simulate/wire-simulation.ts'

export function badRequest(message: string): Refusal {
  return { status: 400, type: 'invalid_request_error', code: 'invalid_request_error', message }
}

export function shapeRefusal(fault: ShapeFault): Refusal {
  return badRequest(serdeMessage(fault))
}

export const invalidKey: Refusal = {
  status: 401,
  type: 'authentication_error',
  code: 'invalid_request_error',
  message: 'Authentication Fails, Your api key: ******** is invalid',
}

/** https://api-docs.deepseek.com/quick_start/error_codes: seven statuses, and one code for all. */
export function failure(kind: FailureKind): Refusal {
  switch (kind) {
    case 'bad-key':
      return invalidKey
    case 'forbidden':
      return { status: 403, type: 'permission_error', code: 'invalid_request_error', message: 'Access is not allowed' }
    case 'unknown-model':
      return badRequest('Model Not Exist')
    case 'bad-request':
      return { ...badRequest('Invalid max_tokens value, the valid range of max_tokens is [1, 65536]'), status: 422 }
    case 'context-overflow':
      return badRequest(
        "This model's maximum context length is 131072 tokens. However, you requested 131200 tokens (131200 in the messages, 0 in the completion). Please reduce the length of the messages or completion.",
      )
    case 'rate-limited':
      return {
        status: 429,
        type: 'rate_limit_error',
        code: 'invalid_request_error',
        message: 'Rate Limit Reached: you are sending requests too quickly.',
      }
    case 'insufficient-credit':
      return { status: 402, type: 'unknown_error', code: 'invalid_request_error', message: 'Insufficient Balance' }
    case 'overloaded':
      return {
        status: 503,
        type: 'service_unavailable_error',
        code: 'service_unavailable',
        message: 'Server Overloaded. Please retry your request after a brief wait.',
      }
    case 'server-error':
      return { status: 500, type: 'server_error', code: 'internal_error', message: 'Our server encounters an issue.' }
    default:
      return kind satisfies never
  }
}
