import type { JsonObject } from '@steploop/core'
import { opaqueStrings } from '../traffic/survival.ts'
import type { Conversation, ConversationReader } from './conversation.ts'
import { anthropicMessagesConversation } from './read-anthropic-messages.ts'
import { geminiGenerateConversation } from './read-gemini-generate.ts'
import { ollamaChatConversation } from './read-ollama-chat.ts'
import { openaiChatConversation } from './read-openai-chat.ts'
import { openaiResponsesConversation } from './read-openai-responses.ts'

/** One per wire format. A format without a line here is out of scope. */
const readers: readonly ConversationReader[] = [
  openaiResponsesConversation,
  openaiChatConversation,
  anthropicMessagesConversation,
  geminiGenerateConversation,
  ollamaChatConversation,
]

/** `undefined`: no reader knows the wire format. */
export function readConversation(wire: string, body: JsonObject): Conversation | undefined {
  const read = readers.find((reader) => reader.wire === wire)?.read(body)
  return read && { ...read, opaque: opaqueStrings(body) }
}
