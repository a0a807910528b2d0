import { objectAt, textAt } from '../../../simulate/fields.ts'
import { pieces } from '../../../simulate/pieces.ts'
import { namedEvent } from '../../../simulate/sse.ts'
import type { AnswerContext, JsonObject } from '../../../simulate/wire-simulation.ts'
import { choice, wholeCall } from '../../simulate/answer.ts'
import type { AnswerShape } from '../../simulate/answer-shape.ts'
import type { ChatAnswer } from '../../simulate/chat-answer.ts'
import { errorBody } from './failures.ts'
import { modelFamily } from './model-family.ts'

/**
 * How Groq answers: https://console.groq.com/docs/api-reference, docs/wire.md#error-events-of-groq, docs/wire.md#chat-usage and
 * docs/wire.md#chat-names-of-reasoning.
 */
export const groqShape: AnswerShape = {
  responseId: (turn) => `chatcmpl-${String(turn).padStart(8, '0')}-51a0-4000-8000-000000000000`,
  callId: (turn, ordinal) => `sim${String(turn).padStart(3, '0')}n${String(ordinal).padStart(2, '0')}`,
  showsReasoning,
  refusals: false,
  body: (answer) => ({
    choices: [{ index: 0, message: message(answer), logprobs: null, finish_reason: answer.finish }],
    usage: usage(answer),
    usage_breakdown: null,
    system_fingerprint: fingerprint,
    x_groq: { id: requestId(answer.context), seed: 1 },
    service_tier: 'on_demand',
  }),
  content: (answer) =>
    contentDeltas(answer).map((delta, index) => ({
      choices: [choice(delta, null)],
      ...(index === 0 ? { x_groq: { id: requestId(answer.context), seed: 1 } } : {}),
    })),
  // Usage stands there twice, without being asked for.
  ending: (answer) => [
    {
      choices: [choice({}, answer.finish)],
      x_groq: { id: requestId(answer.context), usage: usage(answer) },
      usage: usage(answer),
    },
    // It comes without being asked for, and once more where it is.
    ...(objectAt(answer.context.request, 'stream_options')['include_usage'] === true
      ? [{ choices: [], usage: usage(answer), service_tier: 'on_demand' }]
      : []),
  ],
  chunk: (members) => ({ system_fingerprint: fingerprint, ...members }),
  errorBody,
  // One named event among nameless ones, with the status that it would have had; nothing follows, not even [DONE].
  failing: (refusal) => [namedEvent('error', JSON.stringify(withStatus(errorBody(refusal), refusal.status)))],
}

const fingerprint = 'fp_sim'

/** Qwen's thoughts stand apart only where `reasoning_format` says so; gpt-oss can be told to hide its own. */
function showsReasoning({ request }: AnswerContext): boolean {
  const family = modelFamily(textAt(request, 'model'))
  if (family === 'gpt-oss') return request['include_reasoning'] !== false
  return family === 'qwen' && request['reasoning_format'] === 'parsed' && request['reasoning_effort'] !== 'none'
}

function message({ text, reasoning, calls }: ChatAnswer): JsonObject {
  return {
    role: 'assistant',
    ...(text === undefined && calls.length > 0 ? {} : { content: text ?? '' }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => wholeCall(call)) }),
  }
}

function contentDeltas({ text, reasoning, calls }: ChatAnswer): readonly JsonObject[] {
  return [
    { role: 'assistant', content: text === undefined && calls.length > 0 ? null : '' },
    ...pieces(reasoning ?? '').map((piece) => ({ reasoning: piece })),
    ...pieces(text ?? '').map((piece) => ({ content: piece })),
    ...calls.map((call, index) => ({ tool_calls: [{ ...wholeCall(call), index }] })),
  ]
}

function usage({ counts }: ChatAnswer): JsonObject {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = counts
  return {
    queue_time: 0.04,
    prompt_tokens: inputTokens,
    prompt_time: 0.01,
    completion_tokens: outputTokens,
    completion_time: 0.25,
    total_tokens: inputTokens + outputTokens,
    total_time: 0.26,
    ...(cachedInputTokens === 0 ? {} : { prompt_tokens_details: { cached_tokens: cachedInputTokens } }),
    ...(reasoningTokens === 0 ? {} : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  }
}

function requestId({ turn }: AnswerContext): string {
  return `req_sim${String(turn).padStart(3, '0')}`
}

function withStatus(body: JsonObject, status: number): JsonObject {
  return { error: { ...objectAt(body, 'error'), status_code: status } }
}
