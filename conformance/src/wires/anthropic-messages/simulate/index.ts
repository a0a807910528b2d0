import type { WireSimulation } from '../../simulate/wire-simulation.ts'
import { answerStream, failureStream } from './answer-stream.ts'
import { answerJson } from './answer.ts'
import { check } from './check.ts'
import { authorise, errorBody, failure, responseHeaders } from './failures.ts'
import { onBedrock } from './on-bedrock.ts'
import { onVertex } from './on-vertex.ts'

/** Anthropic's POST /v1/messages: https://docs.claude.com/en/api/messages */
export const anthropicMessages: WireSimulation = {
  wire: 'anthropic-messages',
  basePath: '/v1',
  path: '/messages',
  errorTypes: { notFound: 'not_found_error', server: 'api_error' },
  authorise,
  check,
  dialects: [{ name: 'anthropic', hosts: ['api.anthropic.com'], check }, onVertex, onBedrock],
  isStream: (request) => request['stream'] === true,
  answerJson,
  answerStream,
  failure,
  failureJson: (rejection, context) => errorBody(rejection, context.turn),
  failureStream: (rejection, before, context) => failureStream(errorBody(rejection, context.turn), before, context),
  errorBody,
  headers: responseHeaders,
}
