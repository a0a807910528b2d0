import type { ToolChoice } from '@steploop/core'

/** A request body as a neutral conversation, so that one set of checks judges every wire format. */
export interface RequestView {
  /**
   * What does not stand in the other members: model, settings, options of the provider. Equal in every request of a run. Tools, their choice
   * and the format of the answer may be here under `tools`, `tool_choice`, `parallel_tool_calls` and `response_format`, and under no other name.
   */
  readonly head: Readonly<Record<string, unknown>>
  /** In the order of the body, those of the provider's own among them. */
  readonly tools: readonly ToolView[]
  /** What the body says of the tools that may or must be called; `undefined` where it says nothing, which is `auto`. */
  readonly toolChoice: ToolChoice | undefined
  /** The body asks for one call per turn at most. Needed only where no member of it is named after `parallel`. */
  readonly oneCallPerTurn?: boolean | undefined
  /** The JSON schema that the answer has to keep to; `undefined` where the body asks for none. */
  readonly outputSchema: unknown
  readonly instructions: string | undefined
  /** In the order in which the model reads them. */
  readonly items: readonly ConversationItem[]
  /** The provider has what came before under this response id; `items` then holds what is new. */
  readonly continuation: string | undefined
}

export interface ToolView {
  /** Name as the body has it; empty for tools of the provider's own that have none. */
  readonly name: string
  readonly description: string | undefined
  /** The JSON schema of its input; `undefined` for a tool of the provider's own, and where there is none. */
  readonly inputSchema: unknown
  /** The provider is asked to enforce the schema. */
  readonly strict: boolean
}

/** `path` is where the item stands in the body. */
export type ConversationItem =
  | { readonly type: 'user'; readonly text: string; readonly path: string }
  | { readonly type: 'text'; readonly text: string; readonly path: string }
  | {
      readonly type: 'call'
      readonly id: string
      readonly toolName: string
      /** Parsed arguments; `undefined` when they are no JSON. */
      readonly input: unknown
      readonly path: string
    }
  | {
      readonly type: 'result'
      readonly id: string
      readonly text: string
      /** The format's own flag for a call that failed; absent where it has none. */
      readonly isError?: boolean | undefined
      readonly path: string
    }
  /** Reasoning, refusals of the model, files, provider blocks: kept for their position, not compared. */
  | { readonly type: 'other'; readonly kind: string; readonly path: string }
