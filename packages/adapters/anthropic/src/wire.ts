import type { ToolDefinition, WireFormat } from '@steploop/core/adapter'
import { createDecoder, decodeMessage } from './decode.ts'
import { createEncoder, type MessagesCloud } from './encode.ts'
import { decodeError } from './errors.ts'
import { toolNames } from './names.ts'
import type { DecoderOptions } from './decode-blocks.ts'

export interface AnthropicMessagesOptions {
  /** Key of `providerOptions` and mark on parts. */
  readonly provider: string
  readonly model: string
  /** Values of the `anthropic-beta` header. */
  readonly betas?: readonly string[] | undefined
  /** Whether own thoughts without a signature go back. Default `drop`: Anthropic refuses them. */
  readonly unsignedThinking?: 'drop' | 'keep' | undefined
  /** Default: Anthropic's own API. */
  readonly cloud?: MessagesCloud | undefined
}

/**
 * The wire format `anthropic-messages`, for this provider's adapter and for gateways that speak it. Make one per adapter: it keeps what
 * it encoded. Terminal evidence of a stream is `message_stop`.
 */
export function anthropicMessages(options: AnthropicMessagesOptions): WireFormat {
  const { provider, model } = options
  const decoding = (tools: readonly ToolDefinition[] | undefined): DecoderOptions => {
    return { provider, model, toolNames: toolNames(tools) }
  }
  return {
    name: 'anthropic-messages',
    framing: 'sse',
    encode: createEncoder(options),
    decode: (json, request, out) => decodeMessage(json, request, decoding(request.tools), out),
    createDecoder: (request) => createDecoder(request, decoding(request.tools)),
    decodeError,
  }
}
