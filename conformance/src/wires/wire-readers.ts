import { anthropicMessages } from './anthropic-messages/read-request.ts'
import { geminiGenerate } from './gemini-generate/read-request.ts'
import { ollamaChat } from './ollama-chat/read-request.ts'
import { openaiChat } from './openai-chat/read-request.ts'
import { openaiResponses } from './openai-responses/read-request.ts'
import type { WireReader } from './request-view.ts'

/** One per wire format. A format without a line here is judged by everything that needs no look into request bodies. */
const readers: readonly WireReader[] = [openaiResponses, openaiChat, anthropicMessages, geminiGenerate, ollamaChat]

export function wireReader(wire: string): WireReader | undefined {
  return readers.find((reader) => reader.wire === wire)
}
