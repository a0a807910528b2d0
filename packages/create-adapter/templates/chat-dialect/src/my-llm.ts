import { defineHttpAdapter, type Adapter, type ProviderOptions } from '@steploop/core/adapter'
import { chatCapabilities, chatCompletions, type ChatDialect } from '@steploop/openai-compatible'

/**
 * How my-llm deviates from Chat Completions. Every member has a default, and decoding is generous whatever stands here: say what has to be
 * sent differently, and nothing else. The editor shows what there is, for example:
 *
 *   settings: { maxOutputTokens: 'max_completion_tokens', seed: false },
 *   structured: 'json_object',
 */
const dialect: ChatDialect = {}

/** Makes adapters for my-llm. The key comes from `apiKey` or MY_LLM_API_KEY, read at the first turn. */
export function createMyLlm(options: ProviderOptions = {}): (modelId: string) => Adapter {
  const { baseURL = 'https://api.example.com/v1', ...rest } = options
  return (model) =>
    defineHttpAdapter(chatCompletions({ provider: 'my-llm', model, dialect }), {
      ...rest,
      baseURL,
      provider: 'my-llm',
      model,
      apiKeyVariable: 'MY_LLM_API_KEY',
      // What the dialect implies. Add what is known of the model: { ...chatCapabilities(dialect), imageInput: false }
      capabilities: chatCapabilities(dialect),
    })
}

/** The default instance: `myLlm('example-model')`. */
export const myLlm: (modelId: string) => Adapter = createMyLlm()
