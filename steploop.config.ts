import { createAnthropic } from '@steploop/anthropic'
import { defineSubject } from '@steploop/conformance'
import { createBedrock, createBedrockClaude } from '@steploop/bedrock'
import { createCohere } from '@steploop/cohere'
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
import { otherModels } from './models.config.ts'

/** Folder with the recorded exchanges of a subject. */
const cassettes = (name: string): URL => new URL(`cassettes/${name}/`, import.meta.url)

/** Folder of the package in which an adapter is published. */
const adapterIn = (folder: string): URL => new URL(`packages/adapters/${folder}/`, import.meta.url)

const azureChatURL = 'https://my-resource.openai.azure.com/openai/deployments/chat-deployment'
const azureResponsesURL = 'https://my-resource.openai.azure.com/openai/v1'
/** Both formats are tested whole behind OpenAI's own address. */
const azureScenarios = ['text-only', 'single-call', 'parallel-calls', 'azure-dialect']

/** Where the loop chooses the pause by itself. */
const namesNoPause = { 'rate-limited#waits': 'A refusal for too many requests does not say when to come back.' }

const namesNoModel = { 'unknown-model': 'An unknown model is a plain 400 there, without a code that says so.' }

const namesNoError = { 'error-mid-stream': 'Its errors name their kind by the status alone, and 200 says nothing.' }

const openai = defineSubject({
  name: 'openai',
  wire: 'openai-responses',
  model: 'gpt-5-mini',
  baseURL: 'https://api.openai.com/v1',
  adapter: ({ model = 'gpt-5-mini', ...options }) => createOpenAI(options)(model),
  cassettes: cassettes('openai'),
  package: adapterIn('openai'),
  limits: limits['openai'],
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
  limits: limits['openai-compatible'],
  places: ['openai-chat/any-server'],
})

const anthropic = defineSubject({
  name: 'anthropic',
  wire: 'anthropic-messages',
  model: 'claude-sonnet-4-5',
  baseURL: 'https://api.anthropic.com/v1',
  adapter: ({ model = 'claude-sonnet-4-5', ...options }) => createAnthropic(options)(model),
  cassettes: cassettes('anthropic'),
  package: adapterIn('anthropic'),
  limits: limits['anthropic'],
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
  limits: limits['gemini'],
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
  limits: limits['groq'],
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
  limits: limits['mistral'],
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

const deepseek = defineSubject({
  name: 'deepseek',
  wire: 'openai-chat',
  model: 'deepseek-chat',
  baseURL: 'https://api.deepseek.com',
  adapter: ({ model = 'deepseek-chat', ...options }) => createDeepSeek(options)(model),
  cassettes: cassettes('deepseek'),
  package: adapterIn('deepseek'),
  limits: limits['deepseek'],
  noWordsFor: { ...namesNoPause, ...namesNoModel },
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
  limits: limits['deepseek-reasoner'],
  noWordsFor: { ...namesNoPause, ...namesNoModel },
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
  limits: limits['openrouter'],
  noWordsFor: { ...namesNoPause, ...namesNoModel },
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
  limits: limits['xai'],
  noWordsFor: namesNoPause,
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
  limits: limits['xai-chat'],
  noWordsFor: { ...namesNoPause, ...namesNoError },
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
  limits: limits['ollama'],
  noWordsFor: {
    ...namesNoPause,
    'reasoning-text#reasoning-tokens':
      'The server counts thoughts and answer as one: https://docs.ollama.com/api/usage',
  },
})

const cohere = defineSubject({
  name: 'cohere',
  wire: 'cohere-chat',
  model: 'command-a-reasoning-08-2025',
  baseURL: 'https://api.cohere.com/v2',
  adapter: ({ model = 'command-a-reasoning-08-2025', ...options }) => createCohere(options)(model),
  cassettes: cassettes('cohere'),
  package: adapterIn('cohere'),
  limits: limits['cohere'],
  noWordsFor: namesNoPause,
  apiKeyVariable: 'CO_API_KEY',
  hosts: ['api.cohere.com'],
})

const bedrockURL = 'https://bedrock-runtime.us-east-1.amazonaws.com'
const claudeOnBedrock = 'anthropic.claude-sonnet-4-5-20250929-v1:0'

const bedrock = defineSubject({
  name: 'bedrock',
  wire: 'bedrock-converse',
  model: claudeOnBedrock,
  baseURL: bedrockURL,
  adapter: ({ model = claudeOnBedrock, ...options }) => createBedrock({ region: 'us-east-1', ...options })(model),
  cassettes: cassettes('bedrock'),
  package: adapterIn('bedrock'),
  limits: limits['bedrock'],
  noWordsFor: {
    ...namesNoPause,
    'reasoning-text#reasoning-tokens':
      'Thoughts are not counted apart: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html',
  },
  apiKeyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
  hosts: ['amazonaws.com'],
  checksums: true,
  responseHeaders: ['x-amzn-errortype'],
})

/** Claude's own format in AWS frames. */
const bedrockClaude = defineSubject({
  name: 'bedrock-claude',
  wire: 'anthropic-messages',
  model: claudeOnBedrock,
  baseURL: bedrockURL,
  adapter: ({ model = claudeOnBedrock, ...options }) => createBedrockClaude({ region: 'us-east-1', ...options })(model),
  cassettes: cassettes('bedrock-claude'),
  package: adapterIn('bedrock'),
  limits: limits['bedrock-claude'],
  noWordsFor: namesNoPause,
  apiKeyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
  hosts: ['amazonaws.com'],
  checksums: true,
  responseHeaders: ['x-amzn-errortype'],
})

const vertexURL = 'https://aiplatform.googleapis.com/v1/projects/my-project/locations/global/publishers'

const vertex = defineSubject({
  name: 'vertex',
  wire: 'gemini-generate',
  model: 'gemini-3-flash-preview',
  baseURL: `${vertexURL}/google`,
  adapter: ({ model = 'gemini-3-flash-preview', apiKey = '', ...options }) =>
    createVertex({ project: 'my-project', location: 'global', accessToken: () => apiKey, ...options })(model),
  cassettes: cassettes('vertex'),
  package: adapterIn('vertex'),
  limits: limits['vertex'],
  noWordsFor: namesNoPause,
  hosts: ['aiplatform.googleapis.com'],
})

const vertexClaude = defineSubject({
  name: 'vertex-claude',
  wire: 'anthropic-messages',
  model: 'claude-sonnet-4-6',
  baseURL: `${vertexURL}/anthropic`,
  adapter: ({ model = 'claude-sonnet-4-6', apiKey = '', ...options }) =>
    createVertexClaude({ project: 'my-project', location: 'global', accessToken: () => apiKey, ...options })(model),
  cassettes: cassettes('vertex-claude'),
  package: adapterIn('vertex'),
  limits: limits['vertex-claude'],
  noWordsFor: namesNoPause,
  hosts: ['aiplatform.googleapis.com'],
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
  apiKeyVariable: 'AZURE_OPENAI_API_KEY',
  hosts: ['azure.com'],
  scenarios: azureScenarios,
  limits: limits['azure-chat'],
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
  apiKeyVariable: 'AZURE_OPENAI_API_KEY',
  hosts: ['azure.com'],
  scenarios: azureScenarios,
  limits: limits['azure-responses'],
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
