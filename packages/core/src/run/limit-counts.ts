import type { RunProgress } from '../contract/transcript.ts'

/** What the limits count, updated once per step. */
export interface LimitCounts {
  /** Calls that were run. */
  toolCalls: number
  tokens: number
  cost: number
  /** Of the last turn: what the next one will need at least, since the conversation only grows. */
  lastTokens: number
  lastCost: number
  /** A hash of the calls of each step, to see repetitions. */
  readonly batches: string[]
  /** The model was told that it repeats itself. */
  nudged: boolean
  repeated: boolean
}

/** Counts on where a run goes on. */
export function createCounts({ steps: _steps, ...counted }: RunProgress): LimitCounts {
  return { ...counted, batches: counted.batches.slice(), repeated: false }
}

/** Of a run that begins. */
export const noProgress: RunProgress = Object.freeze({
  steps: 0,
  toolCalls: 0,
  tokens: 0,
  cost: 0,
  lastTokens: 0,
  lastCost: 0,
  batches: [],
  nudged: false,
})
