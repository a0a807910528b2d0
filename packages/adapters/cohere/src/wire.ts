import type { Origin, WireFormat } from '@steploop/core/adapter'
import { createStreamDecoder, decodeAnswer } from './decode.ts'
import { createEncoder } from './encode.ts'
import { decodeErrorBody } from './errors.ts'
import { toolNames } from './names.ts'

/**
 * The wire format `cohere-chat`: POST /chat below `/v2`, answered by one JSON object or by events
 * (https://docs.cohere.com/reference/chat). Make one per adapter: it keeps what it has encoded.
 * Terminal evidence of a stream is `message-end`.
 */
export function cohereChat(origin: Origin): WireFormat {
  return {
    name: 'cohere-chat',
    framing: 'sse',
    encode: createEncoder(origin),
    decode: (json, { turn, tools }, out) => decodeAnswer(json, { origin, turn, toolNames: toolNames(tools) }, out),
    createDecoder: ({ turn, tools }) => createStreamDecoder({ origin, turn, toolNames: toolNames(tools) }),
    decodeError: decodeErrorBody,
  }
}
