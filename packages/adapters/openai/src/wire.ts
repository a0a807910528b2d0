import type { WireFormat } from '@steploop/core/adapter'
import { createStreamDecoder, decodeWhole } from './decode.ts'
import { createEncoder } from './encode.ts'
import { decodeError } from './errors.ts'
import type { ResponsesOptions } from './dialect.ts'

/**
 * The wire format `openai-responses`: OpenAI, and with a few options everyone else who speaks it (Azure, xAI, OpenRouter, vLLM,
 * LM Studio, Bedrock Mantle, DeepSeek). Terminal evidence of a stream: `response.completed`, `response.incomplete` or
 * `response.failed`; `[DONE]` proves nothing (docs/wire.md#the-end-of-a-stream).
 */
export function openaiResponses(options: ResponsesOptions): WireFormat {
  const origin = { provider: options.provider, model: options.model }
  return {
    name: 'openai-responses',
    framing: 'sse',
    encode: createEncoder(options),
    decode: (json, request, out) => decodeWhole(json, request, origin, out),
    createDecoder: (request) => createStreamDecoder(request, origin),
    decodeError,
  }
}
