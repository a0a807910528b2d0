import type { SimulatedDialect } from '../../../simulate/wire-simulation.ts'
import { noNameForFilters, refusalIsText, statusAlone } from '../../../no-words.ts'
import { groqErrors } from '../errors.ts'
import { bearerKey } from '../../simulate/bearer.ts'
import { shapedAnswers } from '../../simulate/answer-shape.ts'
import { groqShape } from './answer.ts'
import { checkGroq } from './check.ts'
import { failure, invalidKey } from './failures.ts'
import { withhold } from './withhold.ts'

/** Groq's POST /openai/v1/chat/completions. */
export const groq: SimulatedDialect = {
  name: 'groq',
  hosts: ['api.groq.com'],
  check: checkGroq,
  noWords: {
    citations: 'Answers of Groq’s models name no sources: https://console.groq.com/docs/api-reference#chat',
    'content-filter': noNameForFilters,
    'error-in-200/generate': statusAlone,
    refusal: refusalIsText,
    'unparsable-arguments':
      'Groq answers such a call with 400 `tool_use_failed` itself (docs/wire.md#errors-inside-a-200).',
  },
  ...shapedAnswers(groqShape),
  withhold,
  failure,
  errors: groqErrors,
  errorTypes: { notFound: 'invalid_request_error', server: 'internal_server_error' },
  authorise: bearerKey(invalidKey),
  headers: (requestNumber) => ({
    'x-ratelimit-limit-requests': '14400',
    'x-ratelimit-limit-tokens': '12000',
    'x-ratelimit-remaining-requests': String(14_400 - requestNumber),
    'x-ratelimit-remaining-tokens': String(12_000 - 100 * requestNumber),
    'x-ratelimit-reset-requests': '6s',
    'x-ratelimit-reset-tokens': '7.66s',
    'x-request-id': `req_sim${String(requestNumber).padStart(3, '0')}`,
  }),
}
