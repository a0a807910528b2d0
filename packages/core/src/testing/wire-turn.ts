import type { Mode, TurnRequest, Warning } from '../contract/adapter.ts'
import type { EncodedRequest, WireFormat } from '../contract/wire-format.ts'
import { arrayOf, objectOf, type JsonObject, type Origin } from '../wire/json.ts'
import { decodeEvents, type DecodedEvents } from './decode-events.ts'
import { checkError, wholeWarnings } from './whole-warnings.ts'

/** What an encoder made of a turn. */
export interface EncodedTurn {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The body as it goes out, and what it holds. */
  readonly text: string
  readonly body: JsonObject
  /** The objects in the list of the body that holds the conversation. */
  readonly messages: readonly JsonObject[]
  readonly warnings: readonly Warning[]
}

/**
 * Encodes a turn and reads the body again, for tests of a wire format.
 *
 * @param list the member of the body that holds the conversation. Default `messages`
 * @throws TypeError for a warning or an error that is not whole
 */
export function encodeTurn(
  wire: WireFormat,
  request: TurnRequest,
  mode: Mode = 'generate',
  list = 'messages',
): EncodedTurn {
  const { path, headers = {}, body: text, warnings } = encoded(wire, request, mode)
  const body = objectOf(JSON.parse(text))
  return { path, headers, text, body, messages: arrayOf(body[list]).map(objectOf), warnings: wholeWarnings(warnings) }
}

function encoded(wire: WireFormat, request: TurnRequest, mode: Mode): EncodedRequest {
  try {
    return wire.encode(request, mode)
  } catch (error) {
    checkError(error)
    throw error
  }
}

export interface DecodeOptions {
  readonly request: TurnRequest
  /** Written on the message. */
  readonly origin: Origin
}

/** Decodes a stream, each frame by itself: objects as JSON, texts as they are. Frames have no names. */
export function decodeStream(
  wire: WireFormat,
  frames: readonly (object | string)[],
  { request, origin }: DecodeOptions,
): DecodedEvents {
  return decodeEvents((out) => {
    const decoder = wire.createDecoder(request)
    for (const frame of frames) decoder.push({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) }, out)
    decoder.end(out)
  }, origin)
}

/** Decodes the one body of a turn that is not streamed. */
export function decodeWhole(wire: WireFormat, body: unknown, { request, origin }: DecodeOptions): DecodedEvents {
  return decodeEvents((out) => wire.decode(body, request, out), origin)
}
