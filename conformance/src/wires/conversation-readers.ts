import type { JsonObject } from '@steploop/core/adapter'
import { opaqueStrings } from './opaque-strings.ts'
import type { Conversation, ConversationReader } from './conversation.ts'
import { anthropicMessagesConversation } from './anthropic-messages/read-conversation.ts'
import { geminiGenerateConversation } from './gemini-generate/read-conversation.ts'
import { ollamaChatConversation } from './ollama-chat/read-conversation.ts'
import { openaiChatConversation } from './openai-chat/read-conversation.ts'
import { openaiResponsesConversation } from './openai-responses/read-conversation.ts'

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
