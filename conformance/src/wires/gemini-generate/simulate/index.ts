import type { JsonObject, WireSimulation } from '../../simulate/wire-simulation.ts'
import { answerStream, failureStream } from './answer-stream.ts'
import { answerJson } from './answer.ts'
import { check, checkVertex } from './check.ts'
import { authorise, failure, responseHeaders } from './failures.ts'
import { errorBody } from '../../simulate/google-status.ts'
import { vertexEndpoint } from '../../simulate/vertex-endpoint.ts'

/** Google's generateContent and streamGenerateContent: https://ai.google.dev/api/generate-content */
export const geminiGenerate: WireSimulation = {
  wire: 'gemini-generate',
  basePath: '/v1beta',
  path: '/models/{model}:generateContent',
  readPath,
  errorTypes: { notFound: 'NOT_FOUND', server: 'INTERNAL' },
  authorise,
  check,
  dialects: [
    { name: 'gemini', hosts: ['generativelanguage.googleapis.com'], check },
    {
      ...vertexEndpoint({ publisher: 'google', generate: 'generateContent', stream: 'streamGenerateContent?alt=sse' }),
      name: 'vertex',
      check: checkVertex,
    },
  ],
  isStream: (request) => request['stream'] === true,
  answerJson,
  answerStream,
  failure,
  failureJson: errorBody,
  failureStream: (rejection, before, context) => failureStream(errorBody(rejection), before, context),
  errorBody,
  headers: responseHeaders,
}

/** The path names the model and the mode; without `alt=sse` the provider streams a list, which this simulator does not. */
function readPath(path: string): JsonObject | undefined {
  const found = /^\/v1beta\/models\/([^/:?]+):(generateContent|streamGenerateContent\?alt=sse)$/.exec(path)
  if (found === null) return undefined
  return { model: decodeURIComponent(found[1] ?? ''), stream: found[2] !== 'generateContent' }
}
