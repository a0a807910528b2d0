import { isObject } from '@steploop/core/adapter'
import { inputsAreObjects, noWordForFiles, oneWordForFilters, refusalIsFiltered } from '../no-words.ts'
import { schemaForms } from '../variants/schema-forms.ts'
import type { WireKit } from '../wire-kit.ts'
import { anthropicErrors } from './errors.ts'
import { anthropicMessagesMutations } from './mutations.ts'
import { anthropicMessagesForms } from './form-quirks.ts'
import { anthropicMessagesQuirks } from './quirks.ts'
import { readConversation } from './read-conversation.ts'
import { readRequest } from './read-request.ts'
import { readResponse } from './read-response.ts'
import { anthropicMessages as simulation } from './simulate/index.ts'
import { wordsIn } from '../simulate/words.ts'

/** https://docs.claude.com/en/api/messages */
export const anthropicMessages: WireKit = {
  name: 'anthropic-messages',
  provider: 'anthropic',
  detect: {
    // The path is one that anybody's own format may have. On Bedrock and Vertex it is another, and a member of the body tells it.
    isEndpoint: (path, body) =>
      (path.endsWith('/messages') && (!isObject(body) || 'messages' in body)) ||
      (/\/invoke(-with-response-stream)?$|:(streamR|r)awPredict$/.test(path) &&
        isObject(body) &&
        'anthropic_version' in body),
    asksForStream: (path) => path.endsWith('/invoke-with-response-stream'),
    modelOf: (url) => {
      const model = /\/models?\/([^/]+?)(?:\/invoke|:(?:streamR|r)awPredict)/.exec(url)?.[1]
      return model === undefined ? undefined : decodeURIComponent(model)
    },
    isPayload: ({ content }, type) =>
      /^(message_start|content_block_)/.test(type) || (type === 'message' && Array.isArray(content)),
    recordedAs: ['anthropic'],
  },
  simulation,
  readRequest,
  readResponse,
  readConversation,
  framing: { named: true, begins: ({ type }) => type === 'message_start' },
  isTerminal: ({ type }) => type === 'message_stop',
  samples: {
    options: { metadata: { user_id: 'kunde-zürich-42' } },
    rider: 'direct',
    providerTools: {
      web_search: { type: 'web_search_20250305', name: 'web_search' },
      code_execution: { type: 'code_execution_20250825', name: 'code_execution' },
    },
    cacheOptions: { cacheControl: { system: true, tools: true, messages: true } },
  },
  // "String should match pattern '^[a-zA-Z0-9_-]+$'" (HTTP 400)
  legalId: /^[a-zA-Z0-9_-]+$/,
  errors: anthropicErrors,
  mutations: anthropicMessagesMutations,
  quirks: [
    ...anthropicMessagesQuirks,
    ...anthropicMessagesForms,
    schemaForms('anthropic-schema-forms', ['anthropic-messages/in-full']),
  ],
  noWords: {
    'file-from-model': noWordForFiles,
    guardrail: oneWordForFilters,
    refusal: refusalIsFiltered,
    'unparsable-arguments/generate': inputsAreObjects,
  },
  shownOnTraffic: wordsIn(`
    branch image-in-result image-input instructions-and-settings nested-arguments no-arguments no-tools
    parallel-calls parallel-same-tool pause-turn prompt-cache provider-tool reasoning-replay reasoning-text
    repeated-call single-call structured structured-with-tools text-only text-then-call three-turn
    tool-choice-required
  `),
  usualUrl: () => 'https://api.anthropic.com/v1/messages',
  question: ({ model, system, user, isStream }) => ({
    model,
    max_tokens: 4096,
    ...(system !== undefined && { system }),
    messages: [{ role: 'user', content: user }],
    ...(isStream && { stream: true }),
  }),
}
