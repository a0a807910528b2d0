import { serdeMessage } from './serde-words.ts'
import type { ShapeFault } from '../simulate/shape-fault.ts'
import { failureTable } from '../simulate/failure-table.ts'
import type { JsonObject, Rejection } from '../simulate/wire-simulation.ts'

/** xAI's errors are flat; the code is a sentence, and the error a text. https://docs.x.ai/docs/key-information/debugging */
export function xaiErrorBody({ status, code, message, type }: Rejection): JsonObject {
  return { code: code ?? (status === 400 ? invalidArgument : type), error: message }
}

const invalidArgument = 'Client specified an invalid argument'

export function badRequest(message: string): Rejection {
  return { status: 400, type: 'invalid_argument', code: invalidArgument, message }
}

/** Bodies are read into types: what does not fit is a 422. */
export function xaiShapeRejection(fault: ShapeFault): Rejection {
  return { ...badRequest(serdeMessage(fault)), status: 422 }
}

/** A wrong key is a 400, a missing one a 401. */
export function xaiAuthorise(headers: Readonly<Record<string, string>>, apiKey?: string): Rejection | undefined {
  const key = /^Bearer\s+(\S+)$/.exec(headers['authorization'] ?? '')?.[1]
  if (key === undefined) {
    const code = 'Unauthenticated'
    return { status: 401, type: code, code, message: 'No API key was provided. Send one as a bearer token.' }
  }
  return apiKey === undefined || key === apiKey ? undefined : wrongKey
}

const wrongKey = badRequest(
  'Incorrect API key provided: ********. You can obtain an API key from https://console.x.ai.',
)

const noPermission = 'The caller does not have permission to execute the specified operation'

/** Faults, alike in both formats. */
export const xaiFailure = failureTable({
  'bad-key': wrongKey,
  forbidden: { status: 403, type: 'forbidden', code: noPermission, message: 'Your key may not use this endpoint.' },
  'unknown-model': [
    404,
    'not_found',
    'The model {model} does not exist or your team does not have access to it.',
    'Some requested entity was not found',
  ],
  'bad-request': badRequest('The request could not be processed as it stands.'),
  'context-overflow': badRequest(
    "This model's maximum prompt length is 131072 but the request contains 131200 tokens, more than its context window.",
  ),
  'rate-limited': [
    429,
    'rate_limited',
    'Too many requests for your team. Your requests per minute are limited to 60.',
    'Some resource has been exhausted',
  ],
  'insufficient-credit': {
    status: 403,
    type: 'forbidden',
    code: noPermission,
    message: "Your newly created team doesn't have any credits yet. You can purchase credits on https://console.x.ai.",
  },
  overloaded: [
    503,
    'unavailable',
    'Service temporarily unavailable. The model is at capacity and currently cannot serve this request.',
    'The service is currently unavailable',
  ],
  'server-error': [500, 'internal', 'Internal server error.', 'Internal error'],
})

export function xaiHeaders(requestNumber: number): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit-requests': '480',
    'x-ratelimit-limit-tokens': '4000000',
    'x-ratelimit-remaining-requests': String(480 - requestNumber),
    'x-ratelimit-remaining-tokens': String(4_000_000 - 100 * requestNumber),
    'x-request-id': `sim-${requestNumber}`,
  }
}
