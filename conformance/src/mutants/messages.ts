import type {
  AssistantMessage,
  AssistantPart,
  Message,
  ToolMessage,
  ToolResultPart,
  TurnRequest,
} from '@steploop/core/adapter'

/** The request with another conversation. */
export function withMessages(
  request: TurnRequest,
  change: (messages: readonly Message[]) => readonly Message[],
): TurnRequest {
  return { ...request, messages: change(request.messages) }
}

export function changeTools(
  messages: readonly Message[],
  change: (message: ToolMessage) => ToolMessage,
): readonly Message[] {
  return messages.map((message) => (message.role === 'tool' ? change(message) : message))
}

export function changeResults(
  messages: readonly Message[],
  change: (result: ToolResultPart) => ToolResultPart,
): readonly Message[] {
  return changeTools(messages, ({ content }) => ({ role: 'tool', content: content.map((result) => change(result)) }))
}

export function changeAssistants(
  messages: readonly Message[],
  change: (message: AssistantMessage) => AssistantMessage,
): readonly Message[] {
  return messages.map((message) => (message.role === 'assistant' ? change(message) : message))
}

export function changeParts(
  messages: readonly Message[],
  change: (part: AssistantPart) => readonly AssistantPart[],
): readonly Message[] {
  return changeAssistants(messages, (message) => ({
    ...message,
    content: message.content.flatMap((part) => change(part)),
  }))
}

/** Tools have answered already. */
export function isContinuation({ messages }: TurnRequest): boolean {
  return messages.some(({ role }) => role === 'tool')
}
