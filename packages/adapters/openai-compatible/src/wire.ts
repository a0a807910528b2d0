import { createToolNames, type WireFormat } from '@steploop/core/adapter'
import { createStreamDecoder, decodeAnswer, type DecodeOptions } from './decode.ts'
import { resolveDialect, type ChatDialect } from './dialect.ts'
import { createEncoder } from './encode.ts'
import { decodeErrorBody } from './errors.ts'
import { wireToolName } from './names.ts'

export interface ChatCompletionsOptions {
  /** `Adapter.provider`: the mark on payloads that only this provider gets back. */
  readonly provider: string
  readonly model: string
  readonly dialect?: ChatDialect | undefined
}

/**
 * The wire format `openai-chat` (https://platform.openai.com/docs/api-reference/chat) with a dialect. Make one per adapter: it keeps
 * what it has encoded.
 */
export function chatCompletions({ provider, model, dialect }: ChatCompletionsOptions): WireFormat {
  const resolved = resolveDialect(dialect)
  const origin = { provider, model }
  const toolNames = createToolNames((name) => wireToolName(name, resolved.toolName))
  const decoding: DecodeOptions = { origin, dialect: resolved, toolNames }
  return {
    name: 'openai-chat',
    framing: 'sse',
    encode: createEncoder({ ...origin, dialect: resolved }),
    decode: (json, request, out) => decodeAnswer(json, request, decoding, out),
    createDecoder: (request) => createStreamDecoder(request, decoding),
    decodeError: (status, headers, text) => decodeErrorBody(status, headers, text, resolved.errorWords),
  }
}
