import {
  invalidRequest,
  openaiAuthorise,
  openaiErrorBody,
  openaiFaults,
  openaiHeaders,
} from '../../openai-common/openai-errors.ts'
import { failureTable } from '../../simulate/failure-table.ts'
import type { WireSimulation } from '../../simulate/wire-simulation.ts'
import { answerStream, failedResponse, failureStream } from './answer-stream.ts'
import { answerJson } from './answer.ts'
import { check } from './check.ts'
import { responsesDialects } from '../dialects/index.ts'
import { remember } from './remember.ts'

/** OpenAI's POST /v1/responses: https://platform.openai.com/docs/api-reference/responses */
export const openaiResponses: WireSimulation = {
  wire: 'openai-responses',
  basePath: '/v1',
  path: '/responses',
  errorTypes: { notFound: 'invalid_request_error', server: 'server_error' },
  authorise: openaiAuthorise,
  check,
  dialects: responsesDialects,
  isStream: (request) => request['stream'] === true,
  answerJson,
  answerStream,
  failure: failureTable({
    ...openaiFaults,
    // A model that does not exist is a 404 at Chat Completions and a 400 here (docs/wire.md#the-status-of-an-unknown-model).
    'unknown-model': invalidRequest({
      message: "The requested model '{model}' does not exist.",
      param: 'model',
      code: 'model_not_found',
    }),
    'context-overflow': invalidRequest({
      message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
      param: 'input',
      code: 'context_length_exceeded',
    }),
  }),
  failureJson: (rejection, context) => failedResponse(rejection, context, []),
  failureStream,
  errorBody: (rejection) => openaiErrorBody(rejection),
  headers: openaiHeaders,
  remember,
}
