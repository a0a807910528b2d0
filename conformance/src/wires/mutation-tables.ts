import { anthropicMessagesMutations } from './anthropic-messages/mutations.ts'
import { geminiGenerateMutations } from './gemini-generate/mutations.ts'
import { ollamaChatMutations } from './ollama-chat/mutations.ts'
import { openaiChatMutations } from './openai-chat/mutations.ts'
import { openaiResponsesMutations } from './openai-responses/mutations.ts'
import type { WireMutation } from './wire-mutation.ts'

const tables: Readonly<Record<string, readonly WireMutation[]>> = {
  'anthropic-messages': anthropicMessagesMutations,
  'gemini-generate': geminiGenerateMutations,
  'ollama-chat': ollamaChatMutations,
  'openai-chat': openaiChatMutations,
  'openai-responses': openaiResponsesMutations,
}

/** What is known of the wire format; nothing for one that nobody wrote a table for. */
export function mutationsOf(wire: string, verdict: WireMutation['verdict']): readonly WireMutation[] {
  return (tables[wire] ?? []).filter((mutation) => mutation.verdict === verdict)
}
