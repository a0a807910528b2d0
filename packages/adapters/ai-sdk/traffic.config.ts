import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createGroq } from '@ai-sdk/groq'
import { createMistral } from '@ai-sdk/mistral'
import { createOpenAI } from '@ai-sdk/openai'
import { fromLanguageModel } from './src/index.ts'

/** What the harness gives each factory: always a `fetch`, perhaps a model. */
interface Given {
  readonly fetch?: typeof fetch | undefined
  readonly apiKey?: string | undefined
  readonly model?: string | undefined
}

/** The AI SDK's options take no `undefined`. */
function settings({ fetch, apiKey }: Given) {
  return { ...(fetch && { fetch }), ...(apiKey !== undefined && { apiKey }) }
}

function cassettes(name: string): URL {
  return new URL(`../../../cassettes/${name}/`, import.meta.url)
}

const openai = {
  name: 'ai-sdk-openai',
  wire: 'openai-responses',
  model: 'gpt-5-mini',
  baseURL: 'https://api.openai.com/v1',
  adapter: ({ model = 'gpt-5-mini', ...given }: Given) =>
    fromLanguageModel(createOpenAI(settings(given)).responses(model)),
  cassettes: cassettes('ai-sdk-openai'),
}

const openaiChat = {
  name: 'ai-sdk-openai-chat',
  wire: 'openai-chat',
  model: 'gpt-4.1-mini',
  baseURL: 'https://api.openai.com/v1',
  adapter: ({ model = 'gpt-4.1-mini', ...given }: Given) =>
    fromLanguageModel(createOpenAI(settings(given)).chat(model), { provider: 'ai-sdk-openai-chat' }),
  cassettes: cassettes('ai-sdk-openai-chat'),
  hosts: ['api.openai.com'],
}

const anthropic = {
  name: 'ai-sdk-anthropic',
  wire: 'anthropic-messages',
  model: 'claude-sonnet-4-5',
  baseURL: 'https://api.anthropic.com/v1',
  adapter: ({ model = 'claude-sonnet-4-5', ...given }: Given) =>
    fromLanguageModel(createAnthropic(settings(given))(model)),
  cassettes: cassettes('ai-sdk-anthropic'),
}

const google = {
  name: 'ai-sdk-google',
  wire: 'gemini-generate',
  model: 'gemini-3-flash-preview',
  baseURL: 'https://generativelanguage.googleapis.com/v1beta',
  adapter: ({ model = 'gemini-3-flash-preview', ...given }: Given) =>
    fromLanguageModel(createGoogle(settings(given))(model)),
  cassettes: cassettes('ai-sdk-google'),
}

const groq = {
  name: 'ai-sdk-groq',
  wire: 'openai-chat',
  model: 'llama-3.3-70b-versatile',
  baseURL: 'https://api.groq.com/openai/v1',
  adapter: ({ model = 'llama-3.3-70b-versatile', ...given }: Given) =>
    fromLanguageModel(createGroq(settings(given))(model)),
  cassettes: cassettes('ai-sdk-groq'),
  hosts: ['api.groq.com'],
}

const mistral = {
  name: 'ai-sdk-mistral',
  wire: 'openai-chat',
  model: 'mistral-small-latest',
  baseURL: 'https://api.mistral.ai/v1',
  adapter: ({ model = 'mistral-small-latest', ...given }: Given) =>
    fromLanguageModel(createMistral(settings(given))(model)),
  cassettes: cassettes('ai-sdk-mistral'),
  hosts: ['api.mistral.ai'],
}

/** AI SDK packages as subjects of `steploop traffic` and `steploop conformance`; the project's own adapters are in the root's config. */
export default { subjects: [openai, openaiChat, anthropic, google, groq, mistral] }
