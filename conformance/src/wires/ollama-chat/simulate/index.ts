import type { WireSimulation } from '../../simulate/wire-simulation.ts'
import { answerJson, answerStream, failureStream } from './answer.ts'
import { check } from './check.ts'
import { authorise, errorBody, failure } from './failures.ts'

/**
 * Ollama's POST /api/chat: https://docs.ollama.com/api/chat. Written from the documentation, from the types of the package `ollama`, and
 * from what the server itself does with a request; no exchange with a real server was recorded.
 */
export const ollamaChat: WireSimulation = {
  wire: 'ollama-chat',
  basePath: '',
  path: '/api/chat',
  streamType: 'application/x-ndjson',
  errorTypes: { notFound: 'server', server: 'server' },
  authorise,
  check,
  dialects: [{ name: 'ollama', hosts: ['localhost:11434', 'ollama.com'], check }],
  // Unlike everybody else, the server streams unless it is told not to.
  isStream: (request) => request['stream'] !== false,
  answerJson,
  answerStream,
  failure,
  failureJson: errorBody,
  failureStream: (rejection, before, context) => failureStream(errorBody(rejection), before, context),
  errorBody,
  // It sends nothing beside content type, length and date.
  headers: () => ({}),
}
