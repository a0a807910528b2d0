import type { LoopEvent, Mode, RunInput, RunResult } from '@steploop/core'
import type { TurnEvent, TurnRequest } from '@steploop/core/adapter'
import type { OriginKind } from '@steploop/cassette'
import type { RequestView } from './request-view.ts'

/** What a case left behind: all that checks may look at. */
export interface Evidence {
  readonly subject: SubjectFacts
  readonly scenario: string
  readonly mode: Mode
  /** One per call of the loop, in the order in which they were made. */
  readonly runs: readonly RunRecord[]
  /** The provider options that the scenario gave, by provider; empty when it gave none. */
  readonly providerOptions: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** A text that the API key consists of: it may appear in credential headers only. */
  readonly canary: string
  /** The scenario itself failed before its end: what it threw. */
  readonly stopped?: unknown
  /** Where the recording that was replayed comes from; absent when none was. */
  readonly origin?: OriginKind | undefined
  /** What wrote the recording, with its version: the `by` of its origin. */
  readonly recordedBy?: string | undefined
  /** All that the provider answered, one body after the other; absent where nothing was recorded. */
  readonly received?: string | undefined
  /** What replay found: requests that fit no exchange, and exchanges that were not asked for. */
  readonly replayProblems: readonly string[]
}

export interface SubjectFacts {
  readonly name: string
  readonly wire: string
  /** `Adapter.provider`: the key of provider options and the mark on messages. */
  readonly provider: string
  readonly model: string
  /** `Subject.toolNames`. */
  readonly toolNames?: RegExp | undefined
}

export interface RunRecord {
  /** From 1. */
  readonly number: number
  readonly input: RunInput
  /** What `stream()` yielded; empty in generate mode. */
  readonly events: readonly LoopEvent[]
  /** What the loop asked of the adapter, and what the adapter yielded. */
  readonly turns: readonly TurnRecord[]
  readonly requests: readonly SentRequest[]
  /** Tools that really ran, in the order in which they began. */
  readonly executions: readonly Execution[]
  /** Milliseconds that the loop waited between attempts, by the scenario's clock. */
  readonly waits: readonly number[]
  readonly result: RunResult | undefined
  /** What the run rejected with; `undefined` when it resolved. */
  readonly error: unknown
}

export interface TurnRecord {
  /** Request as the loop built it; its messages are a copy of that moment. */
  readonly request: TurnRequest
  readonly events: readonly TurnEvent[]
  /** The adapter changed the request that it was given. */
  readonly isMeddled?: boolean | undefined
  /** What `turn()` threw, or that the loop left it. */
  readonly error: unknown
}

export interface SentRequest {
  readonly method: string
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The parsed body; `undefined` when it is no JSON. */
  readonly body: unknown
  /** The body read as a conversation; `undefined` when no reader knows the wire format. */
  readonly view: RequestView | undefined
}

export interface Execution {
  readonly toolName: string
  readonly toolCallId: string
  readonly idempotencyKey: string
  readonly input: unknown
}

export function allRequests(evidence: Evidence): readonly SentRequest[] {
  return evidence.runs.flatMap((run) => run.requests)
}
