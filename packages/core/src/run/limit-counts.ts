import type { ToolCallPart } from '../contract/messages.ts'
import type { RunProgress } from '../contract/transcript.ts'
import { canonicalJson } from '../wire/canonical-json.ts'
import { textHash } from '../wire/legal-name.ts'

/** What the limits count, updated once per step. */
export interface LimitCounts {
  /** Turns that are in the history: a turn counts as soon as it is, also where its calls end the run. */
  steps: number
  /** Calls that were run. */
  toolCalls: number
  tokens: number
  cost: number
  /** Of the last turn: what the next one will need at least, since the conversation only grows. */
  lastTokens: number
  lastCost: number
  /** The calls of each step, to see repetitions: themselves, until somebody asks for their hash. */
  readonly batches: (string | readonly ToolCallPart[])[]
  /** The model was told that it repeats itself. */
  nudged: boolean
  repeated: boolean
}

/** Counts on where a run goes on. */
export function createCounts(before: RunProgress): LimitCounts {
  return { ...before, batches: before.batches.slice(), repeated: false }
}

export function progressOf({ repeated: _repeated, batches, ...counted }: LimitCounts): RunProgress {
  return { ...counted, batches: batches.map((_, index) => batchHash(batches, index)) }
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

/** The same for the same calls with the same inputs, however they are spelled. Most runs end before it is asked for, so it is made once it is. */
export function batchHash(batches: LimitCounts['batches'], index: number): string {
  const batch = batches[index] ?? ''
  if (typeof batch === 'string') return batch
  const texts = batch.map((call) => `${call.toolName} ${textOfInput(call)}`)
  return (batches[index] = texts.map((text) => `${textHash(text)}${text.length}`).join(' '))
}

/** An input that only an adapter of somebody else's can give, a bigint say, has no JSON: the hash is made in the middle of a failure too, and must not throw. */
function textOfInput({ input, inputText }: ToolCallPart): string {
  if (input === undefined) return inputText
  try {
    return canonicalJson(input)
  } catch {
    return inputText
  }
}
