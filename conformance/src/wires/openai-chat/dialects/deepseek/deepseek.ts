import type { SimulatedDialect } from '../../../simulate/wire-simulation.ts'
import { bearerKey } from '../../simulate/bearer.ts'
import { speakWith } from '../../simulate/chat-voice.ts'
import { deepseekVoice } from './answer.ts'
import { checkDeepSeek } from './check.ts'
import { failure, invalidKey } from './failures.ts'

/** DeepSeek's POST /chat/completions. */
export const deepseek: SimulatedDialect = {
  name: 'deepseek',
  hosts: ['api.deepseek.com'],
  check: checkDeepSeek,
  ...speakWith(deepseekVoice),
  failure,
  errorTypes: { notFound: 'invalid_request_error', server: 'server_error' },
  authorise: bearerKey(invalidKey),
  headers: (requestNumber) => ({ 'x-ds-trace-id': `sim${requestNumber}` }),
}
