import { azureDialect } from '../openai-common/azure-dialect.ts'
import { oneWordForFilters } from '../no-words.ts'
import { schemaForms } from '../variants/schema-forms.ts'
import type { WireKit, StoredObject } from '../wire-kit.ts'
import { openaiResponsesErrors } from './errors.ts'
import { openaiResponsesForms } from './form-quirks.ts'
import { openaiResponsesItems } from './item-quirks.ts'
import { openaiResponsesMutations } from './mutations.ts'
import { openaiResponsesQuirks } from './quirks.ts'
import { readConversation } from './read-conversation.ts'
import { readRequest } from './read-request.ts'
import { readResponse } from './read-response.ts'
import { openaiResponses as simulation } from './simulate/index.ts'
import { wordsIn } from '../simulate/words.ts'
import type { Exchange } from '@steploop/cassette'
import { objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { parsed } from '../../json.ts'

/** https://platform.openai.com/docs/api-reference/responses */
export const openaiResponses: WireKit = {
  name: 'openai-responses',
  provider: 'openai',
  detect: {
    // A gateway may have `responses` before the path of another format.
    isEndpoint: (path) => /\/responses(?!.*\/chat\/completions$)(\/[^/]+)*$/.test(path),
    // `/responses/<id>`, `/responses/compact`
    isPart: (path) => /\/responses\/[^/]+/.test(path) && !path.endsWith('/responses'),
    isPayload: ({ object }, type) => /^response\.[a-z]/.test(type) || object === 'response',
  },
  simulation,
  readRequest,
  readResponse,
  readConversation,
  framing: { named: true, begins: ({ type }) => type === 'response.created' },
  isTerminal: ({ type }) => /^response\.(completed|incomplete|failed)$/.test(type),
  samples: {
    options: { metadata: { ticket: 'Zürich-東京-42' } },
    providerTools: {
      web_search: { type: 'web_search' },
      code_interpreter: { type: 'code_interpreter', container: { type: 'auto' } },
    },
    cacheOptions: { prompt_cache_key: 'Zürich-東京-42' },
  },
  legalId: /^[a-zA-Z0-9_-]{1,64}$/,
  errors: openaiResponsesErrors,
  mutations: openaiResponsesMutations,
  quirks: [
    azureDialect,
    ...openaiResponsesQuirks,
    ...openaiResponsesItems,
    ...openaiResponsesForms,
    schemaForms('responses-schema-forms', ['openai-responses/in-full']),
  ],
  noWords: {
    'file-from-model': 'An image is what a tool of the provider gives, not a part of the answer.',
    guardrail: oneWordForFilters,
  },
  shownOnTraffic: wordsIn(`
    branch continuation five-turn image-input instructions-and-settings nested-arguments no-arguments no-tools
    parallel-calls parallel-same-tool provider-tool reasoning-replay reasoning-text repeated-call single-call
    structured structured-with-tools text-only text-then-call three-turn tool-choice-named tool-choice-required
    tool-output-only unknown-tool
  `),
  storedObject,
  usualUrl: ({ base }) => `${base}/responses`,
  question: ({ model, system, user, isStream }) => ({
    model,
    ...(system !== undefined && { instructions: system }),
    input: user,
    ...(isStream && { stream: true }),
  }),
}

/**
 * The response that a provider of the Responses API keeps: unless it was asked for with `store: false`. It is kept for 30 days
 * unless it is deleted (https://platform.openai.com/docs/api-reference/responses/delete; xAI: https://docs.x.ai/docs/api-reference).
 * A stream that was cut has said its id in the first event.
 */
function storedObject({ request, response }: Exchange, payloads: readonly JsonObject[]): StoredObject | undefined {
  const url = new URL(request.url)
  const isKept = objectOf(parsed(new TextDecoder().decode(request.body)))['store'] !== false
  if (request.method !== 'POST' || !url.pathname.endsWith('/responses') || response.status !== 200 || !isKept)
    return undefined
  const id = payloads.map((payload) => textOf(objectOf(payload['response'])['id'] ?? payload['id'])).find(Boolean)
  return id === undefined
    ? undefined
    : { id, url: `${url.origin}${url.pathname}/${encodeURIComponent(id)}${url.search}` }
}
