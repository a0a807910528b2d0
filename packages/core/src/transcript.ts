import type { Message } from './messages.ts'

/** A call that waits for the caller: an answer of a client-owned tool, or an approval. */
export interface PendingCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  readonly reason: 'client-tool' | 'approval'
}

/**
 * The immutable, serialisable record of a run: `JSON.parse(JSON.stringify(transcript))` resumes with a byte-equal next request.
 */
export interface Transcript {
  readonly version: 1
  /** Made when the conversation began; the first half of every call's idempotency key. */
  readonly id: string
  /** The whole conversation, caller's input included. */
  readonly messages: readonly Message[]
  /** Calls of the last assistant message that are not answered yet; results of its other calls are in the last message. */
  readonly pendingCalls: readonly PendingCall[]
}
