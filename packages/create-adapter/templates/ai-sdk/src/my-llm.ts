import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { fromLanguageModel } from '@steploop/ai-sdk'
import type { Adapter, Capabilities, ProviderOptions } from '@steploop/core/adapter'

/** What is known of the model, where the interface of the AI SDK does not say it. */
const capabilities: Capabilities = { reasoning: false, reasoningReplay: false, providerTools: false }

/**
 * Makes adapters of the AI SDK's models of my-llm. Put the package of your provider here: it has to take `fetch`, or nothing can be
 * replayed. The key comes from `apiKey` or MY_LLM_API_KEY.
 */
export function createMyLlm(options: ProviderOptions = {}): (modelId: string) => Adapter {
  const apiKey = options.apiKey ?? process.env['MY_LLM_API_KEY']
  const models = createOpenAICompatible({
    // The package looks for its own options under this name, in this spelling.
    name: 'myLlm',
    baseURL: options.baseURL ?? 'https://api.example.com/v1',
    includeUsage: true,
    ...(apiKey !== undefined && { apiKey }),
    ...(options.headers && { headers: { ...options.headers } }),
    ...(options.fetch && { fetch: options.fetch }),
  })
  return (modelId) => fromLanguageModel(models(modelId), { provider: 'my-llm', capabilities })
}

/** The default instance: `myLlm('example-model')`. */
export const myLlm: (modelId: string) => Adapter = createMyLlm()
