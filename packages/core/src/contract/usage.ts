/**
 * Token counts of a turn or a run, in one convention for all providers:
 * `inputTokens` includes cached and cache-written tokens, `outputTokens` includes reasoning tokens; the sub-counts are disjoint.
 * `undefined` means that the provider did not say.
 */
export interface Usage {
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  /** Part of `inputTokens` that was read from a cache. */
  readonly cachedInputTokens?: number | undefined
  /** Part of `inputTokens` that was written to a cache. */
  readonly cacheWriteTokens?: number | undefined
  /** Part of `outputTokens` that was reasoning. */
  readonly reasoningTokens?: number | undefined
}

/** The usage without the counts that are none: below 0, no finite number, no number. `undefined` when nothing is left. */
export function knownUsage(usage: Usage | undefined): Usage | undefined {
  if (usage === undefined) return undefined
  if (isKnown(usage)) return usage
  const known = Object.fromEntries(Object.entries(usage).filter(([, count]) => isCount(count)))
  return Object.keys(known).length === 0 ? undefined : known
}

/** By hand: a list of the values takes five times as long, and each turn is asked about. */
function isKnown(usage: Usage): boolean {
  for (const name in usage) {
    const count = usage[name as keyof Usage]
    if (count !== undefined && !isCount(count)) return false
  }
  return true
}

/** Some gateways send -1 for what they do not know; added up, it would switch a budget off. */
function isCount(count: unknown): boolean {
  return typeof count === 'number' && Number.isFinite(count) && count >= 0
}

/** Adds two usages; a count that one side does not know, or that is none, keeps the other side's value. */
export function addUsage(first: Usage | undefined, second: Usage | undefined): Usage | undefined {
  const [left, right] = [knownUsage(first), knownUsage(second)]
  if (left === undefined || right === undefined) return left ?? right
  return {
    inputTokens: addCount(left.inputTokens, right.inputTokens),
    outputTokens: addCount(left.outputTokens, right.outputTokens),
    cachedInputTokens: addCount(left.cachedInputTokens, right.cachedInputTokens),
    cacheWriteTokens: addCount(left.cacheWriteTokens, right.cacheWriteTokens),
    reasoningTokens: addCount(left.reasoningTokens, right.reasoningTokens),
  }
}

function addCount(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right
  return left + right
}
