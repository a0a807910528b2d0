import type { UiFile, UiMessageMetadata, UiRefusal, UiSource } from './chunks.ts'

/** A message as the AI SDK's pages keep it (`UIMessage`). */
export interface UiMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly metadata?: UiMessageMetadata | undefined
  readonly parts: readonly UiPart[]
}

export type UiPart =
  | { readonly type: 'step-start' }
  /** What a user said has no `state`. */
  | { readonly type: 'text'; readonly text: string; readonly state?: 'done' | undefined }
  | { readonly type: 'reasoning'; readonly text: string; readonly state: 'done' }
  | (UiFile & { readonly filename?: string | undefined })
  | UiSource
  | UiRefusal
  | UiToolPart

/** A call: of type `tool-NAME`, or `dynamic-tool` with its name beside it. */
export type UiToolPart = {
  readonly type: `tool-${string}` | 'dynamic-tool'
  readonly toolName?: string | undefined
  readonly toolCallId: string
  readonly input: unknown
  readonly providerExecuted?: true | undefined
} & (
  | { readonly state: 'input-available' }
  | { readonly state: 'approval-requested'; readonly approval: { readonly id: string } }
  | { readonly state: 'output-available'; readonly output: unknown }
  | { readonly state: 'output-error'; readonly errorText: string }
  | { readonly state: 'output-denied'; readonly approval: { readonly id: string; readonly approved: false } }
)
