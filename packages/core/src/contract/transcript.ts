import type { Message } from './messages.ts'

/** A call that waits for the caller: an answer of a client-owned tool, or an approval. */
export interface PendingCall {
  readonly toolCallId: string
  readonly toolName: string
  /** What `execute`, or the caller, gets: the arguments with the defaults and transforms of the schema, as JSON data. */
  readonly input: unknown
  readonly reason: 'client-tool' | 'approval'
  /** What an approval is bound to: a hash of the tool's name, definition and this `input`. */
  readonly hash?: string | undefined
  /** For an approval: the arguments that become `input`, where hooks or an approver gave others than the model. */
  readonly refined?: { readonly input: unknown } | undefined
  /** Set where they are an approver's: the model has to be told of them. */
  readonly edited?: true | undefined
  /**
   * Set where the run failed before the call was judged: its input may not be validated yet, and `denyCall` has not said anything. Show it to
   * nobody. Going on judges it, before an answer counts, and leaves it waiting without this mark.
   */
  readonly unjudged?: true | undefined
  /** Set where only an edit of its step had offered the tool: `activeTools` does not keep the call from running. */
  readonly offered?: true | undefined
}

/** What a client-owned tool gave. */
export type ClientToolOutput =
  /** A text as it is, anything else as JSON. */
  | { readonly output: unknown }
  /** What went wrong, for the model. */
  | { readonly error: string }

/** The caller's answer to a pending call: of a client-owned tool `{ output }` or `{ error }`, to an approval `{ approved }`. */
export type ToolAnswer =
  | ClientToolOutput
  /** Approval: run it, with changed input if given. With `hash`, that of the pending call, it counts for that very call and input alone. */
  | { readonly approved: true; readonly input?: unknown; readonly hash?: string | undefined }
  /** Approval denied; the model gets the reason. */
  | { readonly approved: false; readonly reason?: string | undefined; readonly hash?: string | undefined }

/** What the limits of a run that is not over have counted so far. */
export interface RunProgress {
  readonly steps: number
  readonly toolCalls: number
  readonly tokens: number
  readonly cost: number
  /** Tokens and cost of the last turn. */
  readonly lastTokens: number
  readonly lastCost: number
  /** A hash of the calls of each of the last steps, to see repetitions. */
  readonly batches: readonly string[]
  /** The model was told that it repeats itself. */
  readonly nudged: boolean
}

/**
 * The immutable, serialisable record of a run: `JSON.parse(JSON.stringify(transcript))` resumes with a byte-equal next request.
 *
 * A run believes what it holds, so it has to come from the application's own store, or signed: see `signTranscript`.
 */
export interface Transcript {
  readonly version: 1
  /** Made when the conversation began; the first part of every call's idempotency key. */
  readonly id: string
  /** The whole conversation, caller's input included. */
  readonly messages: readonly Message[]
  /** Calls of the last assistant message that are not answered yet; results of its other calls are in the last message. */
  readonly pendingCalls: readonly PendingCall[]
  /** Turns of a model in the whole conversation, those included that were cut off its beginning. Absent: those in `messages`. */
  readonly turns?: number | undefined
  /** Counts of a run that waits or failed, which its limits go on from; without it, or with a new prompt, limits begin anew. */
  readonly progress?: RunProgress | undefined
  /** The provider's response that the conversation may go on from, and a hash of the messages that it covers. */
  readonly continuation?: { readonly responseId: string; readonly hash: string } | undefined
}
