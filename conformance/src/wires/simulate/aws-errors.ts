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

/** What their class does not tell, or a gateway leaves out with it. */
const worded: readonly (readonly [
  id: string,
  status: number,
  type: string,
  code: AdapterErrorCode,
  message: string,
])[] = [
  ['unknown-model', 400, 'ValidationException', 'not-found', 'The provided model identifier is invalid.'],
  ['too-long', 400, 'ValidationException', 'context-overflow', 'Input is too long for requested model.'],
  ['too-many-tokens', 400, '', 'context-overflow', 'Number of input tokens exceeds maximum length.'],
  ['no-tools', 400, 'ValidationException', 'bad-request', 'This model does not support tool use.'],
  ['wrong-token', 403, '', 'authentication', 'The security token included in the request is invalid.'],
  [
    'late-signature',
    403,
    '',
    'authentication',
    'Signature expired: 20260101T000000Z is now earlier than 20260101T000500Z',
  ],
]

export const awsErrors: readonly WireError[] = [
  ...worded.map(([id, status, type, code, message]): WireError => ({
    id,
    why: 'the errors of Bedrock, by their words',
    status,
    code,
    headers: type === '' ? {} : { 'x-amzn-errortype': type },
    body: { message },
  })),
  {
    id: 'class-as-code',
    why: 'of a class the protocol says that it may stand under `code`: https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html',
    status: 400,
    code: 'rate-limit',
    body: { code: 'ThrottlingException', message: 'Sorry about that.' },
  },
  ...rows.flatMap(ofClass),
]

function ofClass([status, type, code]: (typeof rows)[number]): readonly WireError[] {
  return [
    {
      id: type,
      why: 'the errors of Bedrock',
      status,
      code,
      headers: { 'x-amzn-errortype': type, 'x-amzn-requestid': 'b0b1' },
      body: { message: 'Sorry about that.' },
      requestId: 'b0b1',
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
  ]
}
