import type { Scenario } from '../../scenario.ts'
import { anthropicMessagesQuirks } from '../../wires/anthropic-messages/quirks.ts'
import { callIdShapes } from './call-id-shapes.ts'
import { chatProviderQuirks } from '../../wires/openai-chat/provider-quirks.ts'
import { compatibleChatQuirks } from '../../wires/openai-chat/quirks.ts'
import { geminiGenerateQuirks } from '../../wires/gemini-generate/quirks.ts'
import { groqToolUseFailed } from './groq-tool-use-failed.ts'
import { ollamaChatQuirks } from '../../wires/ollama-chat/quirks.ts'
import { openaiResponsesQuirks } from '../../wires/openai-responses/quirks.ts'

/** What real servers send and a tidy simulator does not: each exists only where it was seen. */
export const quirkScenarios: readonly Scenario[] = [
  ...openaiResponsesQuirks,
  ...anthropicMessagesQuirks,
  ...geminiGenerateQuirks,
  ...chatProviderQuirks,
  groqToolUseFailed,
  ...compatibleChatQuirks,
  callIdShapes,
  ...ollamaChatQuirks,
]
