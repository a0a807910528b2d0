import type { FilePart, JsonObject } from '@steploop/core/adapter'
import type { Message } from 'ollama'

/** The ids are newer than the vendor's types: servers that give them take them back, older ones skip them. */
export interface WireCall {
  readonly id?: string
  readonly function: { readonly name: string; readonly arguments: JsonObject }
}

export interface WireMessage {
  readonly role: string
  readonly content: string
  readonly thinking?: string
  readonly images?: string[]
  readonly tool_calls?: WireCall[]
  readonly tool_name?: string
  readonly tool_call_id?: string
}

/** Each member has to be one of the vendor's, of a type that fits. */
type Documented = Message & Record<Exclude<keyof WireMessage, keyof Message | 'tool_call_id'>, never>

/** `content` is required in every role, be it empty (docs/wire.md#ollama). */
export function printMessage(message: WireMessage): string {
  return JSON.stringify(message satisfies Documented)
}

/** The base64 data of an image, the only kind of file that the API takes; `undefined` for the rest. */
export function imageData({ mediaType, data }: FilePart): string | undefined {
  return mediaType.startsWith('image/') ? data : undefined
}
