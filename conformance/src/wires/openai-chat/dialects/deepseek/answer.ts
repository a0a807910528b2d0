import { openaiErrorBody } from '../../../openai-common/openai-errors.ts'
import { pieces } from '../../../simulate/pieces.ts'
import type { JsonObject } from '../../../simulate/wire-simulation.ts'
import { callDeltas, choice, wholeCall } from '../../simulate/answer.ts'
import type { AnswerShape } from '../../simulate/answer-shape.ts'
import type { ChatAnswer } from '../../simulate/chat-answer.ts'
import { isThinking } from './thinking.ts'

/**
 * How DeepSeek answers: https://api-docs.deepseek.com/api/create-chat-completion, docs/wire.md#chat-usage, docs/wire.md#chat-whole-calls
 * and docs/wire.md#chat-names-of-reasoning.
 */
export const deepseekShape: AnswerShape = {
  responseId: (turn) => `${String(turn).padStart(8, '0')}-51a0-4000-8000-000000000000`,
  callId: (turn, ordinal) => `call_${String(ordinal - 1).padStart(2, '0')}_sim${turn}`,
  showsReasoning: ({ request }) => isThinking(request),
  refusals: false,
  body: (answer) => ({
    choices: [{ index: 0, message: message(answer), logprobs: null, finish_reason: answer.finish }],
    usage: usage(answer),
    system_fingerprint: fingerprint,
  }),
  content: (answer) => contentDeltas(answer).map((delta) => ({ choices: [choice(delta, null)] })),
  // With usage, whether it was asked for or not.
  ending: (answer) => [
    {
      choices: [choice({ content: '', ...(thinks(answer) ? { reasoning_content: null } : {}) }, answer.finish)],
      usage: usage(answer),
    },
  ],
  chunk: (members) => ({ system_fingerprint: fingerprint, usage: null, ...members }),
  errorBody: openaiErrorBody,
}

const fingerprint = 'fp_sim_prod0820_fp8_kvcache'

function thinks({ context }: ChatAnswer): boolean {
  return isThinking(context.request)
}

/** In thinking mode the field is there even when nothing was thought. */
function message(answer: ChatAnswer): JsonObject {
  const calls = answer.calls.map((call, index) => ({ index, ...wholeCall(call) }))
  return {
    role: 'assistant',
    content: answer.text ?? '',
    ...(thinks(answer) ? { reasoning_content: answer.reasoning ?? '' } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

/** Each delta names both fields, with null for the one that is not growing. */
function contentDeltas(answer: ChatAnswer): readonly JsonObject[] {
  const thoughts = pieces(answer.reasoning ?? '').map((piece) => ({ content: null, reasoning_content: piece }))
  const rest = thinks(answer) ? { reasoning_content: null } : {}
  return [
    { role: 'assistant', ...(thinks(answer) ? { content: null, reasoning_content: '' } : { content: '' }) },
    ...thoughts,
    ...pieces(answer.text ?? '').map((piece) => ({ content: piece, ...rest })),
    ...answer.calls.flatMap((call, index) => callDeltas(call, index)),
  ]
}

function usage(answer: ChatAnswer): JsonObject {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = answer.counts
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
    ...(thinks(answer) ? { completion_tokens_details: { reasoning_tokens: reasoningTokens } } : {}),
    prompt_cache_hit_tokens: cachedInputTokens,
    prompt_cache_miss_tokens: inputTokens - cachedInputTokens,
  }
}
