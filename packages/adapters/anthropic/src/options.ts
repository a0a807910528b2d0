import { defineHttpAdapter, type Adapter, type ProviderOptions } from '@steploop/core/adapter'
import { anthropicCapabilities } from './capabilities.ts'
import { anthropicMessages } from './wire.ts'

export interface AnthropicOptions extends ProviderOptions {
  /** Beta features, sent as `anthropic-beta` with every request; `providerOptions.anthropic.betas` adds to them. */
  readonly betas?: readonly string[] | undefined
  /**
   * What becomes of this provider's own thoughts that carry no signature. `drop`, the default, is what Anthropic wants, who refuses them;
   * `keep` is for servers that sign nothing and take them back (llama.cpp).
   */
  readonly unsignedThinking?: 'drop' | 'keep' | undefined
}

/**
 * Makes a factory of adapters for the Messages API: `createAnthropic({ apiKey })('claude-sonnet-4-5')`.
 * Defaults: key from `ANTHROPIC_API_KEY` at the first turn, base URL `https://api.anthropic.com/v1`.
 */
export function createAnthropic(options: AnthropicOptions = {}): (model: string) => Adapter {
  const provider = 'anthropic'
  const { betas, unsignedThinking } = options
  return (model) =>
    defineHttpAdapter(anthropicMessages({ provider, model, betas, unsignedThinking }), {
      ...options,
      provider,
      model,
      capabilities: anthropicCapabilities(model),
      baseURL: options.baseURL ?? 'https://api.anthropic.com/v1',
      apiKeyVariable: 'ANTHROPIC_API_KEY',
      auth: (apiKey) => ({ headers: { 'x-api-key': apiKey } }),
    })
}

/** The default instance: `anthropic('claude-sonnet-4-5')`. */
export const anthropic: (model: string) => Adapter = createAnthropic()
