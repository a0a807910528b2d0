import { defineHttpAdapter, type Adapter, type ProviderOptions } from '@steploop/core/adapter'
import { ollamaCapabilities } from './capabilities.ts'
import { ollamaChat } from './wire.ts'

/**
 * Makes a factory of adapters for an Ollama server. No key is needed; one that is given, or found in `OLLAMA_API_KEY`, goes out as
 * bearer token, as Ollama's cloud wants it.
 * @param options `baseURL`: address without `/api`, default `http://localhost:11434`
 */
export function createOllama(options: ProviderOptions = {}): (modelId: string) => Adapter {
  return (modelId) =>
    defineHttpAdapter(ollamaChat({ provider: 'ollama', model: modelId }), {
      apiKey: options.apiKey,
      apiKeyVariable: 'OLLAMA_API_KEY',
      apiKeyOptional: true,
      headers: options.headers,
      fetch: options.fetch,
      baseURL: options.baseURL ?? 'http://localhost:11434',
      provider: 'ollama',
      model: modelId,
      capabilities: ollamaCapabilities,
    })
}

/** Models of the Ollama server on this machine, for example `ollama('qwen3')`. */
export const ollama: (modelId: string) => Adapter = createOllama()
