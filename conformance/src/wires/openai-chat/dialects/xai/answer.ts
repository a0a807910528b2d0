import { pieces } from '../../../simulate/pieces.ts'
import type { JsonObject } from '../../../simulate/wire-simulation.ts'
import { wholeCall } from '../../simulate/answer.ts'
import type { AnswerShape } from '../../simulate/answer-shape.ts'
import type { ChatAnswer } from '../../simulate/chat-answer.ts'
import { xaiErrorBody } from '../../../openai-common/xai-errors.ts'
import { modelTraits } from '../../../openai-common/xai-models.ts'

/**
 * How xAI answers: https://docs.x.ai/docs/api-reference#chat-completions, docs/wire.md#chat-finish-reasons,
 * docs/wire.md#chat-fragments-of-calls and docs/wire.md#xai.
 */
export const xaiShape: AnswerShape = {
  responseId: (turn) => `${String(turn).padStart(8, '0')}-51a0-4000-8000-000000000000`,
  callId: (turn, ordinal) => `call_${String(turn).padStart(4, '0')}${String(ordinal).padStart(4, '0')}`,
  showsReasoning: ({ request }) => modelTraits(request).shows,
  refusals: false,
  body: (answer) => ({
    choices: [{ index: 0, message: message(answer), finish_reason: answer.finish }],
    usage: usage(answer),
    system_fingerprint: fingerprint,
    ...sources(answer),
  }),
  // The reason is absent, not null, until there is one.
  content: (answer) => contentDeltas(answer).map((delta) => ({ choices: [{ index: 0, delta }] })),
  ending: (answer) => [
    { choices: [{ index: 0, delta: {}, finish_reason: answer.finish }], ...sources(answer) },
    { choices: [], usage: usage(answer) },
  ],
  chunk: (members) => ({ ...members, system_fingerprint: fingerprint }),
  errorBody: xaiErrorBody,
}

const fingerprint = 'fp_sim'

/** Addresses alone, beside the choices, with the end of the answer: https://docs.x.ai/docs/guides/live-search#returning-citations */
function sources({ citations }: ChatAnswer): JsonObject {
  return citations.length === 0 ? {} : { citations: citations.map(({ url }) => url) }
}

function message({ text, reasoning, calls }: ChatAnswer): JsonObject {
  return {
    role: 'assistant',
    content: text ?? '',
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => wholeCall(call)) }),
    refusal: null,
  }
}

/** No opening delta: the first one that says something has the role, an empty one where there is nothing. Each call comes whole. */
function contentDeltas({ text, reasoning, calls }: ChatAnswer): readonly JsonObject[] {
  const deltas: readonly JsonObject[] = [
    ...pieces(reasoning ?? '').map((piece) => ({ reasoning_content: piece })),
    ...pieces(text ?? '').map((piece) => ({ content: piece })),
    ...calls.map((call, index) => ({ tool_calls: [{ ...wholeCall(call), index }] })),
  ]
  const opened = deltas.length === 0 ? [{ content: '' }] : deltas
  return opened.map((delta, index) => (index === 0 ? { ...delta, role: 'assistant' } : delta))
}

/** The output is counted without reasoning; only the total has all. */
function usage({ counts }: ChatAnswer): JsonObject {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = counts
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens - reasoningTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      text_tokens: inputTokens,
      audio_tokens: 0,
      image_tokens: 0,
      cached_tokens: cachedInputTokens,
    },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    num_sources_used: 0,
    cost_in_usd_ticks: 1000,
  }
}
