import type { SimulatedDialect } from '../../../simulate/wire-simulation.ts'
import { bearerKey } from '../../simulate/bearer.ts'
import { speakWith } from '../../simulate/chat-voice.ts'
import { mistralVoice } from './answer.ts'
import { checkMistral } from './check.ts'
import { failure, unauthorised } from './failures.ts'

/** Mistral's POST /v1/chat/completions. */
export const mistral: SimulatedDialect = {
  name: 'mistral',
  hosts: ['api.mistral.ai'],
  check: checkMistral,
  ...speakWith(mistralVoice),
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
