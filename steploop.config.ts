import { createAnthropic } from '@steploop/anthropic'
import { defineSubject, type Subject, type SubjectAdapterOptions } from '@steploop/conformance'
import { createBedrock, createBedrockClaude } from '@steploop/bedrock'
import { createCohere } from '@steploop/cohere'
import type { Adapter } from '@steploop/core'
import { createDeepSeek } from '@steploop/deepseek'
import { createGemini } from '@steploop/gemini'
import { createGroq } from '@steploop/groq'
import { createMistral } from '@steploop/mistral'
import { createOllama } from '@steploop/ollama'
import { createAzureOpenAI, createOpenAI } from '@steploop/openai'
import { createAzureChat, createOpenAICompatible } from '@steploop/openai-compatible'
import { createOpenRouter } from '@steploop/openrouter'
import { createXai } from '@steploop/xai'
import { createVertex, createVertexClaude } from '@steploop/vertex'
import { limits } from './limits.config.ts'
import { otherModels, requestModels } from './models.config.ts'

type Given = Omit<Subject, 'adapter' | 'cassettes' | 'package' | 'limits'> & {
  readonly name: keyof typeof limits
  /** The factory of the package; it never gets a model. */
  readonly create: (options: Omit<SubjectAdapterOptions, 'model'>) => (model: string) => Adapter
  /** Folder of the package. Default: the name. */
  readonly folder?: string | undefined
}

/** What all have in common: where the cassettes and the package lie, and that the subject's model is asked unless another one is named. */
function subjectOf({ create, folder, ...given }: Given): Subject {
  return defineSubject({
    ...given,
    adapter: ({ model = given.model, ...options }) => create(options)(model),
    cassettes: new URL(`cassettes/${given.name}/`, import.meta.url),
    package: new URL(`packages/adapters/${folder ?? given.name}/`, import.meta.url),
    limits: limits[given.name],
    models: requestModels[given.name],
  })
}

const azureChatURL = 'https://my-resource.openai.azure.com/openai/deployments/chat-deployment'
const azureResponsesURL = 'https://my-resource.openai.azure.com/openai/v1'
const azureScenarios = ['text-only', 'single-call', 'parallel-calls', 'azure-dialect']

const namesNoPause = { 'rate-limited#waits': 'A refusal for too many requests does not say when to come back.' }
const namesNoModel = { 'unknown-model': 'An unknown model is a plain 400 there, without a code that says so.' }

const namesNoError = { 'error-mid-stream': 'Its errors name their kind by the status alone, and 200 says nothing.' }

const openai = subjectOf({
  name: 'openai',
  wire: 'openai-responses',
  model: 'gpt-5-mini',
  baseURL: 'https://api.openai.com/v1',
  create: createOpenAI,
  scopes: ['openai-responses/in-full'],
  apiKeyVariable: 'OPENAI_API_KEY',
})

const openaiCompatible = subjectOf({
  name: 'openai-compatible',
  wire: 'openai-chat',
  model: 'chat-model',
  baseURL: 'https://chat.example.com/v1',
  create: ({ baseURL = 'https://chat.example.com/v1', ...options }) => createOpenAICompatible({ ...options, baseURL }),
  scopes: ['openai-chat/any-server'],
})

const anthropic = subjectOf({
  name: 'anthropic',
  wire: 'anthropic-messages',
  model: 'claude-sonnet-4-5',
  baseURL: 'https://api.anthropic.com/v1',
  create: createAnthropic,
  scopes: ['anthropic-messages/in-full'],
  apiKeyVariable: 'ANTHROPIC_API_KEY',
})

const gemini = subjectOf({
  name: 'gemini',
  wire: 'gemini-generate',
  model: 'gemini-3-flash-preview',
  baseURL: 'https://generativelanguage.googleapis.com/v1beta',
  create: createGemini,
  scopes: ['gemini-generate/in-full'],
  apiKeyVariable: 'GEMINI_API_KEY',
})

const groq = subjectOf({
  name: 'groq',
  wire: 'openai-chat',
  model: 'qwen/qwen3-32b',
  baseURL: 'https://api.groq.com/openai/v1',
  create: createGroq,
  apiKeyVariable: 'GROQ_API_KEY',
  hosts: ['api.groq.com'],
  sampleOptions: { user: 'kunde-zürich-42' },
})

const mistral = subjectOf({
  name: 'mistral',
  wire: 'openai-chat',
  model: 'mistral-small-latest',
  baseURL: 'https://api.mistral.ai/v1',
  create: createMistral,
  noWordsFor: {
    ...namesNoPause,
    ...namesNoModel,
    ...namesNoError,
    'reasoning-text#reasoning-tokens':
      'Mistral counts thoughts and answer as one: https://docs.mistral.ai/api/endpoint/chat',
  },
  apiKeyVariable: 'MISTRAL_API_KEY',
  hosts: ['api.mistral.ai'],
})

const deepseekFields = {
  wire: 'openai-chat',
  baseURL: 'https://api.deepseek.com',
  create: createDeepSeek,
  folder: 'deepseek',
  noWordsFor: { ...namesNoPause, ...namesNoModel },
  apiKeyVariable: 'DEEPSEEK_API_KEY',
  hosts: ['api.deepseek.com'],
  sampleOptions: { stop: ['∎ Zürich'] },
}

const deepseek = subjectOf({ ...deepseekFields, name: 'deepseek', model: 'deepseek-chat' })

