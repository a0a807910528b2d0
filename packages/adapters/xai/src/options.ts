import { defineHttpAdapter, type Adapter, type ProviderOptions } from '@steploop/core/adapter'
import { chatCompletions } from '@steploop/openai-compatible'
import { xaiCapabilities, xaiChatCapabilities } from './capabilities.ts'
import { xaiChatDialect } from './dialect.ts'
import { xaiResponses } from './responses.ts'

export interface XaiOptions extends ProviderOptions {
  /**
   * True: xAI keeps each response for 30 days, which makes continuation (`previous_response_id`) possible. Default false: nothing is
   * stored and each request carries the whole history. `providerOptions.xai.store` overrides it per run.
   */
  readonly store?: boolean | undefined
}

export interface XaiProvider {
  /** A model in the Responses format. */
  (modelId: string): Adapter
  /** A model in Chat Completions: no tools of xAI's own, no continuation. */
  readonly chat: (modelId: string) => Adapter
}

/**
 * Makes adapters for xAI. The key comes from `apiKey` or XAI_API_KEY, read at the first turn; without one a turn throws
 * `missing-api-key`.
 */
export function createXai(options: XaiOptions = {}): XaiProvider {
  const { store, baseURL = 'https://api.x.ai/v1', ...rest } = options
  const common = { ...rest, baseURL, provider: 'xai', apiKeyVariable: 'XAI_API_KEY' }
  const responses = (model: string): Adapter =>
    defineHttpAdapter(xaiResponses(model, store), { ...common, model, capabilities: xaiCapabilities(model) })
  const chat = (model: string): Adapter =>
    defineHttpAdapter(chatCompletions({ provider: 'xai', model, dialect: xaiChatDialect(model) }), {
      ...common,
      model,
      capabilities: xaiChatCapabilities(model),
    })
  return Object.assign(responses, { chat })
}

/** The default instance: `xai('grok-4')`, `xai.chat('grok-3-mini')`. */
export const xai: XaiProvider = createXai()
