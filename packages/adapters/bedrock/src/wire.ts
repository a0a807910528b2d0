import { anthropicMessages } from '@steploop/anthropic'
import { objectOf, type Framer, type Origin, type WireFormat } from '@steploop/core/adapter'
import { createStreamDecoder, decodeAnswer } from './decode.ts'
import { createEncoder } from './encode.ts'
import { decodeErrorBody, throwIfErrorBody, throwIfException } from './errors.ts'
import { createEventStreamFramer } from './event-stream.ts'
import { parsePayload } from './payload.ts'
import { escapeUri } from './sign-request.ts'
import { toolNames } from './names.ts'

/**
 * The wire format `bedrock-converse`: POST /model/{id}/converse, and /converse-stream in messages of the AWS event stream
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html). Make one per adapter: it keeps what it encoded.
 */
export function bedrockConverse(origin: Origin): WireFormat {
  return {
    name: 'bedrock-converse',
    framing: () => createEventStreamFramer(origin),
    encode: createEncoder(origin),
    decode: (json, { turn, tools }, out) => decodeAnswer(json, { origin, turn, toolNames: toolNames(tools) }, out),
    createDecoder: ({ turn, tools }) => createStreamDecoder({ origin, turn, toolNames: toolNames(tools) }),
    decodeError: decodeErrorBody,
  }
}

/** Claude in its own format: the Messages API in the body, its events in messages of the AWS event stream. */
export function bedrockMessages(origin: Origin, betas?: readonly string[]): WireFormat {
  const wire = anthropicMessages({
    ...origin,
    betas,
    cloud: {
      version: 'bedrock-2023-05-31',
      path: (mode) =>
        `/model/${escapeUri(origin.model)}/${mode === 'stream' ? 'invoke-with-response-stream' : 'invoke'}`,
      betasInBody: true,
    },
  })
  return {
    ...wire,
    framing: () => createChunkFramer(origin),
    decode(json, request, out) {
      throwIfErrorBody(objectOf(json), origin)
      wire.decode(json, request, out)
    },
    createDecoder(request) {
      const decoder = wire.createDecoder(request)
      return {
        ...decoder,
        push(frame, out) {
          throwIfException(frame, origin)
          decoder.push(frame, out)
        },
      }
    },
    decodeError: decodeErrorBody,
  }
}

/** The event of Anthropic's stream is base64 in the member `bytes`. */
function createChunkFramer(origin: Origin): Framer {
  const framer = createEventStreamFramer(origin)
  return {
    push: (bytes, onFrame) =>
      framer.push(bytes, (frame) =>
        onFrame(frame.event === 'chunk' ? { data: parsePayload(frame.data, origin) } : frame),
      ),
    end: (onFrame) => framer.end(onFrame),
  }
}
