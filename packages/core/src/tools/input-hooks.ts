import type { Message, ToolCallPart, ToolErrorValue } from '../contract/messages.ts'

/** How an application may change the input of a call before it is judged. Each gets a copy of the call. */
export interface InputHooks {
  /** Gives the input to use instead, `undefined` to keep the model's. What it gives is validated like the model's. */
  readonly refineInput?: ((call: ToolCallPart, context: InputContext) => unknown) | undefined
  /**
   * Gives an input for a call whose arguments are no JSON object or not valid, `undefined` to leave it at the error. `{}` runs such a call
   * without arguments. A truncated call is never asked about.
   */
  readonly onInvalidInput?: ((call: ToolCallPart, error: ToolErrorValue, context: InputContext) => unknown) | undefined
}

/** The hooks, and what they are told of the run. */
export interface InputRules extends InputHooks {
  readonly instructions?: string | undefined
}

export interface InputContext {
  readonly messages: readonly Message[]
  /** The system prompt of the run. */
  readonly instructions: string | undefined
}
