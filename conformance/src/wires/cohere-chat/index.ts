import { noWordForFiles, noWordForFilters, refusalIsText, statusAlone } from '../no-words.ts'
import type { WireKit } from '../wire-kit.ts'
import { cohereErrors } from './errors.ts'
import { cohereChatMutations } from './mutations.ts'
import { cohereChatQuirks } from './quirks.ts'
import { readConversation } from './read-conversation.ts'
import { readRequest } from './read-request.ts'
import { readResponse } from './read-response.ts'
import { cohereChat as simulation } from './simulate/index.ts'
import { wordsIn } from '../simulate/words.ts'

/** https://docs.cohere.com/reference/chat */
export const cohereChat: WireKit = {
  name: 'cohere-chat',
  provider: 'cohere',
  detect: {
    isEndpoint: (path) => path.endsWith('/v2/chat'),
    isPayload: (_payload, type) => /^(message|content)-(start|delta)$/.test(type),
    recordedAs: ['cohere'],
  },
  simulation,
  readRequest,
  readResponse,
  readConversation,
  framing: { named: true, begins: ({ type }) => type === 'message-start' },
  isTerminal: ({ type }) => type === 'message-end',
  // The members of a source are those of the caller's document, or of what a tool gave.
  freedom: { open: ['.document', '.tool_output'], plain: [] },
  samples: { options: { safety_mode: 'CONTEXTUAL' } },
  errors: cohereErrors,
  mutations: cohereChatMutations,
  quirks: cohereChatQuirks,
  noWords: {
    'content-filter': noWordForFilters,
    'error-mid-stream': statusAlone,
    'file-from-model': noWordForFiles,
    guardrail: noWordForFilters,
    'reasoning-sealed': 'Thoughts are texts.',
    refusal: refusalIsText,
  },
  shownOnTraffic: wordsIn(`
    instructions-and-settings no-arguments no-tools parallel-calls reasoning-text single-call text-only
    three-turn tool-choice-required
  `),
  usualUrl: () => 'https://api.cohere.com/v2/chat',
  question: ({ model, system, user, isStream }) => ({
    model,
    stream: isStream,
    messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), { role: 'user', content: user }],
  }),
}
