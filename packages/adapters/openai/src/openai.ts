import { defineHttpAdapter, type Adapter } from '@steploop/core/adapter'
import { openaiCapabilities } from './capabilities.ts'
import type { ModelOptions, OpenAIOptions } from './options.ts'
import { openaiResponses } from './wire.ts'

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
