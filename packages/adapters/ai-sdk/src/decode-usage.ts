import { numberOf, objectOf, type Usage } from '@steploop/core/adapter'

/**
 * The AI SDK's convention is ours: totals include cached and reasoning tokens. `undefined` when the provider sent no count.
 * A total that is missing is the sum of its parts.
 */
export function decodeUsage(usage: unknown): Usage | undefined {
  const input = objectOf(objectOf(usage)['inputTokens'])
  const output = objectOf(objectOf(usage)['outputTokens'])
  const counts = {
    inputTokens: numberOf(input['total']) ?? sum(input['noCache'], input['cacheRead'], input['cacheWrite']),
    outputTokens: numberOf(output['total']) ?? sum(output['text'], output['reasoning']),
    cachedInputTokens: numberOf(input['cacheRead']),
    cacheWriteTokens: numberOf(input['cacheWrite']),
    reasoningTokens: numberOf(output['reasoning']),
  }
  return Object.values(counts).every((count) => count === undefined) ? undefined : counts
}

function sum(...counts: readonly unknown[]): number | undefined {
  const known = counts.map(numberOf).filter((count) => count !== undefined)
  return known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0)
}
