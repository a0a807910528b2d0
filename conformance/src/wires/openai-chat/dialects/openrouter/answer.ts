import { objectAt } from '../../../simulate/fields.ts'
import { pieces } from '../../../simulate/pieces.ts'
import type { LocatedCitation } from '../../../simulate/scripted-answer.ts'
import { plainEvent } from '../../../simulate/sse.ts'
import type { AnswerContext, JsonObject, Rejection } from '../../../simulate/wire-simulation.ts'
import { callDeltas, wholeCall } from '../../simulate/answer.ts'
import { head, type AnswerShape } from '../../simulate/answer-shape.ts'
import type { ChatAnswer, AnswerCall } from '../../simulate/chat-answer.ts'
import { errorBody, lateError } from './failures.ts'
import { detailFormat, isSigned, sign } from './reasoning-details.ts'

/**
 * How OpenRouter answers: https://openrouter.ai/docs/api-reference/overview, docs/wire.md#comments-in-a-stream,
 * docs/wire.md#errors-inside-a-200, docs/wire.md#chat-usage, docs/wire.md#chat-finish-reasons, docs/wire.md#chat-roles and
 * docs/wire.md#chat-whole-calls.
 */
export const openrouterShape: AnswerShape = {
  responseId,
  callId: (turn, ordinal) => `toolu_sim${turn}n${ordinal}`,
  showsReasoning,
  body: (answer) => ({
    provider,
    choices: [{ logprobs: null, ...reasons(answer.finish), index: 0, message: message(answer) }],
    service_tier: null,
    system_fingerprint: null,
    usage: usage(answer),
  }),
  content: (answer) => contentDeltas(answer).map((delta) => ({ choices: [choice(delta, null)] })),
  // The reason comes twice, the second time with the usage.
  ending: (answer) => [
    { choices: [choice({}, answer.finish)] },
    { service_tier: null, choices: [choice({}, answer.finish)], usage: usage(answer) },
  ],
  chunk: (members) => ({ provider, ...members }),
  before: (ordinal) => (ordinal === 1 ? [comment, comment] : ordinal === 3 ? [comment] : []),
  errorBody,
  failedBody,
  failing: (refusal) => [{ error: lateError(refusal), choices: [choice({}, null)] }, plainEvent('[DONE]')],
}

const provider = 'Sim'

/** Keeps the connection alive while an upstream is looked for. */
const comment = ': OPENROUTER PROCESSING\n\n'

function responseId(turn: number): string {
  return `gen-sim${turn}`
}

/** Only when it was asked for, whatever model thinks. */
function showsReasoning({ request }: AnswerContext): boolean {
  const { effort, enabled, exclude, max_tokens: budget } = objectAt(request, 'reasoning')
  const wanted = enabled === true || budget != null || (effort != null && effort !== 'none')
  return (wanted && enabled !== false && exclude !== true) || request['include_reasoning'] === true
}

/** The gateway's own faults stand in the body; those of the model, which had begun, in its choice. */
function failedBody(refusal: Rejection, context: AnswerContext): JsonObject {
  if (refusal.status < 500) return errorBody(refusal)
  const failed = { role: 'assistant', content: '', reasoning: null, refusal: null }
  return {
    ...head('chat.completion', { responseId }, context),
    provider,
    choices: [{ logprobs: null, ...reasons('error'), index: 0, message: failed, error: lateError(refusal) }],
  }
}

function message(answer: ChatAnswer): JsonObject {
  const { text, reasoning, refusal, calls, citations, files, context } = answer
  const details = { type: 'reasoning.text', text: reasoning, ...detailEnd(answer), format: format(context), index: 0 }
  return {
    role: 'assistant',
    content: text ?? (calls.length > 0 ? null : ''),
    refusal: refusal ?? null,
    reasoning: reasoning ?? null,
    ...(citations.length === 0 ? {} : { annotations: citations.map(annotation) }),
    ...(reasoning === undefined ? {} : { reasoning_details: [details] }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call, index) => ({ index, ...bareCall(call) })) }),
    ...(files.length === 0 ? {} : { images: files.map(image) }),
  }
}

/** https://openrouter.ai/docs/features/multimodal/image-generation */
function image(url: string, index: number): JsonObject {
  return { index, type: 'image_url', image_url: { url } }
}

/** A call without arguments has none, not even an empty object. */
function bareCall(call: AnswerCall): JsonObject {
  return call.arguments === '{}' ? { ...wholeCall(call), function: { name: call.name } } : wholeCall(call)
}

/** The signature closes the thought: `{}` where the model signs nothing. */
function detailEnd({ reasoning, context }: ChatAnswer): JsonObject {
  return reasoning !== undefined && isSigned(context.request) ? { signature: sign(reasoning) } : {}
}

function format({ request }: AnswerContext): string {
  return detailFormat(request)
}

function contentDeltas(answer: ChatAnswer): readonly JsonObject[] {
  const { text, refusal, calls, citations, files } = answer
  return [
    {},
    ...thoughtDeltas(answer),
    ...pieces(text ?? '').map((piece) => ({ content: piece })),
    ...(citations.length === 0 ? [] : [{ annotations: citations.map(annotation) }]),
    ...pieces(refusal ?? '').map((piece) => ({ refusal: piece })),
    ...(files.length === 0 ? [] : [{ images: files.map(image) }]),
    ...calls.flatMap((call, index) => callDeltas(call, index)),
  ]
}

/** https://openrouter.ai/docs/features/web-search#parsing-web-search-results */
function annotation({ url, title, quote, start, end }: LocatedCitation): JsonObject {
  return { type: 'url_citation', url_citation: { url, title, start_index: start, end_index: end, content: quote } }
}

/** Each piece twice, as `reasoning` and as a detail; then the signature alone. */
function thoughtDeltas(answer: ChatAnswer): readonly JsonObject[] {
  if (answer.reasoning === undefined) return []
  const detail = (members: JsonObject) => [
    { type: 'reasoning.text', ...members, format: format(answer.context), index: 0 },
  ]
  const thoughts = pieces(answer.reasoning).map((piece) => ({
    reasoning: piece,
    reasoning_details: detail({ text: piece }),
  }))
  const end = detailEnd(answer)
  return end['signature'] === undefined ? thoughts : [...thoughts, { reasoning: null, reasoning_details: detail(end) }]
}

/** The role is in every delta, and so is a content. */
function choice(delta: JsonObject, reason: string | null): JsonObject {
  return { index: 0, delta: { role: 'assistant', content: '', ...delta }, ...reasons(reason), logprobs: null }
}

function reasons(reason: string | null): JsonObject {
  return { finish_reason: reason, native_finish_reason: reason }
}

function usage({ counts }: ChatAnswer): JsonObject {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = counts
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    cost: 0.001,
    is_byok: false,
    prompt_tokens_details: {
      cached_tokens: cachedInputTokens,
      cache_write_tokens: cacheWriteTokens,
      audio_tokens: 0,
      video_tokens: 0,
    },
    cost_details: {
      upstream_inference_cost: null,
      upstream_inference_prompt_cost: 0.0004,
      upstream_inference_completions_cost: 0.0006,
    },
    completion_tokens_details: { reasoning_tokens: reasoningTokens, image_tokens: 0, audio_tokens: 0 },
  }
}
