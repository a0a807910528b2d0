import { defineHttpAdapter, type Adapter, type ProviderOptions, type TokenOptions } from '@steploop/core/adapter'
import { chatCapabilities } from './capabilities.ts'
import type { ChatDialect } from './dialect.ts'
import { chatCompletions } from './wire.ts'

export interface AzureChatOptions extends ProviderOptions, TokenOptions {
  /**
   * Up to and including `/openai/v1`, for example `https://my-resource.openai.azure.com/openai/v1`; or, for the dated API, up to and
   * including `/openai/deployments/<deployment>`, together with `apiVersion`.
   */
  readonly baseURL: string
  /** Sent as `api-version`. Default: none, which the v1 API takes. */
  readonly apiVersion?: string | undefined
}

/**
 * Makes adapters for deployments on Azure behind Chat Completions (`provider`: `azure`). The key comes from `apiKey` or
 * AZURE_OPENAI_API_KEY and goes out as `api-key`; `accessToken` gives tokens of Microsoft Entra
 * instead (scope `https://cognitiveservices.azure.com/.default`). The leading chunk without choices and id (docs/wire.md#chat-chunks-without-choices,
 * docs/wire.md#chat-ids-of-chunks) is read as the generic format does.
 */
export function createAzureChat(options: AzureChatOptions): (deployment: string) => Adapter {
  const { apiVersion, ...rest } = options
  const query = apiVersion === undefined ? '' : `?api-version=${encodeURIComponent(apiVersion)}`
  const dialect: ChatDialect = {
    path: `/chat/completions${query}`,
    // Deployments of reasoning models refuse `max_tokens`; the others take both names.
    settings: { maxOutputTokens: 'max_completion_tokens' },
  }
  return (model) =>
    defineHttpAdapter(chatCompletions({ provider: 'azure', model, dialect }), {
      ...rest,
      provider: 'azure',
      model,
      apiKeyVariable: 'AZURE_OPENAI_API_KEY',
      auth: (apiKey) => ({ headers: { 'api-key': apiKey } }),
      capabilities: chatCapabilities(dialect),
    })
}
