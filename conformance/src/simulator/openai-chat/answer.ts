import type { ScriptedAnswer } from '../../script.ts'
import { objectAt } from '../fields.ts'
import { obfuscation, pieces } from '../pieces.ts'
import { argumentsText, callsOf, joinedText, turnSeconds, usageOf, type ScriptedCall } from '../scripted-answer.ts'
import { plainEvent } from '../sse.ts'
import type { AnswerContext, JsonObject, StreamedAnswer } from '../wire-simulation.ts'

/** https://platform.openai.com/docs/api-reference/chat/object */
export function answerJson(answer: ScriptedAnswer, context: AnswerContext): JsonObject {
  const reasoning = joinedText(answer, 'reasoning')
  const calls = callsOf(answer).map((call, index) => wholeCall(call, context.turn, index))
  const message = {
    role: 'assistant',
    content: joinedText(answer, 'text') ?? null,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    refusal: joinedText(answer, 'refusal') ?? null,
    annotations: [],
  }
  return {
    id: responseId(context),
    object: 'chat.completion',
    created: turnSeconds(context.turn),
    model: context.request['model'],
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(answer) }],
    usage: usage(answer, context),
    service_tier: 'default',
    system_fingerprint: 'fp_sim',
  }
}

/** https://platform.openai.com/docs/api-reference/chat/streaming */
export function answerStream(answer: ScriptedAnswer, context: AnswerContext): StreamedAnswer {
  const deltas = contentDeltas(answer, context)
  const chunk = chunkPrinter(context)
  const frames = deltas.map((delta) => chunk({ choices: [choice(delta, null)] }))
  const terminal = frames.length
  frames.push(chunk({ choices: [choice({}, finishReason(answer))] }))
  if (wantsUsage(context)) frames.push(chunk({ choices: [], usage: usage(answer, context) }))
  frames.push(plainEvent('[DONE]'))
  return { frames, terminal }
}

/** Content as it stands, then an object with `error` in place of a chunk. Nothing follows it. */
export function failureStream(error: JsonObject, before: ScriptedAnswer, context: AnswerContext): readonly string[] {
  const chunk = chunkPrinter(context)
  const frames = contentDeltas(before, context).map((delta) => chunk({ choices: [choice(delta, null)] }))
  return [...frames, plainEvent(JSON.stringify(error))]
}

function contentDeltas(answer: ScriptedAnswer, context: AnswerContext): readonly JsonObject[] {
  const calls = callsOf(answer)
  const text = joinedText(answer, 'text')
  const refusal = joinedText(answer, 'refusal')
  const reasoning = joinedText(answer, 'reasoning')
  // OpenAI opens with an empty content, or with null when the message has calls only.
  const opening = text === undefined && calls.length > 0 ? null : ''
  return [
    { role: 'assistant', content: opening, refusal: null },
    ...pieces(reasoning ?? '').map((piece) => ({ content: null, reasoning_content: piece })),
    ...pieces(text ?? '').map((piece) => ({ content: piece })),
    ...pieces(refusal ?? '').map((piece) => ({ refusal: piece })),
    ...calls.flatMap((call, index) => callDeltas(call, context.turn, index)),
  ]
}

/** The first delta of a call has its id, its name and empty arguments; the following ones have the index only (WIRE C6). */
function callDeltas(call: ScriptedCall, turn: number, index: number): readonly JsonObject[] {
  const start = {
    index,
    id: callId(call, turn, index),
    type: 'function',
    function: { name: call.toolName, arguments: '' },
  }
  const rest = pieces(argumentsText(call)).map((piece) => ({ index, function: { arguments: piece } }))
  return [start, ...rest].map((part) => ({ tool_calls: [part] }))
}

function wholeCall(call: ScriptedCall, turn: number, index: number): JsonObject {
  return {
    id: callId(call, turn, index),
    type: 'function',
    function: { name: call.toolName, arguments: argumentsText(call) },
  }
}

/** Prints one chunk; `usage` is null on every chunk but the last when it was asked for, and absent otherwise (WIRE C1). */
function chunkPrinter(context: AnswerContext): (members: JsonObject) => string {
  let ordinal = 0
  return (members) => {
    ordinal += 1
    const body = {
      id: responseId(context),
      object: 'chat.completion.chunk',
      created: turnSeconds(context.turn),
      model: context.request['model'],
      service_tier: 'default',
      system_fingerprint: 'fp_sim',
      ...(wantsUsage(context) ? { usage: null } : {}),
      ...members,
      ...(wantsObfuscation(context) ? { obfuscation: obfuscation(ordinal) } : {}),
    }
    return plainEvent(JSON.stringify(body))
  }
}

function choice(delta: JsonObject, reason: string | null): JsonObject {
  return { index: 0, delta, logprobs: null, finish_reason: reason }
}

function finishReason(answer: ScriptedAnswer): string {
  switch (answer.finish) {
    case 'length':
      return 'length'
    case 'content-filter':
      return 'content_filter'
    case 'stop':
    case 'pause': // Chat Completions knows no pause.
      return 'stop'
    case undefined:
      return callsOf(answer).length > 0 ? 'tool_calls' : 'stop'
    default:
      return answer.finish satisfies never
  }
}

function usage(answer: ScriptedAnswer, context: AnswerContext): JsonObject {
  const counts = usageOf(answer, context.turn, joinedText(answer, 'reasoning') !== undefined)
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

function responseId(context: AnswerContext): string {
  return `chatcmpl-sim${context.turn}`
}

function callId(call: ScriptedCall, turn: number, index: number): string {
  return call.id ?? `call_sim${turn}n${index + 1}`
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
