import type { JsonObject } from '@steploop/core/adapter'
import type { AnswerForm } from '../variants/answer-forms.ts'

/** What some provider puts into an answer, and what goes back to it. */
export interface ChatForm extends AnswerForm {
  readonly message: JsonObject
  /** The message in a stream. Default: all of it in one delta. */
  readonly deltas?: readonly JsonObject[]
  /** Members of the body, and of each chunk, beside the choices. */
  readonly beside?: JsonObject
  /** Members of the choice that ends the answer. */
  readonly choice?: JsonObject
  /** What goes back in its place. */
  readonly back: JsonObject
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
