import { anthropicMessagesResponse } from './anthropic-messages/read-response.ts'
import { geminiGenerateResponse } from './gemini-generate/read-response.ts'
import { ollamaChatResponse } from './ollama-chat/read-response.ts'
import { openaiChatResponse } from './openai-chat/read-response.ts'
import { openaiResponsesResponse } from './openai-responses/read-response.ts'
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
