import { isObject, numberOf, objectOf, type JsonObject, type Usage } from '@steploop/core/adapter'

/**
 * Reads a `usage` object of any of the relatives. `undefined` when it holds no count.
 * `prompt_tokens` include cached tokens, unless there are more of these (Portkey before a Messages server counts them apart). xAI leaves
 * reasoning out of `completion_tokens` and Mistral audio out of `prompt_tokens`, which `total_tokens` shows (docs/wire.md#xai).
 */
export function readUsage(raw: JsonObject): Usage | undefined {
  const input = objectOf(raw['prompt_tokens_details'] ?? raw['input_tokens_details'])
  const output = objectOf(raw['completion_tokens_details'] ?? raw['output_tokens_details'])
  const promptTokens = numberOf(raw['prompt_tokens'] ?? raw['input_tokens'])
  const completionTokens = numberOf(raw['completion_tokens'] ?? raw['output_tokens'])
  if (promptTokens === undefined && completionTokens === undefined) return undefined
  const reasoningTokens = numberOf(output['reasoning_tokens'] ?? raw['reasoning_tokens'])
  const audioTokens = numberOf(input['audio_tokens'])
  const cachedInputTokens = numberOf(
    input['cached_tokens'] ?? raw['prompt_cache_hit_tokens'] ?? raw['cached_tokens'] ?? raw['num_cached_tokens'],
  )
  const isApart = (cachedInputTokens ?? 0) > (promptTokens ?? Infinity) && !isBrokenDown(input, promptTokens)
  const cachedApart = isApart ? (cachedInputTokens ?? 0) : 0
  // What the total counts beyond the two.
  const beyond = (numberOf(raw['total_tokens']) ?? 0) - (promptTokens ?? 0) - (completionTokens ?? 0)
  const [reasoningApart, audioApart] = leftOut(beyond - cachedApart, reasoningTokens ?? 0, audioTokens ?? 0)
  const inputApart = cachedApart + (audioApart ? (audioTokens ?? 0) : 0)
  return {
    inputTokens: inputApart > 0 ? (promptTokens ?? 0) + inputApart : promptTokens,
    outputTokens: reasoningApart ? (completionTokens ?? 0) + (reasoningTokens ?? 0) : completionTokens,
    cachedInputTokens,
    cacheWriteTokens: numberOf(input['cache_write_tokens'] ?? input['cache_creation_tokens']),
    reasoningTokens,
  }
}

/** The kinds of input add up to the whole: nothing was counted apart (Grok on Azure says more cached tokens than there were at all). */
function isBrokenDown(input: JsonObject, promptTokens: number | undefined): boolean {
  const [text, audio = 0, image = 0] = ['text_tokens', 'audio_tokens', 'image_tokens'].map((name) =>
    numberOf(input[name]),
  )
  return text !== undefined && text + audio + image === promptTokens
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

/** In a stream the last value of each count wins; they are never added (docs/wire.md#chat-usage). */
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
