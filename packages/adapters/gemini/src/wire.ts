import type { ToolDefinition, WireFormat } from '@steploop/core/adapter'
import { createDecoder, decodeResponse } from './decode.ts'
import { createEncoder } from './encode.ts'
import { decodeError } from './errors.ts'
import type { PartReaderOptions } from './decode-parts.ts'
import { toolNames } from './names.ts'

export interface GeminiGenerateOptions {
  /** Key of `providerOptions` and mark on parts. */
  readonly provider: string
  readonly model: string
  /**
   * Ask for the calls that built-in tools make, so that they show up as parts and return. Default true; Vertex AI refuses the field.
   */
  readonly serverToolCalls?: boolean | undefined
}

/**
 * The wire format `gemini-generate` (generateContent and streamGenerateContent). Make one per adapter: it keeps what it encoded.
 * Terminal evidence of a stream is a `finishReason`, or a `blockReason` for the prompt.
 */
export function geminiGenerate(options: GeminiGenerateOptions): WireFormat {
  const { provider, model, serverToolCalls = true } = options
  const reading = (tools: readonly ToolDefinition[] | undefined): PartReaderOptions => {
    return { provider, model, toolNames: toolNames(tools) }
  }
  return {
    name: 'gemini-generate',
    framing: 'sse',
    encode: createEncoder({ provider, model, serverToolCalls }),
    decode: (json, request, out) => decodeResponse(json, request, reading(request.tools), out),
    createDecoder: (request) => createDecoder(request, reading(request.tools)),
    decodeError,
  }
}
