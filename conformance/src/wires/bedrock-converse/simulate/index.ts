import { awsEndpoint } from '../../simulate/aws-endpoint.ts'
import type { WireSimulation } from '../../simulate/wire-simulation.ts'
import { answerJson, answerStream, failureStream } from './answer.ts'
import { check } from './check.ts'

/** Amazon Bedrock's Converse, as Claude answers there: the reference, the types of the SDK, and 234 recorded turns. */
export const bedrockConverse: WireSimulation = {
  ...awsEndpoint,
  wire: 'bedrock-converse',
  path: '/model/{model}/converse',
  readPath(path) {
    const [, model, suffix] = /^\/model\/([^/]+)\/converse(-stream)?$/.exec(path) ?? []
    return model === undefined ? undefined : { model: decodeURIComponent(model), stream: suffix !== undefined }
  },
  check,
  dialects: [{ name: 'bedrock', hosts: awsEndpoint.hosts, check }],
  isStream: (request) => request['stream'] === true,
  answerJson,
  answerStream,
  failureStream,
}
