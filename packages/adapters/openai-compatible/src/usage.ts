import { isObject, numberOf, objectOf, type JsonObject, type Usage } from '@steploop/core'

/**
 * Reads a `usage` object of any of the relatives. `undefined` when it holds no count.
 * `prompt_tokens` include cached tokens everywhere. xAI leaves reasoning out of `completion_tokens` and Mistral audio out of
 * `prompt_tokens`, which `total_tokens` shows (WIRE I).
 */
export function readUsage(raw: JsonObject): Usage | undefined {
  const input = objectOf(raw['prompt_tokens_details'] ?? raw['input_tokens_details'])
  const output = objectOf(raw['completion_tokens_details'] ?? raw['output_tokens_details'])
  const inputTokens = numberOf(raw['prompt_tokens'] ?? raw['input_tokens'])
  const completionTokens = numberOf(raw['completion_tokens'] ?? raw['output_tokens'])
  if (inputTokens === undefined && completionTokens === undefined) return undefined
  const reasoningTokens = numberOf(output['reasoning_tokens'] ?? raw['reasoning_tokens'])
  const audioTokens = numberOf(input['audio_tokens'])
  // What the total counts beyond the two.
  const beyond = (numberOf(raw['total_tokens']) ?? 0) - (inputTokens ?? 0) - (completionTokens ?? 0)
  const [reasoningApart, audioApart] = leftOut(beyond, reasoningTokens ?? 0, audioTokens ?? 0)
  return {
    inputTokens: audioApart ? (inputTokens ?? 0) + (audioTokens ?? 0) : inputTokens,
    outputTokens: reasoningApart ? (completionTokens ?? 0) + (reasoningTokens ?? 0) : completionTokens,
    cachedInputTokens: numberOf(
      input['cached_tokens'] ?? raw['prompt_cache_hit_tokens'] ?? raw['cached_tokens'] ?? raw['num_cached_tokens'],
    ),
    cacheWriteTokens: numberOf(input['cache_write_tokens'] ?? input['cache_creation_tokens']),
    reasoningTokens,
  }
}

/** Which of the two, or both, make up what the total counts beyond input and output. */
function leftOut(beyond: number, reasoning: number, audio: number): readonly [reasoning: boolean, audio: boolean] {
  if (beyond <= 0) return [false, false]
  if (beyond === reasoning) return [true, false]
  if (beyond === audio) return [false, true]
  const both = beyond === reasoning + audio
  return [both, both]
}

/** What a gateway tells of the usage at the provider that answered (Vercel AI Gateway, `provider_metadata`). */
export function upstreamUsage(metadata: JsonObject): JsonObject {
  const counts = Object.values(metadata).map((told) => objectOf(told)['usageMetadata'])
  return objectOf(counts.find((count) => isObject(count)))
}

/** Gemini counts thoughts beside the answer; a gateway that gives only the count of the answer leaves them out, in its total too. */
export function withUpstream(usage: Usage, { candidatesTokenCount, thoughtsTokenCount }: JsonObject): Usage {
  const { outputTokens, reasoningTokens } = usage
  const isLeftOut = outputTokens === candidatesTokenCount && reasoningTokens === thoughtsTokenCount
  if (!isLeftOut || outputTokens === undefined || reasoningTokens === undefined) return usage
  return { ...usage, outputTokens: outputTokens + reasoningTokens }
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
