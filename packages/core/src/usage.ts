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

/** Adds two usages; a count that one side does not know keeps the other side's value. */
export function addUsage(left: Usage | undefined, right: Usage | undefined): Usage | undefined {
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
