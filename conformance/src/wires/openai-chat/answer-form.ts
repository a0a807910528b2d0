import type { JsonObject } from '@steploop/core/adapter'

/** What some provider puts into an answer, what has to be read of it, and what goes back to it. */
export interface AnswerForm {
  readonly message: JsonObject
  /** The message in a stream. Default: all of it in one delta. */
  readonly deltas?: readonly JsonObject[]
  /** Members of the body, and of each chunk, beside the choices. */
  readonly beside?: JsonObject
  /** Members of the choice that ends the answer. */
  readonly choice?: JsonObject
  /** The provider's finish reason, and the neutral one. Default: a stop. */
  readonly finish?: readonly [raw: string, neutral: 'stop' | 'length' | 'content-filter' | 'tool-calls']
  /** Parts of the message, without what is the provider's own. */
  readonly parts: readonly JsonObject[]
  /** The same message in the next body. */
  readonly back: JsonObject
  /** What counts of the usage. Default: what the base says. */
  readonly counts?: JsonObject
}

/** A call as an adapter reads it. */
export interface ReadCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly inputText: string
  readonly input: unknown
}

export const call = (toolCallId: string, toolName: string, inputText: string): ReadCall => ({
  toolCallId,
  toolName,
  inputText,
  input: JSON.parse(inputText),
})
