import { arrayOf, objectOf } from '@steploop/core/adapter'
import { noWordForFiles, oneWordForFilters } from '../no-words.ts'
import { isWord } from '../read/payload.ts'
import { commonFreedom } from '../read/payload-types.ts'
import { schemaForms } from '../variants/schema-forms.ts'
import type { WireKit } from '../wire-kit.ts'
import { openaiChatErrors } from './errors.ts'
import { callFragments } from './call-fragments.ts'
import { callIdShapes } from './call-id-shapes.ts'
import { groqToolUseFailed } from './dialects/groq/tool-use-failed.ts'
import { eventLabels } from './event-labels.ts'
import { openaiChatMutations } from './mutations.ts'
import { chatProviderQuirks } from './provider-quirks.ts'
import { compatibleChatQuirks } from './quirks.ts'
import { readConversation } from './read-conversation.ts'
import { readRequest } from './read-request.ts'
import { readResponse } from './read-response.ts'
import { openaiChat as simulation } from './simulate/index.ts'
import { wordsIn } from '../simulate/words.ts'

const noneReported =
  'Chat Completions has no words for what the provider ran: an answer may name its sources, and nothing else is told.'

/** https://platform.openai.com/docs/api-reference/chat */
export const openaiChat: WireKit = {
  name: 'openai-chat',
  detect: {
    isEndpoint: (path) => path.endsWith('/chat/completions'),
    isPayload: ({ choices }) => Array.isArray(choices),
    recordedAs: ['deepseek', 'groq', 'mistral', 'ollama', 'openrouter', 'other-chat-compatible', 'xai'],
  },
  simulation,
  readRequest,
  readResponse,
  readConversation,
  framing: { named: false, last: '[DONE]' },
  isTerminal: ({ data, payload }) =>
    data.trim() === '[DONE]' || arrayOf(payload['choices']).some((choice) => isWord(objectOf(choice)['finish_reason'])),
  eventLabels,
  // Errors of Mistral are flat: the `type` of a whole body makes no kind of its own.
  freedom: { ...commonFreedom, plain: [...commonFreedom.plain, 'json', 'stream', 'error'] },
  samples: {
    options: { metadata: { ticket: 'Zürich-東京-42' } },
    // What OpenRouter hands on to those of its upstreams that want a switch: https://openrouter.ai/docs/features/prompt-caching
    cacheOptions: { cache_control: { type: 'ephemeral' } },
  },
  // "string too long. Expected a string with maximum length 40" (HTTP 400)
  legalId: /^[a-zA-Z0-9_-]{1,40}$/,
  errors: openaiChatErrors,
  mutations: openaiChatMutations,
  callFragments,
  quirks: [
    ...chatProviderQuirks,
    groqToolUseFailed,
    ...compatibleChatQuirks,
    callIdShapes,
    schemaForms('chat-schema-forms', ['openai-chat/any-server']),
  ],
  noWords: {
    'file-from-model': noWordForFiles,
    guardrail: oneWordForFilters,
    'provider-tool': noneReported,
    'provider-tool-fails': noneReported,
    'reasoning-sealed': 'Thoughts are texts, or not there.',
  },
  shownOnTraffic: wordsIn(`
    branch file-input five-turn image-input instructions-and-settings nested-arguments no-arguments no-tools
    parallel-calls parallel-same-tool pause-turn prompt-cache reasoning-replay reasoning-text repeated-call
    single-call structured structured-with-tools text-only text-then-call three-turn tool-choice-named
    tool-choice-required
  `),
  usualUrl: ({ base }) => `${base}/chat/completions`,
  question: ({ model, system, user, isStream }) => ({
    model,
    messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), { role: 'user', content: user }],
    ...(isStream && { stream: true, stream_options: { include_usage: true } }),
  }),
}
