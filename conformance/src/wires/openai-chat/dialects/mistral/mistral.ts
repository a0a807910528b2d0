import type { SimulatedDialect } from '../../../simulate/wire-simulation.ts'
import { noNameForFilters, refusalIsText, statusAlone } from '../../../no-words.ts'
import { bearerKey } from '../../simulate/bearer.ts'
import { shapedAnswers } from '../../simulate/answer-shape.ts'
import { mistralShape } from './answer.ts'
import { checkMistral } from './check.ts'
import { failure, unauthorised } from './failures.ts'

/** Mistral's POST /v1/chat/completions. */
export const mistral: SimulatedDialect = {
  name: 'mistral',
  hosts: ['api.mistral.ai'],
  check: checkMistral,
  // "Tool call id was ... but must be a-z, A-Z, 0-9, with a length of 9." (HTTP 400)
  legalId: /^[a-zA-Z0-9]{9}$/,
  noWords: {
    'cached-usage/stream': 'Streams do not say what was in the cache.',
    citations: 'Chat answers refer to sources by number only: https://docs.mistral.ai/capabilities/citations',
    'content-filter': noNameForFilters,
    'error-in-200': statusAlone,
    refusal: refusalIsText,
  },
  ...shapedAnswers(mistralShape),
  failure,
  errorTypes: { notFound: 'not_found', server: 'internal_server_error' },
  authorise: bearerKey(unauthorised),
  headers: (requestNumber) => ({
    'mistral-correlation-id': `sim-${requestNumber}`,
    'x-ratelimit-limit-tokens-minute': '500000',
    'x-ratelimit-remaining-tokens-minute': String(500_000 - 100 * requestNumber),
    'x-ratelimit-limit-req-minute': '60',
    'x-ratelimit-remaining-req-minute': String(60 - requestNumber),
  }),
}
