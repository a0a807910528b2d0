import { isObject, numberOf, objectOf, type JsonObject, type Usage } from '@steploop/core/adapter'
import { withoutUndefined } from './dialect.ts'

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
  const isApart = Number(cachedInputTokens) > Number(promptTokens) && !isBrokenDown(input, promptTokens)
  const cachedApart = isApart ? Number(cachedInputTokens) : 0
  // What the total counts beyond the two; no number where one of them is missing.
  const beyond = Number(raw['total_tokens']) - Number(promptTokens) - Number(completionTokens)
  const [reasoningApart, audioApart] = leftOut(beyond - cachedApart, reasoningTokens, audioTokens)
  return {
    inputTokens: promptTokens === undefined ? undefined : promptTokens + cachedApart + audioApart,
    outputTokens: completionTokens === undefined ? undefined : completionTokens + reasoningApart,
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

/** How much of the two makes up what the total counts beyond input and output. */
function leftOut(beyond: number, reasoning = 0, audio = 0): readonly [reasoning: number, audio: number] {
  if (beyond === reasoning) return [reasoning, 0]
  if (beyond === audio) return [0, audio]
  return beyond === reasoning + audio ? [reasoning, audio] : [0, 0]
}

/** What a gateway tells of the usage at the provider that answered (Vercel AI Gateway, `provider_metadata`). */
export function upstreamUsage(metadata: JsonObject): JsonObject {
  const counts = Object.values(metadata).map((upstream) => objectOf(upstream)['usageMetadata'])
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
  return before === undefined ? later : { ...before, ...withoutUndefined(later) }
}
