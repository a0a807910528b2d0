import { serdeMessage } from '../../../openai-common/serde-words.ts'
import type { ShapeFault } from '../../../simulate/shape-fault.ts'
import { failureTable } from '../../../simulate/failure-table.ts'
import type { Rejection } from '../../../simulate/wire-simulation.ts'

export function badRequest(message: string): Rejection {
  return { status: 400, type: 'invalid_request_error', code: 'invalid_request_error', message }
}

export function shapeRejection(fault: ShapeFault): Rejection {
  return badRequest(serdeMessage(fault))
}

export const invalidKey: Rejection = {
  status: 401,
  type: 'authentication_error',
  code: 'invalid_request_error',
  message: 'Authentication Fails, Your api key: ******** is invalid',
}

/** https://api-docs.deepseek.com/quick_start/error_codes: seven statuses, and one code for all. */
export const failure = failureTable({
  'bad-key': invalidKey,
  forbidden: [403, 'permission_error', 'Access is not allowed', 'invalid_request_error'],
  'unknown-model': badRequest('Model Not Exist'),
  'bad-request': {
    ...badRequest('Invalid max_tokens value, the valid range of max_tokens is [1, 65536]'),
    status: 422,
  },
  'context-overflow': badRequest(
    "This model's maximum context length is 131072 tokens. However, you requested 131200 tokens (131200 in the messages, 0 in the completion). Please reduce the length of the messages or completion.",
  ),
  'rate-limited': [
    429,
    'rate_limit_error',
    'Rate Limit Reached: you are sending requests too quickly.',
    'invalid_request_error',
  ],
  'insufficient-credit': [402, 'unknown_error', 'Insufficient Balance', 'invalid_request_error'],
  overloaded: [
    503,
    'service_unavailable_error',
    'Server Overloaded. Please retry your request after a brief wait.',
    'service_unavailable',
  ],
  'server-error': [500, 'server_error', 'Our server encounters an issue.', 'internal_error'],
})
