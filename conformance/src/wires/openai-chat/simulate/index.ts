import { invalidRequest, openaiAuthorise, openaiFaults, openaiHeaders } from '../../openai-common/openai-errors.ts'
import { failureTable } from '../../simulate/failure-table.ts'
import type { WireSimulation } from '../../simulate/wire-simulation.ts'
import { openaiShape } from './answer.ts'
import { shapedAnswers } from './answer-shape.ts'
import { check } from './check.ts'
import { chatDialects } from '../dialects/index.ts'

/** OpenAI's POST /v1/chat/completions: https://platform.openai.com/docs/api-reference/chat */
export const openaiChat: WireSimulation = {
  wire: 'openai-chat',
  basePath: '/v1',
  path: '/chat/completions',
  errorTypes: { notFound: 'invalid_request_error', server: 'server_error' },
  authorise: openaiAuthorise,
  check,
  dialects: chatDialects,
  isStream: (request) => request['stream'] === true,
  ...shapedAnswers(openaiShape),
  failure: failureTable({
    ...openaiFaults,
    'unknown-model': [
      404,
      'invalid_request_error',
      'The model `{model}` does not exist or you do not have access to it.',
      'model_not_found',
    ],
    'context-overflow': invalidRequest({
      message:
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 128210 tokens. Please reduce the length of the messages.",
      param: 'messages',
      code: 'context_length_exceeded',
    }),
  }),
  headers: openaiHeaders,
}
