import type { Origin, WireFormat } from '@steploop/core/adapter'
import { createStreamDecoder, decodeAnswer } from './decode.ts'
import { createEncoder } from './encode.ts'
import { decodeErrorBody } from './errors.ts'

/**
 * The wire format `ollama-chat`: POST /api/chat, answered by one JSON object or by one per line
 * (https://docs.ollama.com/api/chat). Make one per adapter: it keeps what it has encoded.
 */
export function ollamaChat(origin: Origin): WireFormat {
  return {
    name: 'ollama-chat',
    framing: 'ndjson',
    encode: createEncoder(origin),
    decode: (json, request, out) => decodeAnswer(json, request, origin, out),
    createDecoder: (request) => createStreamDecoder(request, origin),
    decodeError: decodeErrorBody,
  }
}
