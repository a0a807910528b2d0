import { createAnthropic } from '@ai-sdk/anthropic'
import { createDeepSeek } from '@ai-sdk/deepseek'
import { createGoogle } from '@ai-sdk/google'
import { createGroq } from '@ai-sdk/groq'
import { createMistral } from '@ai-sdk/mistral'
import { createOpenResponses } from '@ai-sdk/open-responses'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createXai } from '@ai-sdk/xai'
import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import type { Adapter, Capabilities, ToolDefinition, TurnRequest } from '@steploop/core/adapter'
import { fromLanguageModel, type AiSdkModel } from './src/index.ts'

/** What the harness gives each factory: always a `fetch` and a key that is no secret, perhaps a model. */
interface Given {
  readonly fetch?: typeof fetch | undefined
  readonly apiKey?: string | undefined
  readonly model?: string | undefined
  /** A server that stands for the provider. */
  readonly baseURL?: string | undefined
}

interface Settings {
  readonly fetch: typeof fetch
  readonly apiKey: string
}

type Limits = Readonly<Partial<Record<keyof Capabilities, string>>>

const noNative = 'the interface does not say which models have native JSON output, so a tool asks for the object'

/** What the AI SDK's language model interface has no words for: https://ai-sdk.dev/providers/community-providers/custom-providers */
const interfaceLimits: Limits = {
  continuation: 'the interface has no response id to go on from',
  structured: noNative,
  structuredWithTools: noNative,
  pause: 'only Anthropic pauses turns (docs/wire.md#anthropic-stop-reasons)',
}

interface Description {
  /** Name of the package without its scope. */
  readonly name: string
  readonly wire: string
  readonly model: string
  readonly baseURL: string
  readonly make: (settings: Settings, model: string) => AiSdkModel
  /** Hosts whose recorded traffic the package decodes; without, all others of the wire format. */
  readonly hosts?: readonly string[]
  /** Options of every request, in the package's own namespace. */
  readonly options?: Readonly<Record<string, unknown>>
  /** Ids in the AI SDK of the tools that the suite declares by the wire format's words, by name. */
  readonly toolIds?: Readonly<Record<string, string>>
  /** What the package cannot do. */
  readonly capabilities?: Capabilities
  /** Why the package or its provider lacks a capability; what the interface of the AI SDK lacks is said for all. */
  readonly limits?: Limits
  readonly noWordsFor?: Readonly<Record<string, string>>
  /** Legal options for the scenario `provider-options`, by the names that the body has. */
  readonly sampleOptions?: Readonly<Record<string, unknown>>
  /** Options that turn the prompt cache on, by the package's names, for the scenario `prompt-cache`. */
  readonly cacheOptions?: Readonly<Record<string, unknown>>
}

/** What no package has words for. */
const wordless = {
  'odd-tool-names': 'The packages send names of tools as they are given.',
  refusal: 'The interface has no part for a refusal.',
}

/** In results the package writes images as JSON into the text. */
const imagesAsText = { 'image-alone': 'The package writes the images of results as JSON into their text.' }

/** A plain object on purpose: an adapter package knows nothing of the conformance suite, which checks what it loads. */
function subject({
  name,
  make,
  options = {},
  toolIds = {},
  capabilities,
  limits = {},
  noWordsFor,
  ...rest
}: Description) {
  const provider = `ai-sdk-${name}`
  return {
    ...rest,
    name: provider,
    limits: { ...interfaceLimits, ...limits },
    noWordsFor: { ...wordless, ...noWordsFor },
    cassettes: new URL(`../../../cassettes/${provider}/`, import.meta.url),
    adapter({ fetch: given = fetch, apiKey = 'none', model = rest.model, baseURL = rest.baseURL }: Given): Adapter {
      const send = sendingTo(given, rest.baseURL, baseURL)
      // A warning, so that reports tell cuts that the package took for an end from those that it noticed.
      const adapter = fromLanguageModel(make({ fetch: send, apiKey }, model), {
        provider,
        capabilities,
        unprovenEnd: 'warning',
        secrets: [apiKey],
      })
      return { ...adapter, turn: (request, context) => adapter.turn(inWordsOfPackage(request), context) }
    },
  }

  function inWordsOfPackage(request: TurnRequest): TurnRequest {
    const own = { ...options, ...request.providerOptions?.[provider] }
    const tools = request.tools?.map((tool) => withToolId(tool, toolIds))
    return { ...request, ...(tools && { tools }), providerOptions: { ...request.providerOptions, [provider]: own } }
  }
}

