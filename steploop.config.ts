import { createAnthropic } from '@steploop/anthropic'
import { defineSubject } from '@steploop/conformance'
import { createDeepSeek } from '@steploop/deepseek'
import { createGemini } from '@steploop/gemini'
import { createGroq } from '@steploop/groq'
import { createMistral } from '@steploop/mistral'
import { createOllama } from '@steploop/ollama'
import { createAzureOpenAI, createOpenAI } from '@steploop/openai'
import { createAzureChat, createOpenAICompatible } from '@steploop/openai-compatible'
import { createOpenRouter } from '@steploop/openrouter'
import { createXai } from '@steploop/xai'

/** Folder with the recorded exchanges of a subject. */
const cassettes = (name: string): URL => new URL(`cassettes/${name}/`, import.meta.url)

/** Folder of the package in which an adapter is published. */
const adapterIn = (folder: string): URL => new URL(`packages/adapters/${folder}/`, import.meta.url)

const storesNothing = 'Chat Completions stores nothing (WIRE 2.2)'
const noPause = 'no finish reason asks for the turn to be sent back (WIRE 2.2, E5)'
const textResults = 'results are text: https://platform.openai.com/docs/api-reference/chat/create'

const azureChatURL = 'https://my-resource.openai.azure.com/openai/deployments/chat-deployment'
const azureResponsesURL = 'https://my-resource.openai.azure.com/openai/v1'
/** Both formats are tested whole behind OpenAI's own address. */
const azureScenarios = ['text-only', 'single-call', 'parallel-calls', 'azure-dialect']

const deepseekText = 'messages are text: https://api-docs.deepseek.com/api/create-chat-completion'
const thinkingChoice = 'a forced choice is refused in thinking mode: https://api-docs.deepseek.com/guides/thinking_mode'
const deepseekLimits = {
  continuation: storesNothing,
  providerTools: 'there are none: https://api-docs.deepseek.com/api/create-chat-completion',
  pause: noPause,
  imageInput: deepseekText,
  fileInput: deepseekText,
  toolResultImages: deepseekText,
  cacheControl: 'caching is automatic: https://api-docs.deepseek.com/guides/kv_cache',
}

const openai = defineSubject({
  name: 'openai',
  wire: 'openai-responses',
  model: 'gpt-5-mini',
  baseURL: 'https://api.openai.com/v1',
  adapter: ({ model = 'gpt-5-mini', ...options }) => createOpenAI(options)(model),
  cassettes: cassettes('openai'),
  package: adapterIn('openai'),
  limits: { pause: 'the Responses API knows no paused turns (WIRE D1)' },
  apiKeyVariable: 'OPENAI_API_KEY',
})

const openaiCompatible = defineSubject({
  name: 'openai-compatible',
  wire: 'openai-chat',
  model: 'chat-model',
  // A generic package has no host of its own; this one is reserved, so nothing can ever be sent to it.
  baseURL: 'https://chat.example.com/v1',
  adapter: ({ model = 'chat-model', baseURL = 'https://chat.example.com/v1', ...options }) =>
    createOpenAICompatible({ ...options, baseURL })(model),
  cassettes: cassettes('openai-compatible'),
  package: adapterIn('openai-compatible'),
  limits: {
    continuation: storesNothing,
    providerTools: 'which tools a server runs itself is for its own package to say (WIRE 2.2)',
    pause: noPause,
    toolResultImages: textResults,
    cacheControl:
      'Chat Completions has no cache switches in messages: https://platform.openai.com/docs/guides/prompt-caching',
  },
})

const anthropic = defineSubject({
  name: 'anthropic',
  wire: 'anthropic-messages',
  model: 'claude-sonnet-4-5',
  baseURL: 'https://api.anthropic.com/v1',
  adapter: ({ model = 'claude-sonnet-4-5', ...options }) => createAnthropic(options)(model),
  cassettes: cassettes('anthropic'),
  package: adapterIn('anthropic'),
  limits: { continuation: 'every request holds the whole conversation: https://docs.claude.com/en/api/messages' },
  apiKeyVariable: 'ANTHROPIC_API_KEY',
})

const gemini = defineSubject({
  name: 'gemini',
  wire: 'gemini-generate',
  model: 'gemini-3-flash-preview',
  baseURL: 'https://generativelanguage.googleapis.com/v1beta',
  adapter: ({ model = 'gemini-3-flash-preview', ...options }) => createGemini(options)(model),
  cassettes: cassettes('gemini'),
  package: adapterIn('gemini'),
  limits: {
    continuation: 'generateContent holds the whole conversation: https://ai.google.dev/api/generate-content',
    pause:
      'no finish reason asks for the turn to be sent back: https://ai.google.dev/api/generate-content#FinishReason',
    cacheControl:
      'caches are objects with a life of their own, named in `cachedContent`: https://ai.google.dev/gemini-api/docs/caching',
  },
  apiKeyVariable: 'GEMINI_API_KEY',
})

