import {
  defineHttpAdapter,
  type Adapter,
  type AssistantMessage,
  type Message,
  type ProviderOptions,
  type WireFormat,
} from '@steploop/core/adapter'
import { chatCompletions, mapHistory } from '@steploop/openai-compatible'
import { mistralCapabilities } from './capabilities.ts'
import { mistralDialect } from './dialect.ts'

/**
 * Makes adapters for Mistral's Chat Completions. The key comes from `apiKey` or MISTRAL_API_KEY, read at the first turn; without one a
 * turn throws `missing-api-key`.
 */
export function createMistral(options: ProviderOptions = {}): (modelId: string) => Adapter {
  const { baseURL = 'https://api.mistral.ai/v1', ...rest } = options
  return (model) =>
    defineHttpAdapter(mistralWire(model), {
      ...rest,
      baseURL,
      provider: 'mistral',
      model,
      apiKeyVariable: 'MISTRAL_API_KEY',
      capabilities: mistralCapabilities,
    })
}

/** The default instance: `mistral('mistral-large-latest')`. */
export const mistral: (modelId: string) => Adapter = createMistral()

/** Mistral refuses the order results, question (`invalid_request_message_order`), so a word of the assistant goes in between. */
function mistralWire(model: string): WireFormat {
  const wire = chatCompletions({ provider: 'mistral', model, dialect: mistralDialect(model) })
  const bridged = mapHistory((message, before) => {
    if (before?.role !== 'tool') return [message]
    if (message.role === 'user') return [bridge, message]
    return message.role === 'assistant' && saysNothing(message) ? [bridge] : [message]
  })
  return {
    ...wire,
    encode(request, mode) {
      const messages = bridged(request.messages)
      const encoded = wire.encode({ ...request, messages }, mode)
      if (!messages.includes(bridge)) return encoded
      const message = `Mistral takes no question right after tool results; '${bridgeText}' of the assistant was put before it`
      return { ...encoded, warnings: [...encoded.warnings, { type: 'repaired', path: 'messages', message }] }
    },
  }
}

/** Whether nothing of the turn is sent, so that the next question would stand right after the results. */
function saysNothing({ content, provider }: AssistantMessage): boolean {
  return content.every((part) => {
    if (part.providerMetadata?.provider === 'mistral') return false
    if (part.type === 'text' || part.type === 'refusal') return part.text === ''
    if (part.type === 'reasoning') return provider !== 'mistral'
    return part.type !== 'tool-call' || part.owner === 'provider'
  })
}

const bridgeText = 'OK.'
const bridge: Message = { role: 'assistant', content: [{ type: 'text', text: bridgeText }] }