/** The packages keep their own addresses: what goes there is sent to the other one. */
function sendingTo(send: typeof fetch, from: string, to: string): typeof fetch {
  if (from === to) return send
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    return send(url.startsWith(from) ? to + url.slice(from.length) : url, init)
  }
}

function withToolId(tool: ToolDefinition, ids: Readonly<Record<string, string>>): ToolDefinition {
  const id = ids[tool.name]
  return tool.type === 'function' || id === undefined ? tool : { ...tool, definition: { id, args: {} } }
}

const openai = subject({
  name: 'openai',
  wire: 'openai-responses',
  model: 'gpt-5-mini',
  baseURL: 'https://api.openai.com/v1',
  make: (settings, model) => createOpenAI(settings).responses(model),
  hosts: ['api.openai.com', 'openai.azure.com'],
  // With the package's default, `store: true`, it sends references to items in place of encrypted reasoning.
  options: { store: false },
  toolIds: { web_search: 'openai.web_search', code_interpreter: 'openai.code_interpreter' },
  sampleOptions: { metadata: { run: 'conformance' } },
  cacheOptions: { promptCacheKey: 'conformance' },
  noWordsFor: {
    'provider-tool#warns-in-need': 'The package warns of results that the API does not take without `store`.',
    'provider-tool-fails#failure-reported': 'The package leaves the status of a code interpreter out of its result.',
    'responses-queued-first#told-as-sent': 'The package learns of the model from `response.created` alone.',
    'responses-empty-reasoning#replayed-as-it-was':
      'The package leaves reasoning without a summary out of the history.',
    'responses-answer-forms': 'The package refuses items and parts of kinds that it does not know.',
    'responses-call-forms': 'The package tells items by their `output_index` alone, and takes arguments as text alone.',
  },
})

const openaiChat = subject({
  name: 'openai-chat',
  wire: 'openai-chat',
  model: 'gpt-4.1-mini',
  baseURL: 'https://api.openai.com/v1',
  make: (settings, model) => createOpenAI(settings).chat(model),
  capabilities: { reasoning: false, reasoningReplay: false },
  limits: {
    reasoning: 'Chat Completions keeps its reasoning to itself: https://platform.openai.com/docs/guides/reasoning',
    reasoningReplay:
      'Chat Completions keeps its reasoning to itself: https://platform.openai.com/docs/guides/reasoning',
  },
  hosts: ['api.openai.com', 'openai.azure.com'],
  sampleOptions: { user: 'conformance' },
  cacheOptions: { promptCacheKey: 'conformance' },
  noWordsFor: imagesAsText,
})

const anthropic = subject({
  name: 'anthropic',
  wire: 'anthropic-messages',
  model: 'claude-sonnet-4-5',
  baseURL: 'https://api.anthropic.com/v1',
  make: (settings, model) => createAnthropic(settings)(model),
  toolIds: { web_search: 'anthropic.web_search_20250305', code_execution: 'anthropic.code_execution_20250825' },
  sampleOptions: { speed: 'standard' },
  cacheOptions: { cacheControl: { type: 'ephemeral' } },
  noWordsFor: {
    'anthropic-opaque-block': 'The interface has no part for blocks that it does not know.',
    'anthropic-answer-forms': 'The package refuses blocks of kinds that it does not know.',
    'anthropic-call-forms':
      'The package takes calls with a block of their own that begins and stops, and input as an object.',
  },
})

