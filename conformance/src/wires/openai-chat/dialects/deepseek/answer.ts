import { openaiErrorBody } from '../../../openai-common/openai-errors.ts'
import { pieces } from '../../../simulate/pieces.ts'
import type { JsonObject } from '../../../simulate/wire-simulation.ts'
import { callDeltas, wholeCall } from '../../simulate/answer.ts'
import type { ChatVoice } from '../../simulate/chat-voice.ts'
import type { Spoken } from '../../simulate/spoken.ts'
import { isThinking } from './thinking.ts'

/**
 * How DeepSeek answers: https://api-docs.deepseek.com/api/create-chat-completion, docs/wire.md#chat-usage, docs/wire.md#chat-whole-calls
 * and docs/wire.md#chat-names-of-reasoning.
 */
export const deepseekVoice: ChatVoice = {
  responseId: (turn) => `${String(turn).padStart(8, '0')}-51a0-4000-8000-000000000000`,
  callId: (turn, ordinal) => `call_${String(ordinal - 1).padStart(2, '0')}_sim${turn}`,
  showsReasoning: ({ request }) => isThinking(request),
  refusals: false,
  body: (spoken) => ({
    choices: [{ index: 0, message: message(spoken), logprobs: null, finish_reason: spoken.finish }],
    usage: usage(spoken),
    system_fingerprint: fingerprint,
  }),
  content: (spoken) => contentDeltas(spoken).map((delta) => ({ choices: [choice(delta, null)] })),
  // With usage, whether it was asked for or not.
  ending: (spoken) => [
    {
      choices: [choice({ content: '', ...(thinks(spoken) ? { reasoning_content: null } : {}) }, spoken.finish)],
      usage: usage(spoken),
    },
  ],
  chunk: (members) => ({ system_fingerprint: fingerprint, usage: null, ...members }),
  errorBody: openaiErrorBody,
}

const fingerprint = 'fp_sim_prod0820_fp8_kvcache'

function thinks({ context }: Spoken): boolean {
  return isThinking(context.request)
}

/** In thinking mode the field is there even when nothing was thought. */
function message(spoken: Spoken): JsonObject {
  const calls = spoken.calls.map((call, index) => ({ index, ...wholeCall(call) }))
  return {
    role: 'assistant',
    content: spoken.text ?? '',
    ...(thinks(spoken) ? { reasoning_content: spoken.reasoning ?? '' } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

/** Each delta names both fields, with null for the one that is not growing. */
function contentDeltas(spoken: Spoken): readonly JsonObject[] {
  const thoughts = pieces(spoken.reasoning ?? '').map((piece) => ({ content: null, reasoning_content: piece }))
  const rest = thinks(spoken) ? { reasoning_content: null } : {}
  return [
    { role: 'assistant', ...(thinks(spoken) ? { content: null, reasoning_content: '' } : { content: '' }) },
    ...thoughts,
    ...pieces(spoken.text ?? '').map((piece) => ({ content: piece, ...rest })),
    ...spoken.calls.flatMap((call, index) => callDeltas(call, index)),
  ]
}

function choice(delta: JsonObject, reason: string | null): JsonObject {
  return { index: 0, delta, logprobs: null, finish_reason: reason }
}

function usage(spoken: Spoken): JsonObject {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = spoken.counts
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
    ...(thinks(spoken) ? { completion_tokens_details: { reasoning_tokens: reasoningTokens } } : {}),
    prompt_cache_hit_tokens: cachedInputTokens,
    prompt_cache_miss_tokens: inputTokens - cachedInputTokens,
  }
}
