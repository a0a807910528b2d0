import { numberOf, objectOf, type Usage } from '@steploop/core/adapter'

export interface UsageReader {
  /** Takes over the counts that are there; the last value of each wins (docs/wire.md#gemini-usage-in-a-stream). */
  read(usageMetadata: unknown): void
  usage(): Usage | undefined
}

/**
 * `promptTokenCount` includes cached tokens; what built-in tools put into the prompt (`toolUsePromptTokenCount`) is apart and billed as
 * input; `candidatesTokenCount` leaves thoughts out. Early chunks may hold no count at all.
 */
export function createUsageReader(): UsageReader {
  let prompt: number | undefined
  let toolUse: number | undefined
  let cached: number | undefined
  let candidates: number | undefined
  let thoughts: number | undefined
  return {
    read(usageMetadata) {
      const counts = objectOf(usageMetadata)
      prompt = numberOf(counts['promptTokenCount']) ?? prompt
      toolUse = numberOf(counts['toolUsePromptTokenCount']) ?? toolUse
      cached = numberOf(counts['cachedContentTokenCount']) ?? cached
      candidates = numberOf(counts['candidatesTokenCount']) ?? candidates
      thoughts = numberOf(counts['thoughtsTokenCount']) ?? thoughts
    },
    usage() {
      if (prompt === undefined && candidates === undefined && thoughts === undefined) return undefined
      return {
        inputTokens: prompt === undefined ? undefined : prompt + (toolUse ?? 0),
        outputTokens: (candidates ?? 0) + (thoughts ?? 0),
        cachedInputTokens: cached,
        reasoningTokens: thoughts,
      }
    },
  }
}
