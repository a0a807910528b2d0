import { defineHttpAdapter, type Adapter, type ProviderOptions } from '@steploop/core/adapter'
import { chatCompletions } from '@steploop/openai-compatible'
import { groqCapabilities } from './capabilities.ts'
import { groqDialect } from './dialect.ts'

/**
 * Makes adapters for Groq's Chat Completions. The key comes from `apiKey` or GROQ_API_KEY, read at the first turn; without one a turn
 * throws `missing-api-key`.
 */
export function createGroq(options: ProviderOptions = {}): (modelId: string) => Adapter {
  const { baseURL = 'https://api.groq.com/openai/v1', ...rest } = options
  return (model) =>
    defineHttpAdapter(chatCompletions({ provider: 'groq', model, dialect: groqDialect(model) }), {
      ...rest,
      baseURL,
      provider: 'groq',
      model,
      apiKeyVariable: 'GROQ_API_KEY',
      capabilities: groqCapabilities(model),
    })
}

/** The default instance: `groq('openai/gpt-oss-120b')`. */
export const groq: (modelId: string) => Adapter = createGroq()
