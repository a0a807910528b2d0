import { defineHttpAdapter, type Adapter, type ProviderOptions } from '@steploop/core/adapter'
import { cohereCapabilities } from './capabilities.ts'
import { cohereChat } from './wire.ts'

/**
 * Makes a factory of adapters for Cohere's chat endpoint: `createCohere({ apiKey })('command-a-03-2025')`.
 * Defaults: key from CO_API_KEY at the first turn, base URL `https://api.cohere.com/v2`.
 */
export function createCohere(options: ProviderOptions = {}): (model: string) => Adapter {
  const provider = 'cohere'
  return (model) =>
    defineHttpAdapter(cohereChat({ provider, model }), {
      ...options,
      baseURL: options.baseURL ?? 'https://api.cohere.com/v2',
      provider,
      model,
      capabilities: cohereCapabilities,
      apiKeyVariable: 'CO_API_KEY',
    })
}

/** The default instance: `cohere('command-a-03-2025')`. */
export const cohere: (model: string) => Adapter = createCohere()
