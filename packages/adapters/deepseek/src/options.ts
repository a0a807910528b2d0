import {
  defineHttpAdapter,
  objectOf,
  type Adapter,
  type ProviderOptions,
  type TurnRequest,
  type WireFormat,
} from '@steploop/core/adapter'
import { chatCompletions } from '@steploop/openai-compatible'
import { deepseekCapabilities } from './capabilities.ts'
import { deepseekDialect, thinksByDefault } from './dialect.ts'

/**
 * Makes adapters for DeepSeek's Chat Completions. The key comes from `apiKey` or DEEPSEEK_API_KEY, read at the first turn; without one a
 * turn throws `missing-api-key`.
 */
export function createDeepSeek(options: ProviderOptions = {}): (modelId: string) => Adapter {
  const { baseURL = 'https://api.deepseek.com', ...rest } = options
  return (model) =>
    defineHttpAdapter(deepseekWire(model), {
      ...rest,
      baseURL,
      provider: 'deepseek',
      model,
      apiKeyVariable: 'DEEPSEEK_API_KEY',
      capabilities: deepseekCapabilities(model),
    })
}

/** The default instance: `deepseek('deepseek-chat')`. */
export const deepseek: (modelId: string) => Adapter = createDeepSeek()

/** Two dialects of one format, as what may be sent depends on whether the turn is in thinking mode. */
function deepseekWire(model: string): WireFormat {
  const provider = 'deepseek'
  const wire = (thinking: boolean): WireFormat =>
    chatCompletions({ provider, model, dialect: deepseekDialect({ thinking }) })
  const [thinking, plain] = [wire(true), wire(false)]
  return { ...thinking, encode: (request, mode) => (thinks(model, request) ? thinking : plain).encode(request, mode) }
}

function thinks(model: string, { settings, providerOptions }: TurnRequest): boolean {
  const mode = objectOf(providerOptions?.['deepseek']?.['thinking'])['type']
  if (mode !== undefined) return mode !== 'disabled'
  return settings?.reasoning === undefined ? thinksByDefault(model) : settings.reasoning !== 'none'
}