const groq = defineSubject({
  name: 'groq',
  wire: 'openai-chat',
  model: 'qwen/qwen3-32b',
  baseURL: 'https://api.groq.com/openai/v1',
  adapter: ({ model = 'qwen/qwen3-32b', ...options }) => createGroq(options)(model),
  cassettes: cassettes('groq'),
  package: adapterIn('groq'),
  limits: {
    structured: 'structured outputs do not stream: https://console.groq.com/docs/structured-outputs',
    structuredWithTools: 'structured outputs do not go with tools: https://console.groq.com/docs/structured-outputs',
    continuation: 'nothing is stored: https://console.groq.com/docs/api-reference#chat',
    providerTools:
      'of the models with function calls only gpt-oss has built-in tools: https://console.groq.com/docs/tool-use/built-in-tools',
    pause: noPause,
    imageInput: 'the model has no eyes: https://console.groq.com/docs/vision lists those that do',
    fileInput: 'images are the only files of messages: https://console.groq.com/docs/vision',
    toolResultImages: 'results are text: https://console.groq.com/docs/tool-use',
    cacheControl: 'caching is automatic: https://console.groq.com/docs/prompt-caching',
  },
  apiKeyVariable: 'GROQ_API_KEY',
  hosts: ['api.groq.com'],
  sampleOptions: { user: 'kunde-zürich-42' },
})

const mistral = defineSubject({
  name: 'mistral',
  wire: 'openai-chat',
  model: 'mistral-small-latest',
  baseURL: 'https://api.mistral.ai/v1',
  adapter: ({ model = 'mistral-small-latest', ...options }) => createMistral(options)(model),
  cassettes: cassettes('mistral'),
  package: adapterIn('mistral'),
  limits: {
    structuredWithTools:
      'a response format beside tools is refused: https://docs.mistral.ai/capabilities/structured_output',
    continuation:
      'Chat Completions stores nothing, Mistral’s conversations are another API: https://docs.mistral.ai/api',
    pause: noPause,
    toolResultImages: 'results are text: https://docs.mistral.ai/capabilities/function_calling',
    cacheControl: 'no switches in messages, `prompt_cache_key` is an option: https://docs.mistral.ai/api/endpoint/chat',
  },
  apiKeyVariable: 'MISTRAL_API_KEY',
  hosts: ['api.mistral.ai'],
})

const deepseek = defineSubject({
  name: 'deepseek',
  wire: 'openai-chat',
  model: 'deepseek-chat',
  baseURL: 'https://api.deepseek.com',
  adapter: ({ model = 'deepseek-chat', ...options }) => createDeepSeek(options)(model),
  cassettes: cassettes('deepseek'),
  package: adapterIn('deepseek'),
  limits: deepseekLimits,
  apiKeyVariable: 'DEEPSEEK_API_KEY',
  hosts: ['api.deepseek.com'],
  sampleOptions: { stop: ['∎ Zürich'] },
})

/** The same adapter in thinking mode, in which calls without their reasoning are refused. */
const deepseekReasoner = defineSubject({
  name: 'deepseek-reasoner',
  wire: 'openai-chat',
  model: 'deepseek-reasoner',
  baseURL: 'https://api.deepseek.com',
  adapter: ({ model = 'deepseek-reasoner', ...options }) => createDeepSeek(options)(model),
  cassettes: cassettes('deepseek-reasoner'),
  package: adapterIn('deepseek'),
  limits: { ...deepseekLimits, toolChoice: thinkingChoice },
  apiKeyVariable: 'DEEPSEEK_API_KEY',
  hosts: ['api.deepseek.com'],
  sampleOptions: { stop: ['∎ Zürich'] },
})

const openrouter = defineSubject({
  name: 'openrouter',
  wire: 'openai-chat',
  model: 'anthropic/claude-sonnet-4.5',
  baseURL: 'https://openrouter.ai/api/v1',
  adapter: ({ model = 'anthropic/claude-sonnet-4.5', ...options }) => createOpenRouter(options)(model),
  cassettes: cassettes('openrouter'),
  package: adapterIn('openrouter'),
  limits: {
    continuation: 'nothing is stored: https://openrouter.ai/docs/api-reference/overview',
    pause: 'the pauses of an upstream are OpenRouter’s matter: https://openrouter.ai/docs/api-reference/overview',
    toolResultImages: 'results are text: https://openrouter.ai/docs/features/tool-calling',
  },
  apiKeyVariable: 'OPENROUTER_API_KEY',
  hosts: ['openrouter.ai'],
})

