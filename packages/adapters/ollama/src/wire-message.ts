import type { FilePart } from '@steploop/core'
import type { Message, ToolCall } from 'ollama'

/** The vendor's types, with the ids that newer servers give to calls; they take them back, older ones skip them. */
export type WireCall = ToolCall & { readonly id?: string }
export type WireMessage = Message & { readonly tool_calls?: WireCall[]; readonly tool_call_id?: string }

/** `content` is required in every role, be it empty (WIRE 2.9). */
export function printMessage(message: WireMessage): string {
  return JSON.stringify(message)
}

/** The base64 data of an image, the only kind of file that the API takes; `undefined` for the rest. */
export function imageData({ mediaType, data }: FilePart): string | undefined {
  return mediaType.startsWith('image/') ? data : undefined
}