/** DeepSeek's adapter in thinking mode, in which calls without their reasoning are refused. */
const deepseekReasoner = subjectOf({ ...deepseekFields, name: 'deepseek-reasoner', model: 'deepseek-reasoner' })

const openrouter = subjectOf({
  name: 'openrouter',
  wire: 'openai-chat',
  model: 'anthropic/claude-sonnet-4.5',
  baseURL: 'https://openrouter.ai/api/v1',
  create: createOpenRouter,
  noWordsFor: { ...namesNoPause, ...namesNoModel },
  apiKeyVariable: 'OPENROUTER_API_KEY',
  hosts: ['openrouter.ai'],
})

const xaiFields = {
  baseURL: 'https://api.x.ai/v1',
  folder: 'xai',
  apiKeyVariable: 'XAI_API_KEY',
  hosts: ['x.ai'],
  sampleOptions: { user: 'kunde-zürich-42' },
}

const xai = subjectOf({
  ...xaiFields,
  name: 'xai',
  wire: 'openai-responses',
  model: 'grok-4',
  create: createXai,
  noWordsFor: namesNoPause,
})

const xaiChat = subjectOf({
  ...xaiFields,
  name: 'xai-chat',
  wire: 'openai-chat',
  model: 'grok-3-mini',
  create: (options) => createXai(options).chat,
  noWordsFor: { ...namesNoPause, ...namesNoError },
})

const ollama = subjectOf({
  name: 'ollama',
  wire: 'ollama-chat',
  model: 'qwen3',
  baseURL: 'http://localhost:11434',
  create: createOllama,
  noWordsFor: {
    ...namesNoPause,
    'reasoning-text#reasoning-tokens':
      'The server counts thoughts and answer as one: https://docs.ollama.com/api/usage',
  },
})

const cohere = subjectOf({
  name: 'cohere',
  wire: 'cohere-chat',
  model: 'command-a-reasoning-08-2025',
  baseURL: 'https://api.cohere.com/v2',
  create: createCohere,
  noWordsFor: namesNoPause,
  apiKeyVariable: 'CO_API_KEY',
  hosts: ['api.cohere.com'],
})

const bedrockFields = {
  model: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
  baseURL: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  apiKeyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
  hosts: ['amazonaws.com'],
  responseHeaders: ['x-amzn-errortype'],
}

const bedrock = subjectOf({
  ...bedrockFields,
  name: 'bedrock',
  wire: 'bedrock-converse',
  create: (options) => createBedrock({ region: 'us-east-1', ...options }),
  noWordsFor: {
    ...namesNoPause,
    'reasoning-text#reasoning-tokens':
      'Thoughts are not counted apart: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html',
  },
})

/** Claude's own format in AWS frames. */
const bedrockClaude = subjectOf({
  ...bedrockFields,
  name: 'bedrock-claude',
  wire: 'anthropic-messages',
  create: (options) => createBedrockClaude({ region: 'us-east-1', ...options }),
  folder: 'bedrock',
  noWordsFor: namesNoPause,
})

const vertexProject = { project: 'my-project', location: 'global' }
const vertexURL = 'https://aiplatform.googleapis.com/v1/projects/my-project/locations/global/publishers'
const vertexFields = { folder: 'vertex', noWordsFor: namesNoPause, hosts: ['aiplatform.googleapis.com'] }

const vertex = subjectOf({
  ...vertexFields,
  name: 'vertex',
  wire: 'gemini-generate',
  model: 'gemini-3-flash-preview',
  baseURL: `${vertexURL}/google`,
  create: ({ apiKey = '', ...options }) => createVertex({ ...vertexProject, accessToken: () => apiKey, ...options }),
})

const vertexClaude = subjectOf({
  ...vertexFields,
  name: 'vertex-claude',
  wire: 'anthropic-messages',
  model: 'claude-sonnet-4-6',
  baseURL: `${vertexURL}/anthropic`,
  create: ({ apiKey, ...options }) =>
    createVertexClaude({ ...vertexProject, auth: { getAccessToken: async () => ({ token: apiKey }) }, ...options }),
  unverified: 'two turns of Claude on Vertex were recorded; behind Anthropic’s own address there are thousands',
})

/** The dated API of Azure: the deployment is a part of the address. */
const azureChat = subjectOf({
  name: 'azure-chat',
  wire: 'openai-chat',
  model: 'chat-deployment',
  baseURL: azureChatURL,
  create: ({ baseURL = azureChatURL, ...options }) =>
    createAzureChat({ ...options, baseURL, apiVersion: '2024-10-21' }),
  folder: 'openai-compatible',
  apiKeyVariable: 'AZURE_OPENAI_API_KEY',
  hosts: ['azure.com'],
  scenarios: azureScenarios,
})

/** The v1 API of Azure: the deployment is the model. */
const azureResponses = subjectOf({
  name: 'azure-responses',
  wire: 'openai-responses',
  model: 'reasoning-deployment',
  baseURL: azureResponsesURL,
  create:
    ({ baseURL = azureResponsesURL, ...options }) =>
    (model) =>
      createAzureOpenAI({ ...options, baseURL, apiVersion: 'preview' })(model, { reasoning: true }),
  folder: 'openai',
  apiKeyVariable: 'AZURE_OPENAI_API_KEY',
  hosts: ['azure.com'],
  scenarios: azureScenarios,
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
    cohere,
    bedrock,
    bedrockClaude,
    vertex,
    vertexClaude,
    azureChat,
    azureResponses,
    ...otherModels({ openai, anthropic, gemini }),
  ],
}
