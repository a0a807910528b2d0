import { defineHttpAdapter, type Adapter, type ProviderOptions } from '@steploop/core/adapter'
import { chatCompletions } from '@steploop/openai-compatible'
import { openrouterCapabilities } from './capabilities.ts'
import { openrouterDialect } from './dialect.ts'

export interface OpenRouterOptions extends ProviderOptions {
  /** Address of your application, sent as `http-referer`: under it OpenRouter counts the use. Default: none. */
  readonly referer?: string | undefined
  /** Name of your application in OpenRouter's lists, sent as `x-title`. Default: none. */
  readonly title?: string | undefined
}

/**
 * Makes adapters for OpenRouter's Chat Completions. The key comes from `apiKey` or OPENROUTER_API_KEY, read at the first turn; without
 * one a turn throws `missing-api-key`.
 */
export function createOpenRouter(options: OpenRouterOptions = {}): (modelId: string) => Adapter {
  const { referer, title, baseURL = 'https://openrouter.ai/api/v1', headers, ...rest } = options
  return (model) =>
    defineHttpAdapter(chatCompletions({ provider: 'openrouter', model, dialect: openrouterDialect }), {
      ...rest,
      baseURL,
      provider: 'openrouter',
      model,
      apiKeyVariable: 'OPENROUTER_API_KEY',
      capabilities: openrouterCapabilities,
      headers: {
        ...(referer !== undefined && { 'http-referer': referer }),
        ...(title !== undefined && { 'x-title': title }),
        ...headers,
      },
    })
}

/** The default instance: `openrouter('anthropic/claude-sonnet-4.5')`. */
export const openrouter: (modelId: string) => Adapter = createOpenRouter()
