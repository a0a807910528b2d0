import { defineHttpAdapter, type Adapter, type ProviderOptions, type TokenOptions } from '@steploop/core/adapter'
import { openaiCapabilities } from './capabilities.ts'
import type { ModelOptions } from './model-traits.ts'
import { openaiResponses } from './wire.ts'

export interface AzureOpenAIOptions extends ProviderOptions, TokenOptions {
  /** Up to and including `/openai/v1`, for example `https://my-resource.openai.azure.com/openai/v1`. */
  readonly baseURL: string
  /** Sent as `api-version`. Default: none, which the v1 API takes. */
  readonly apiVersion?: string | undefined
  /** Default of the `store` field. Default false. */
  readonly store?: boolean | undefined
}

/**
 * Makes adapters for OpenAI models on Azure (`provider`: `azure`). Models are named by deployment, which says nothing about the model:
 * give `reasoning: true` for reasoning models. The key comes from `apiKey` or AZURE_OPENAI_API_KEY and goes out as `api-key`; `accessToken` gives tokens of Microsoft Entra
 * instead (scope `https://cognitiveservices.azure.com/.default`).
 */
export function createAzureOpenAI(
  options: AzureOpenAIOptions,
): (deployment: string, modelOptions?: ModelOptions) => Adapter {
  const { apiVersion, store, ...rest } = options
  const path = apiVersion === undefined ? '/responses' : `/responses?api-version=${encodeURIComponent(apiVersion)}`
  return (model, modelOptions = {}) =>
    defineHttpAdapter(openaiResponses({ provider: 'azure', model, path, store, reasoning: modelOptions.reasoning }), {
      ...rest,
      provider: 'azure',
      model,
      apiKeyVariable: 'AZURE_OPENAI_API_KEY',
      auth: (apiKey) => ({ headers: { 'api-key': apiKey } }),
      capabilities: openaiCapabilities(model, modelOptions),
    })
}
