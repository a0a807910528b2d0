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

export function changeTools(request: TurnRequest, change: (message: ToolMessage) => ToolMessage): TurnRequest {
  return withMessages(request, (messages) =>
    messages.map((message) => (message.role === 'tool' ? change(message) : message)),
  )
}

export function changeResults(request: TurnRequest, change: (result: ToolResultPart) => ToolResultPart): TurnRequest {
  return changeTools(request, ({ content }) => ({ role: 'tool', content: content.map((result) => change(result)) }))
}

export function changeAssistants(
  request: TurnRequest,
  change: (message: AssistantMessage) => AssistantMessage,
): TurnRequest {
  return withMessages(request, (messages) =>
    messages.map((message) => (message.role === 'assistant' ? change(message) : message)),
  )
}

export function changeParts(
  request: TurnRequest,
  change: (part: AssistantPart) => readonly AssistantPart[],
): TurnRequest {
  return changeAssistants(request, (message) => ({
    ...message,
    content: message.content.flatMap((part) => change(part)),
  }))
}

/** What any provider has made, as if this one had. */
export function takenForOwn(request: TurnRequest, { provider }: { readonly provider: string }): TurnRequest {
  return changeParts(request, (part) =>
    part.providerMetadata === undefined
      ? [part]
      : [{ ...part, providerMetadata: { ...part.providerMetadata, provider } }],
  )
}

/** Tools have answered already. */
export function isContinuation({ messages }: TurnRequest): boolean {
  return messages.some(({ role }) => role === 'tool')
}
