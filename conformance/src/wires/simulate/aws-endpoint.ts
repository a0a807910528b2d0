import type { SimulatedRequest } from '../../provider-script.ts'
import { signatureFault } from './aws-signature.ts'
import { eventMessage } from './event-message.ts'
import type { AnswerContext, FailureKind, JsonObject, Rejection } from './wire-simulation.ts'

/** Bedrock as the endpoint of models: key or signature, errors and the type of streams are AWS's. */
export const awsEndpoint = {
  hosts: ['amazonaws.com'],
  basePath: '',
  streamType: 'application/vnd.amazon.eventstream',
  errorTypes: { notFound: 'UnknownOperationException', server: 'InternalServerException' },
  authorise,
  failure,
  failureJson: errorBody,
  errorBody,
  headers: (requestNumber: number) => ({
    'x-amzn-requestid': `20000000-0000-4000-8000-${String(requestNumber).padStart(12, '0')}`,
  }),
}

/** The class of an error stands in a header, its words in the body. */
export function refused(message: string, type = 'ValidationException', status = 400): Rejection {
  return {
    status,
    type,
    message,
    headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
  }
}

/** A Bedrock API key as bearer token, or a signature that is made with it. */
function authorise(
  headers: Readonly<Record<string, string>>,
  apiKey?: string,
  request?: SimulatedRequest,
): Rejection | undefined {
  const given = headers['authorization'] ?? ''
  if (given.startsWith('AWS4-HMAC-SHA256 ')) {
    const fault = request && apiKey !== undefined ? signatureFault(request, apiKey) : undefined
    return fault === undefined ? undefined : refused(fault, 'InvalidSignatureException', 403)
  }
  const key = /^Bearer (.+)$/.exec(given)?.[1]
  if (key !== undefined && (apiKey === undefined || key === apiKey)) return undefined
  if (key !== undefined)
    return refused('Authentication failed: Please make sure your API Key is valid.', 'AccessDeniedException', 403)
  return refused('Missing Authentication Token', 'MissingAuthenticationTokenException', 403)
}

/** An exception is a message of its own, and the last of a stream. */
export function exceptionMessage({ message, type }: Rejection): Uint8Array {
  return eventMessage(`${type.charAt(0).toLowerCase()}${type.slice(1)}`, JSON.stringify({ message }), 'exception')
}

function errorBody({ message }: Rejection): JsonObject {
  return { message }
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors */
function failure(kind: FailureKind, _context: AnswerContext): Rejection {
  switch (kind) {
    case 'bad-key':
      return refused('The security token included in the request is invalid.', 'UnrecognizedClientException', 403)
    case 'forbidden':
      return refused("You don't have access to the model with the specified model ID.", 'AccessDeniedException', 403)
    case 'unknown-model':
      return refused('The provided model identifier is invalid.')
    case 'bad-request':
      return refused("This model doesn't support tool use.")
    case 'context-overflow':
      return refused('Input is too long for requested model.')
    case 'rate-limited':
      return refused('Too many requests, please wait before trying again.', 'ThrottlingException', 429)
    case 'insufficient-credit':
      return refused('Your account has no valid payment instrument.', 'AccessDeniedException', 403)
    case 'overloaded':
      return refused('Bedrock is unable to process your request.', 'ServiceUnavailableException', 503)
    case 'server-error':
      return refused(
        'The system encountered an unexpected error during processing. Try your request again.',
        'InternalServerException',
        500,
      )
    default:
      return kind satisfies never
  }
}
