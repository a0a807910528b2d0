import { isObject } from '@steploop/core/adapter'
import { inputsAreObjects, noWordForFiles, noWordForFilters, refusalIsText, wholeCalls } from '../no-words.ts'
import type { WireKit } from '../wire-kit.ts'
import { ollamaErrors } from './errors.ts'
import { eventLabels } from './event-labels.ts'
import { ollamaChatMutations } from './mutations.ts'
import { ollamaChatQuirks } from './quirks.ts'
import { readConversation } from './read-conversation.ts'
import { readRequest } from './read-request.ts'
import { readResponse } from './read-response.ts'
import { ollamaChat as simulation } from './simulate/index.ts'

/** https://docs.ollama.com/api/chat */
export const ollamaChat: WireKit = {
  name: 'ollama-chat',
  provider: 'ollama',
  detect: {
    isEndpoint: (path) => path.endsWith('/api/chat'),
    isPayload: ({ done, message }) => typeof done === 'boolean' && isObject(message),
  },
  simulation,
  readRequest,
  readResponse,
  readConversation,
  framing: { named: false, lines: true },
  isTerminal: ({ payload }) => payload['done'] === true,
  eventLabels,
  freedom: { open: ['.arguments'], plain: ['.error'] },
  samples: { options: { keep_alive: '10m', num_ctx: 8192 } },
  errors: ollamaErrors,
  mutations: ollamaChatMutations,
  quirks: ollamaChatQuirks,
  noWords: {
    'cached-usage': 'The server does not say what it had in its cache: https://docs.ollama.com/api/chat',
    citations: 'The server names no sources: https://docs.ollama.com/api/chat',
    'content-filter': noWordForFilters,
    'file-from-model': noWordForFiles,
    guardrail: noWordForFilters,
    'reasoning-sealed': 'Thoughts are texts.',
    refusal: refusalIsText,
    'truncated-call': wholeCalls,
    'unparsable-arguments': inputsAreObjects,
  },
  shownOnTraffic: [
    'instructions-and-settings',
    'parallel-same-tool',
    'reasoning-text',
    'repeated-call',
    'single-call',
    'text-only',
    'text-then-call',
  ],
  usualUrl: () => 'http://localhost:11434/api/chat',
}