const xai = defineSubject({
  name: 'xai',
  wire: 'openai-responses',
  model: 'grok-4',
  baseURL: 'https://api.x.ai/v1',
  adapter: ({ model = 'grok-4', ...options }) => createXai(options)(model),
  cassettes: cassettes('xai'),
  package: adapterIn('xai'),
  unverified: 'no more than a few turns of this format at xAI were recorded, none with a streamed call',
  limits: {
    toolChoice: 'forced choices are not honoured reliably (WIRE 2.7)',
    pause: noPause,
    toolResultImages: 'outputs of functions are text: https://docs.x.ai/docs/guides/function-calling',
    cacheControl: 'caching is automatic: https://docs.x.ai/docs/models',
  },
  apiKeyVariable: 'XAI_API_KEY',
  hosts: ['x.ai'],
  sampleOptions: { user: 'kunde-zürich-42' },
})

const xaiChat = defineSubject({
  name: 'xai-chat',
  wire: 'openai-chat',
  model: 'grok-3-mini',
  baseURL: 'https://api.x.ai/v1',
  adapter: ({ model = 'grok-3-mini', ...options }) => createXai(options).chat(model),
  cassettes: cassettes('xai-chat'),
  package: adapterIn('xai'),
  unverified: 'fewer than ten turns of xAI’s Chat Completions were recorded',
  limits: {
    toolChoice: 'forced choices are not honoured reliably (WIRE 2.7)',
    continuation: storesNothing,
    providerTools: 'tools that xAI runs belong to the Responses format: https://docs.x.ai/docs/guides/tools/overview',
    pause: noPause,
    fileInput: 'messages take texts and images: https://docs.x.ai/docs/api-reference#chat-completions',
    toolResultImages: 'results are text: https://docs.x.ai/docs/guides/function-calling',
    cacheControl: 'caching is automatic: https://docs.x.ai/docs/models',
  },
  apiKeyVariable: 'XAI_API_KEY',
  hosts: ['x.ai'],
  sampleOptions: { user: 'kunde-zürich-42' },
})

const ollama = defineSubject({
  name: 'ollama',
  wire: 'ollama-chat',
  model: 'qwen3',
  baseURL: 'http://localhost:11434',
  adapter: ({ model = 'qwen3', ...options }) => createOllama(options)(model),
  cassettes: cassettes('ollama'),
  package: adapterIn('ollama'),
  unverified:
    'no turn of the native endpoint was recorded; what the simulator says is held against the types of the `ollama` package',
  limits: {
    toolChoice: 'the API has no tool choice: https://docs.ollama.com/api/chat',
    structuredWithTools:
      '`format` binds the output from its first token: https://docs.ollama.com/capabilities/structured-outputs',
    continuation: 'nothing is stored: https://docs.ollama.com/api/chat',
    providerTools: 'the server runs no tools: https://docs.ollama.com/api/chat',
    pause: 'the server pauses no turns: https://docs.ollama.com/api/chat',
    fileInput: 'messages take texts and images: https://docs.ollama.com/api/chat',
    cacheControl: 'the server keeps prompts by itself: https://docs.ollama.com/api/chat',
  },
})

/** The dated API of Azure: the deployment is a part of the address. */
const azureChat = defineSubject({
  name: 'azure-chat',
  wire: 'openai-chat',
  model: 'chat-deployment',
  baseURL: azureChatURL,
  adapter: ({ model = 'chat-deployment', baseURL = azureChatURL, ...options }) =>
    createAzureChat({ ...options, baseURL, apiVersion: '2024-10-21' })(model),
  cassettes: cassettes('azure-chat'),
  package: adapterIn('openai-compatible'),
  unverified: 'one turn of Azure was recorded, not streamed, and one first chunk of its model router (WIRE C2)',
  apiKeyVariable: 'AZURE_OPENAI_API_KEY',
  hosts: ['azure.com'],
  scenarios: azureScenarios,
  limits: {
    continuation: storesNothing,
    providerTools: 'tools that run at Azure belong to the Responses format (WIRE 2.2)',
    pause: noPause,
    toolResultImages: textResults,
    cacheControl: 'caching is automatic: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/prompt-caching',
  },
})

/** The v1 API of Azure: the deployment is the model. */
const azureResponses = defineSubject({
  name: 'azure-responses',
  wire: 'openai-responses',
  model: 'reasoning-deployment',
  baseURL: azureResponsesURL,
  adapter: ({ model = 'reasoning-deployment', baseURL = azureResponsesURL, ...options }) =>
    createAzureOpenAI({ ...options, baseURL, apiVersion: 'preview' })(model, { reasoning: true }),
  cassettes: cassettes('azure-responses'),
  package: adapterIn('openai'),
  unverified: 'two turns of Azure were recorded',
  apiKeyVariable: 'AZURE_OPENAI_API_KEY',
  hosts: ['azure.com'],
  scenarios: azureScenarios,
  limits: { pause: 'the Responses API knows no paused turns (WIRE D1)' },
})

/** One line per provider: the conformance suite, `steploop traffic` and `steploop record` take their subjects from here. */
export default {
  subjects: [
    openai,
    openaiCompatible,
    anthropic,
    gemini,
    groq,
    mistral,
    deepseek,
    deepseekReasoner,
    openrouter,
    xai,
    xaiChat,
    ollama,
    azureChat,
    azureResponses,
  ],
}
