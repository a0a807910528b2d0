import type { WireSimulation } from '../../simulate/wire-simulation.ts'
import { answerJson, answerStream, failureStream } from './answer.ts'
import { check } from './check.ts'
import { authorise, errorBody, failure } from './failures.ts'

/** Amazon Bedrock's Converse, as Claude answers there: the reference, the types of the SDK, and 234 recorded turns. */
export const bedrockConverse: WireSimulation = {
  wire: 'bedrock-converse',
  basePath: '',
  path: '/model/{model}/converse',
  readPath(path) {
    const [, model, suffix] = /^\/model\/([^/]+)\/converse(-stream)?$/.exec(path) ?? []
    return model === undefined ? undefined : { model: decodeURIComponent(model), stream: suffix !== undefined }
  },
  streamType: 'application/vnd.amazon.eventstream',
  errorTypes: { notFound: 'UnknownOperationException', server: 'InternalServerException' },
  authorise,
  check,
  dialects: [{ name: 'bedrock', hosts: ['amazonaws.com'], check }],
  isStream: (request) => request['stream'] === true,
  answerJson,
  answerStream,
  failure,
  failureJson: errorBody,
  failureStream,
  errorBody,
  headers: (requestNumber) => ({
    'x-amzn-requestid': `20000000-0000-4000-8000-${String(requestNumber).padStart(12, '0')}`,
  }),
}