const google = subject({
  name: 'google',
  wire: 'gemini-generate',
  model: 'gemini-3-flash-preview',
  baseURL: 'https://generativelanguage.googleapis.com/v1beta',
  make: (settings, model) => createGoogle(settings)(model),
  // Without it the API keeps its thoughts to itself.
  options: { thinkingConfig: { includeThoughts: true } },
  toolIds: { google_search: 'google.google_search', code_execution: 'google.code_execution' },
  capabilities: { cacheControl: false },
  limits: {
    cacheControl: 'caches are objects with a life of their own: https://ai.google.dev/gemini-api/docs/caching',
  },
  noWordsFor: {
    'system-messages': 'The package refuses system messages amid a conversation.',
    'gemini-answer-forms': 'The package tells calls that servers of Gemini have answered as calls of the application.',
    'foreign-history':
      'The package wraps results of calls that it gave no signature to into an object with the name of the tool.',
    'tool-output-only#warns-in-need': 'The package warns of calls of another model, which have no signature.',
    '*#told-as-sent': 'The package does not say which model answered.',
    'file-input#file-named': 'The package sends data and type of a file alone.',
  },
})

const groq = subject({
  name: 'groq',
  wire: 'openai-chat',
  // It reasons by degrees; Qwen 3 does not, and the package would send it the degree all the same.
  model: 'openai/gpt-oss-120b',
  baseURL: 'https://api.groq.com/openai/v1',
  make: (settings, model) => createGroq(settings)(model),
  capabilities: { fileInput: false, cacheControl: false },
  limits: {
    fileInput: 'images are the only files of messages: https://console.groq.com/docs/vision',
    cacheControl: 'caching is automatic: https://console.groq.com/docs/prompt-caching',
  },
  hosts: ['api.groq.com'],
  sampleOptions: { user: 'conformance' },
  noWordsFor: imagesAsText,
})

const mistral = subject({
  name: 'mistral',
  wire: 'openai-chat',
  model: 'mistral-small-latest',
  baseURL: 'https://api.mistral.ai/v1',
  make: (settings, model) => createMistral(settings)(model),
  capabilities: { cacheControl: false },
  limits: { cacheControl: 'the API has no switches for its cache: https://docs.mistral.ai/api/endpoint/chat' },
  noWordsFor: {
    ...imagesAsText,
    'rate-limited#waits': 'A refusal for too many requests does not say when to come back.',
    'reasoning-text#reasoning-tokens':
      'Mistral counts thoughts and answer as one: https://docs.mistral.ai/api/endpoint/chat',
    'file-input#file-named': 'The package sends data and type of a file alone.',
  },
  hosts: ['api.mistral.ai'],
})

const deepseek = subject({
  name: 'deepseek',
  wire: 'openai-chat',
  model: 'deepseek-chat',
  baseURL: 'https://api.deepseek.com',
  make: (settings, model) => createDeepSeek(settings)(model),
  hosts: ['api.deepseek.com'],
})

const xai = subject({
  name: 'xai',
  wire: 'openai-responses',
  model: 'grok-4',
  baseURL: 'https://api.x.ai/v1',
  make: (settings, model) => createXai(settings).responses(model),
  hosts: ['api.x.ai'],
})

const openrouter = subject({
  name: 'openrouter',
  wire: 'openai-chat',
  model: 'openai/gpt-5-mini',
  baseURL: 'https://openrouter.ai/api/v1',
  make: (settings, model) => createOpenRouter(settings).chat(model),
  hosts: ['openrouter.ai'],
})

const openResponses = subject({
  name: 'open-responses',
  wire: 'openai-responses',
  model: 'responses-model',
  baseURL: 'https://chat.example.com/v1',
  make: (settings, model) =>
    createOpenResponses({ ...settings, name: 'open-responses', url: 'https://chat.example.com/v1/responses' })(model),
})

const openaiCompatible = subject({
  name: 'openai-compatible',
  wire: 'openai-chat',
  model: 'chat-model',
  baseURL: 'https://chat.example.com/v1',
  make: (settings, model) =>
    createOpenAICompatible({
      ...settings,
      name: 'openai-compatible',
      baseURL: 'https://chat.example.com/v1',
      includeUsage: true,
    })(model),
})

/** AI SDK packages as subjects of `steploop traffic`; those of `conformance.config.ts` have cassettes too. */
export const recorded = [openai, openaiChat, anthropic, google, groq, mistral]

export default { subjects: [...recorded, deepseek, xai, openrouter, openResponses, openaiCompatible] }
