import type { SimulatedDialect } from '../../../simulate/wire-simulation.ts'
import { refusalIsText } from '../../../no-words.ts'
import { deepseekErrors } from '../errors.ts'
import { bearerKey } from '../../simulate/bearer.ts'
import { shapedAnswers } from '../../simulate/answer-shape.ts'
import { deepseekShape } from './answer.ts'
import { checkDeepSeek } from './check.ts'
import { failure, invalidKey } from './failures.ts'

/** DeepSeek's POST /chat/completions. */
export const deepseek: SimulatedDialect = {
  name: 'deepseek',
  hosts: ['api.deepseek.com'],
  check: checkDeepSeek,
  noWords: {
    citations: 'DeepSeek names no sources: https://api-docs.deepseek.com/api/create-chat-completion',
    refusal: refusalIsText,
  },
  ...shapedAnswers(deepseekShape),
  failure,
  errors: deepseekErrors,
  errorTypes: { notFound: 'invalid_request_error', server: 'server_error' },
  authorise: bearerKey(invalidKey),
  headers: (requestNumber) => ({ 'x-ds-trace-id': `sim${requestNumber}` }),
}
