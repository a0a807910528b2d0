import type { AdapterErrorCode } from '@steploop/core/adapter'
import type { WireError } from './wire-error.ts'

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors, and the errors common to all of AWS. */
const rows: readonly (readonly [status: number, type: string, code: AdapterErrorCode])[] = [
  [403, 'AccessDeniedException', 'permission'],
  [403, 'UnrecognizedClientException', 'authentication'],
  [403, 'ExpiredTokenException', 'authentication'],
  [403, 'InvalidSignatureException', 'authentication'],
  [400, 'IncompleteSignature', 'authentication'],
  [403, 'MissingAuthenticationTokenException', 'authentication'],
  [400, 'ServiceQuotaExceededException', 'rate-limit'],
  [400, 'ValidationException', 'bad-request'],
  [404, 'ResourceNotFoundException', 'not-found'],
  [429, 'ThrottlingException', 'rate-limit'],
  [429, 'ModelNotReadyException', 'overloaded'],
  [408, 'ModelTimeoutException', 'timeout'],
  [424, 'ModelErrorException', 'server-error'],
  [500, 'InternalServerException', 'server-error'],
  [503, 'ServiceUnavailableException', 'overloaded'],
  [500, 'InternalFailure', 'server-error'],
]

export const awsErrors: readonly WireError[] = rows.flatMap(([status, type, code]): readonly WireError[] => [
  {
    id: type,
    why: 'the errors of Bedrock',
    status,
    code,
    headers: { 'x-amzn-errortype': type },
    body: { message: 'Sorry about that.' },
  },
  {
    id: `${type}-with-address`,
    why: 'AWS adds the address of the class',
    status,
    code,
    headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
    body: { message: 'Sorry about that.' },
  },
  {
    id: `${type}-in-the-body`,
    why: 'AWS names the class in the body, with its namespace',
    status,
    code,
    body: { __type: `com.amazon.coral.service#${type}`, message: 'Sorry about that.' },
  },
])
