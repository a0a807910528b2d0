import { numberOf, objectOf, type Usage } from '@steploop/core/adapter'

export interface UsageReader {
  /** Takes over the counts that are there; the last value of each wins (docs/wire.md#anthropic-usage), nothing is ever added up. */
  read(usage: unknown): void
  usage(): Usage | undefined
}

/** `input_tokens` of the API leaves cache reads and writes out; ours has them in. */
export function createUsageReader(): UsageReader {
  let input: number | undefined
  let cacheRead: number | undefined
  let cacheWrite: number | undefined
  let output: number | undefined
  let thinking: number | undefined
  return {
    read(usage) {
      const counts = objectOf(usage)
      input = numberOf(counts['input_tokens']) ?? input
      cacheRead = numberOf(counts['cache_read_input_tokens']) ?? cacheRead
      cacheWrite = numberOf(counts['cache_creation_input_tokens']) ?? cacheWrite
      output = numberOf(counts['output_tokens']) ?? output
      thinking = numberOf(objectOf(counts['output_tokens_details'])['thinking_tokens']) ?? thinking
    },
    usage() {
      if ((input ?? cacheRead ?? cacheWrite ?? output) === undefined) return undefined
      const cached = (cacheRead ?? 0) + (cacheWrite ?? 0)
      return {
        // Caches that gave nothing do not say how much there was to read.
        inputTokens: input === undefined ? cached || undefined : input + cached,
        outputTokens: output,
        cachedInputTokens: cacheRead,
        cacheWriteTokens: cacheWrite,
        reasoningTokens: thinking,
      }
    },
  }
}
