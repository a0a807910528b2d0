import { defineHttpAdapter, type Adapter, type ProviderOptions } from '@steploop/core/adapter'
import { openaiCapabilities } from './capabilities.ts'
import type { ResponsesOptions } from './dialect.ts'
import type { ModelOptions } from './model-traits.ts'
import { openaiResponses } from './wire.ts'

/** Options of `createOpenAI`. */
export interface OpenAIOptions extends ProviderOptions {
  /** Sent as `openai-organization`. */
  readonly organization?: string | undefined
  /** Sent as `openai-project`. */
  readonly project?: string | undefined
  /**
   * True: OpenAI keeps every response, which makes continuation (`previous_response_id`) possible. Default false: nothing is stored and
   * each request carries the whole history. `providerOptions.openai.store` overrides it per run.
   */
  readonly store?: boolean | undefined
  /** See `ResponsesOptions.assistantText`. */
  readonly assistantText?: ResponsesOptions['assistantText']
}

/**
 * Makes adapters for OpenAI's Responses API.
 *
 * Stateless unless `store` says otherwise: nothing is kept at OpenAI, every request carries the history, and reasoning travels
 * encrypted. The key comes from `apiKey` or OPENAI_API_KEY, read at the first turn; without one a turn throws `missing-api-key`.
 */
export function createOpenAI(options: OpenAIOptions = {}): (model: string, modelOptions?: ModelOptions) => Adapter {
  const {
    organization,
    project,
    headers,
    store,
    assistantText,
    baseURL = 'https://api.openai.com/v1',
    ...rest
  } = options
  return (model, modelOptions = {}) => {
    const { reasoning } = modelOptions
    const wireFormat = openaiResponses({ provider: 'openai', model, store, reasoning, assistantText })
    return defineHttpAdapter(wireFormat, {
      ...rest,
      provider: 'openai',
      model,
      baseURL,
      apiKeyVariable: 'OPENAI_API_KEY',
      capabilities: openaiCapabilities(model, modelOptions),
      headers: {
        ...(organization !== undefined && { 'openai-organization': organization }),
        ...(project !== undefined && { 'openai-project': project }),
        ...headers,
      },
    })
  }
}

/** The default instance: `openai('gpt-5')`. */
export const openai: (model: string, modelOptions?: ModelOptions) => Adapter = createOpenAI()
