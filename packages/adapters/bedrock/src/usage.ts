import { isObject, numberOf, type Usage } from '@steploop/core/adapter'

/** `inputTokens` leave out what was read from and written to the cache. */
export function usageOf(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined
  const input = numberOf(usage['inputTokens'])
  const outputTokens = numberOf(usage['outputTokens'])
  if (input === undefined && outputTokens === undefined) return undefined
  const cachedInputTokens = numberOf(usage['cacheReadInputTokens'])
  const cacheWriteTokens = numberOf(usage['cacheWriteInputTokens'])
  const inputTokens = input === undefined ? undefined : input + (cachedInputTokens ?? 0) + (cacheWriteTokens ?? 0)
  return { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }
}
