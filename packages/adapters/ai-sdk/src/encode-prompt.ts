import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import type {
  AssistantMessage,
  Message,
  ToolMessage,
  ToolResultPart,
  TurnRequest,
  UserMessage,
} from '@steploop/core/adapter'
import { acceptableCallId } from './call-id.ts'
import { encodeAssistantPart } from './encode-assistant-part.ts'
import { encodeFile } from './encode-file.ts'
import { encodeOutput } from './encode-output.ts'
import { metadataOf, ownPayload } from './payload.ts'
import type { HistoryContext, PromptContext } from './prompt-context.ts'

/** Instructions and conversation as the AI SDK's prompt. Payloads of this provider return verbatim, those of others are left out. */
export function encodePrompt(request: TurnRequest, context: PromptContext): LanguageModelV4Prompt {
  const history: HistoryContext = { ...context, ownIds: new Map(), usedIds: new Set() }
  const prompt: LanguageModelV4Prompt = []
  if (request.instructions !== undefined) prompt.push({ role: 'system', content: request.instructions })
  for (const message of request.messages) {
    const encoded = encodeMessage(message, history)
    if (encoded !== undefined) prompt.push(encoded)
  }
  return prompt
}

/** `undefined` where nothing of the message can be sent. */
function encodeMessage(message: Message, context: HistoryContext): LanguageModelV4Message | undefined {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content }
    case 'user':
      return userMessage(message, context)
    case 'assistant':
      return assistantMessage(message, context)
    case 'tool':
      return toolMessage(message, context)
    default:
      return message satisfies never
  }
}

function userMessage({ content }: UserMessage, context: HistoryContext): LanguageModelV4Message {
  if (typeof content === 'string') return { role: 'user', content: [{ type: 'text', text: content }] }
  const parts = content.map((part) =>
    part.type === 'text'
      ? { type: 'text' as const, text: part.text, ...metadataOf(ownPayload(part, context.origin)) }
      : { ...encodeFile(part, context), ...metadataOf(ownPayload(part, context.origin)) },
  )
  return { role: 'user', content: parts }
}

function assistantMessage(message: AssistantMessage, context: HistoryContext): LanguageModelV4Message | undefined {
  const content = message.content.flatMap((part) => encodeAssistantPart(part, message, context) ?? [])
  return content.length === 0
    ? undefined
    : { role: 'assistant', content, ...metadataOf(ownPayload(message, context.origin)) }
}

function toolMessage({ content }: ToolMessage, context: HistoryContext): LanguageModelV4Message {
  return { role: 'tool', content: content.map((part) => toolResult(part, context)) }
}

function toolResult(part: ToolResultPart, context: HistoryContext): LanguageModelV4ToolResultPart {
  const { toolCallId, toolName, output } = part
  return {
    type: 'tool-result',
    toolCallId: context.ownIds.get(toolCallId) ?? acceptableCallId(toolCallId, context.namespace),
    toolName,
    output: encodeOutput(output, context),
    ...metadataOf(ownPayload(part, context.origin)),
  }
}
