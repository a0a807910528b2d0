import type { JsonObject } from '@steploop/core/adapter'
import { opaqueStrings } from './opaque-strings.ts'
import type { Conversation } from '../read/conversation.ts'
import { wireKit } from '../index.ts'

/** `undefined`: no reader knows the wire format, and the conversation is out of scope. */
export function readConversation(wire: string, body: JsonObject): Conversation | undefined {
  const read = wireKit(wire)?.readConversation?.(body)
  return (
    read && { ...read, items: read.items.map((item) => ({ ...item, path: undefined })), opaque: opaqueStrings(body) }
  )
}
