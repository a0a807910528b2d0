import { anthropicMessagesResponse } from './read-anthropic-messages.ts'
import { geminiGenerateResponse } from './read-gemini-generate.ts'
import { ollamaChatResponse } from './read-ollama-chat.ts'
import { openaiChatResponse } from './read-openai-chat.ts'
import { openaiResponsesResponse } from './read-openai-responses.ts'
import type { ResponseReader } from './response-view.ts'

/** One per wire format; a format without a line here is shown raw. */
const readers: readonly ResponseReader[] = [
  openaiResponsesResponse,
  openaiChatResponse,
  anthropicMessagesResponse,
  geminiGenerateResponse,
  ollamaChatResponse,
]

export function responseReader(wire: string): ResponseReader | undefined {
  return readers.find((reader) => reader.wire === wire)
}
