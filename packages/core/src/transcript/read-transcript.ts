import type { AssistantMessage, ToolCallPart, ToolResultPart } from '../contract/messages.ts'
import { structuredToolName } from '../run/structured.ts'
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
