import type { WireSimulation } from '../../simulate/wire-simulation.ts'
import { answerJson, answerStream, failureStream } from './answer.ts'
import { check } from './check.ts'
import { authorise, errorBody, failure } from './failures.ts'

/** Cohere's POST /v2/chat: https://docs.cohere.com/reference/chat, and 86 recorded turns. */
export const cohereChat: WireSimulation = {
  wire: 'cohere-chat',
  basePath: '/v2',
  path: '/chat',
  streamType: 'text/event-stream',
  errorTypes: { notFound: '', server: '' },
  authorise,
  check,
  dialects: [{ name: 'cohere', hosts: ['api.cohere.com'], check }],
  isStream: (request) => request['stream'] === true,
  answerJson,
  answerStream,
  failure,
  failureJson: (rejection, context) => errorBody(rejection, context.turn),
  failureStream: (rejection, before, context) => failureStream(rejection.message, before, context),
  errorBody,
  headers: () => ({ 'cache-control': 'no-cache, no-store, no-transform, must-revalidate, private, max-age=0' }),
}
