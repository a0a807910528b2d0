import { canonicalJson, type ResponseView, type Conversation } from '@steploop/conformance/cli'
import type { Allowance } from './allowances.ts'

export type Compared =
  | 'roles'
  | 'system'
  | 'texts'
  | 'calls'
  | 'results'
  | 'user'
  | 'files'
  | 'blocks'
  | 'opaque'
  | 'tools'
  | 'choice'
  | 'previous'

/** One thing in which our request says something else than the recorded one. */
export interface Difference {
  readonly what: Compared
  /** For a person: `turn 2`; empty for what belongs to no turn. */
  readonly where: string
  readonly recorded: string
  readonly ours: string
  /** Why it may; empty: it is not explained. */
  readonly allowed: readonly Allowance[]
}

/** What the recording itself says about who is right. */
export interface RecordedFacts {
  /** The first request of the conversation: its history was made before the recording began. */
  readonly first: Conversation
  /** Responses before this request. */
  readonly responses: readonly ResponseView[]
  /** Opaque strings of these responses. */
  readonly given: ReadonlySet<string>
  /** Kinds of tool choice that the adapter claims. */
  readonly choices: readonly string[]
  /** The adapter claims images in results of tools. */
  readonly showsImages: boolean
}

/** The two sides of a comparison. */
export interface Pair<Value> {
  readonly recorded: Value
  readonly ours: Value
}

/** Brings both sides nearer to each other, for a reason. */
export type Normalization<Value> = readonly [Allowance, (pair: Pair<Value>) => Pair<Value>]

/** Makes the same change of both sides. */
export function onBoth<Value>(reason: Allowance, change: (value: Value) => Value): Normalization<Value> {
  return [reason, ({ recorded, ours }) => ({ recorded: change(recorded), ours: change(ours) })]
}

/** A change of the recorded side, which may look at ours. */
export function onRecorded<Value>(
  reason: Allowance,
  change: (recorded: Value, ours: Value) => Value,
): Normalization<Value> {
  return [reason, ({ recorded, ours }) => ({ recorded: change(recorded, ours), ours })]
}

/** A change of ours, which may look at the recorded side. */
export function onOurs<Value>(
  reason: Allowance,
  change: (ours: Value, recorded: Value) => Value,
): Normalization<Value> {
  return [reason, ({ recorded, ours }) => ({ recorded, ours: change(ours, recorded) })]
}

/** Takes the steps one after the other until the sides are equal. Those that changed something are the reasons. */
function explain<Value>(pair: Pair<Value>, steps: readonly Normalization<Value>[]): readonly Allowance[] {
  const taken: Allowance[] = []
  let now = pair
  for (const [reason, step] of steps) {
    if (isEqual(now)) break
    const next = step(now)
    if (canonicalJson([next.recorded, next.ours]) === canonicalJson([now.recorded, now.ours])) continue
    taken.push(reason)
    now = next
  }
  return isEqual(now) ? taken : []
}

function isEqual({ recorded, ours }: Pair<unknown>): boolean {
  return canonicalJson(recorded) === canonicalJson(ours)
}

export interface Location {
  readonly what: Compared
  readonly where?: string | undefined
}

/** The difference of two values, if there is one. */
export function differenceOf<Value>(
  { what, where = '' }: Location,
  pair: Pair<Value>,
  steps: readonly Normalization<Value>[] = [],
): readonly Difference[] {
  if (isEqual(pair)) return []
  const { recorded, ours } = pair
  return [{ what, where, recorded: shown(recorded), ours: shown(ours), allowed: explain(pair, steps) }]
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : canonicalJson(value)
}
