import type { AssistantMessage, AssistantPart, Message, ToolCallPart, ToolResultPart } from '../contract/messages.ts'
import { structuredToolName, takenOutput } from '../output/structured.ts'
import type { Transcript } from '../contract/transcript.ts'

/** A call of a tool with what came of it. */
export interface ToolInvocation {
  readonly call: ToolCallPart
  /** `undefined` while the call waits for the caller. */
  readonly result: ToolResultPart | undefined
}

/** The model's last message, as it is in the result of the run that ended with it; `undefined` before any. */
export function finalMessage({ messages }: Transcript): AssistantMessage | undefined {
  return messages.findLast((message) => message.role === 'assistant')
}

/** Every call of the conversation in order, of whatever owner, with its result. The hidden call of a structured answer is none. */
export function toolInvocations({ messages }: Transcript): readonly ToolInvocation[] {
  const results = new Map<string, ToolResultPart>()
  const calls: ToolCallPart[] = []
  for (const { role, content } of messages) {
    if (role !== 'assistant' && role !== 'tool') continue
    for (const part of content) {
      if (part.type === 'tool-result') results.set(part.toolCallId, part)
      if (part.type === 'tool-call' && part.toolName !== structuredToolName) calls.push(part)
    }
  }
  return calls.map((call) => ({ call, result: results.get(call.toolCallId) }))
}

/** How often a model was asked and answered in the conversation; see `turns` for messages that were cut off. */
export function iterations({ messages, turns = 0 }: Transcript): number {
  return Math.max(turns, messages.filter(({ role }) => role === 'assistant').length)
}

/**
 * The conversation for people to read, in place of `messages`, which say what the model was told: without what the loop or a policy said
 * in the user's place, and with the object of a structured answer as its JSON, also where core's own hidden tool carried it.
 */
export function visibleMessages({ messages }: Transcript): readonly Message[] {
  const taken = new Set<string>()
  for (const { role, content } of messages) {
    for (const part of role === 'tool' ? content : []) if (isTaken(part)) taken.add(part.toolCallId)
  }
  return messages.flatMap((message): readonly Message[] => {
    switch (message.role) {
      case 'assistant':
        return withContent(
          message,
          message.content.flatMap((part) => visiblePart(part, taken)),
        )
      case 'tool':
        return withContent(
          message,
          message.content.filter(({ toolName }) => toolName !== structuredToolName),
        )
      case 'user':
        return message.synthetic === true ? [] : [message]
      case 'system':
      default:
        return [message]
    }
  })
}

function isTaken({ toolName, output }: ToolResultPart): boolean {
  return toolName === structuredToolName && output.type === takenOutput.type && output.value === takenOutput.value
}

function visiblePart(part: AssistantPart, taken: ReadonlySet<string>): readonly AssistantPart[] {
  if (part.type !== 'tool-call' || part.toolName !== structuredToolName) return [part]
  return taken.has(part.toolCallId) ? [{ type: 'text', text: part.inputText }] : []
}

function withContent<Shown extends Message>(message: Shown, content: Shown['content']): readonly Shown[] {
  return content.length === 0 ? [] : [{ ...message, content }]
}
