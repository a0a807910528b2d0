import { objectAt } from '../../simulate/fields.ts'
import { openaiErrorBody } from '../../openai-common/openai-errors.ts'
import { obfuscation, pieces } from '../../simulate/pieces.ts'
import type { LocatedCitation } from '../../simulate/scripted-answer.ts'
import type { AnswerContext, JsonObject } from '../../simulate/wire-simulation.ts'
import type { AnswerShape } from './answer-shape.ts'
import type { ChatAnswer, AnswerCall } from './chat-answer.ts'

/**
 * How OpenAI answers, with `reasoning_content` beside it as compatible servers do.
 * https://platform.openai.com/docs/api-reference/chat/object and /streaming
 */
export const openaiShape: AnswerShape = {
  responseId: (turn) => `chatcmpl-sim${turn}`,
  callId: (turn, ordinal) => `call_sim${turn}n${ordinal}`,
  body: (answer) => ({
    choices: [{ index: 0, message: message(answer), logprobs: null, finish_reason: answer.finish }],
    usage: usage(answer),
    ...service,
  }),
  content: (answer) => contentDeltas(answer).map((delta) => ({ choices: [choice(delta, null)] })),
  ending: (answer) => [
    { choices: [choice({}, answer.finish)] },
    ...(wantsUsage(answer.context) ? [{ choices: [], usage: usage(answer) }] : []),
  ],
  // Usage is null on every chunk but the last when it was asked for, and absent otherwise (docs/wire.md#chat-usage).
  chunk: (members, { ordinal, context }) => ({
    ...service,
    ...(wantsUsage(context) ? { usage: null } : {}),
    ...members,
    ...(wantsObfuscation(context) ? { obfuscation: obfuscation(ordinal) } : {}),
  }),
  errorBody: openaiErrorBody,
}

const service = { service_tier: 'default', system_fingerprint: 'fp_sim' }

function message({ text, reasoning, refusal, calls, citations }: ChatAnswer): JsonObject {
  return {
    role: 'assistant',
    content: text ?? null,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => wholeCall(call)) }),
    refusal: refusal ?? null,
    annotations: citations.map(annotation),
  }
}

/** https://platform.openai.com/docs/guides/tools-web-search?api-mode=chat#output-and-citations */
function annotation({ url, title, start, end }: LocatedCitation): JsonObject {
  return { type: 'url_citation', url_citation: { end_index: end, start_index: start, title, url } }
}

function contentDeltas({ text, reasoning, refusal, calls, citations }: ChatAnswer): readonly JsonObject[] {
  // OpenAI opens with an empty content, or with null when the message has calls only.
  const opening = text === undefined && calls.length > 0 ? null : ''
  return [
    { role: 'assistant', content: opening, refusal: null },
    ...pieces(reasoning ?? '').map((piece) => ({ content: null, reasoning_content: piece })),
    ...pieces(text ?? '').map((piece) => ({ content: piece })),
    ...(citations.length === 0 ? [] : [{ annotations: citations.map(annotation) }]),
    ...pieces(refusal ?? '').map((piece) => ({ refusal: piece })),
    ...calls.flatMap((call, index) => callDeltas(call, index)),
  ]
}

/**
 * The first delta of a call has its id, its name and empty arguments; the following ones have the index only
 * (docs/wire.md#chat-fragments-of-calls).
 */
export function callDeltas(call: AnswerCall, index: number): readonly JsonObject[] {
  const start = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }
  const rest = pieces(call.arguments).map((piece) => ({ index, function: { arguments: piece } }))
  return [start, ...rest].map((part) => ({ tool_calls: [part] }))
}

export function wholeCall(call: AnswerCall): JsonObject {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } }
}

export function choice(delta: JsonObject, reason: string | null): JsonObject {
  return { index: 0, delta, logprobs: null, finish_reason: reason }
}

function usage({ counts }: ChatAnswer): JsonObject {
  return {
    prompt_tokens: counts.inputTokens,
    completion_tokens: counts.outputTokens,
    total_tokens: counts.inputTokens + counts.outputTokens,
    prompt_tokens_details: { cached_tokens: counts.cachedInputTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: counts.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

function wantsUsage(context: AnswerContext): boolean {
  return streamOptions(context)['include_usage'] === true
}

function wantsObfuscation(context: AnswerContext): boolean {
  return streamOptions(context)['include_obfuscation'] !== false
}

function streamOptions(context: AnswerContext): JsonObject {
  return objectAt(context.request, 'stream_options')
}
