import type { FilePart, TextPart } from './messages.ts'

/** What a tool tells while it runs. It goes to readers of the run's events, never to the model. */
export interface ToolProgress {
  /** How far the tool has come, in units of `total`. */
  readonly progress?: number | undefined
  /** How far it has to come, as far as it knows. */
  readonly total?: number | undefined
  /** Progress in words. */
  readonly message?: string | undefined
  /** For readers of events alone: a picture, say, that the model is not to see. */
  readonly content?: readonly (TextPart | FilePart)[] | undefined
}
