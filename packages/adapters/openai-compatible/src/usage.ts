import { numberOf, objectOf, type JsonObject, type Usage } from '@steploop/core'

/**
 * Reads a `usage` object of any of the relatives. `undefined` when it holds no count.
 * `prompt_tokens` include cached tokens everywhere. xAI leaves reasoning out of `completion_tokens`, which `total_tokens` shows (WIRE I).
 */
export function readUsage(raw: JsonObject): Usage | undefined {
  const input = objectOf(raw['prompt_tokens_details'] ?? raw['input_tokens_details'])
  const output = objectOf(raw['completion_tokens_details'] ?? raw['output_tokens_details'])
  const inputTokens = numberOf(raw['prompt_tokens'] ?? raw['input_tokens'])
  const completionTokens = numberOf(raw['completion_tokens'] ?? raw['output_tokens'])
  if (inputTokens === undefined && completionTokens === undefined) return undefined
  const reasoningTokens = numberOf(output['reasoning_tokens'] ?? raw['reasoning_tokens'])
  const apart = (reasoningTokens ?? 0) + (completionTokens ?? 0)
  const leftOut = apart !== completionTokens && raw['total_tokens'] === (inputTokens ?? 0) + apart
  return {
    inputTokens,
    outputTokens: leftOut ? apart : completionTokens,
    cachedInputTokens: numberOf(
      input['cached_tokens'] ?? raw['prompt_cache_hit_tokens'] ?? raw['cached_tokens'] ?? raw['num_cached_tokens'],
    ),
    cacheWriteTokens: numberOf(input['cache_write_tokens'] ?? input['cache_creation_tokens']),
    reasoningTokens,
  }
}

/** In a stream the last value of each count wins; they are never added (WIRE C1). */
export function laterUsage(before: Usage | undefined, later: Usage): Usage {
  if (before === undefined) return later
  return {
    inputTokens: later.inputTokens ?? before.inputTokens,
    outputTokens: later.outputTokens ?? before.outputTokens,
    cachedInputTokens: later.cachedInputTokens ?? before.cachedInputTokens,
    cacheWriteTokens: later.cacheWriteTokens ?? before.cacheWriteTokens,
    reasoningTokens: later.reasoningTokens ?? before.reasoningTokens,
  }
}
