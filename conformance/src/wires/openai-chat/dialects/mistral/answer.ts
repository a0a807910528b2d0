import { pieces } from '../../../simulate/pieces.ts'
import type { AnswerContext, JsonObject } from '../../../simulate/wire-simulation.ts'
import type { AnswerShape } from '../../simulate/answer-shape.ts'
import type { ChatAnswer } from '../../simulate/chat-answer.ts'
import { errorBody } from './failures.ts'

/** How Mistral answers: https://docs.mistral.ai/api/endpoint/chat, docs/wire.md#chat-fragments-of-calls and docs/wire.md#chat-content. */
export const mistralShape: AnswerShape = {
  responseId: (turn) => `5117a1${String(turn).padStart(26, '0')}`,
  callId: (turn, ordinal) => `sim${String(turn).padStart(3, '0')}n${String(ordinal).padStart(2, '0')}`,
  showsReasoning,
  refusals: false,
  body: (answer) => ({
    usage: { ...usage(answer), prompt_tokens_details: { cached_tokens: answer.counts.cachedInputTokens } },
    choices: [{ index: 0, finish_reason: answer.finish, message: message(answer) }],
  }),
  content: (answer) => contentDeltas(answer).map((delta) => ({ choices: [choice(delta, null)] })),
  // All calls, whole, in the finish chunk, with usage that was not asked for (docs/wire.md#chat-usage).
  ending: (answer) => [{ choices: [choice(lastDelta(answer), answer.finish)], usage: usage(answer) }],
  errorBody,
}

/** Magistral always thinks, the others when they are told to. */
function showsReasoning({ request }: AnswerContext): boolean {
  const effort = request['reasoning_effort']
  return String(request['model']).startsWith('magistral') || (effort != null && effort !== 'none')
}

function message(answer: ChatAnswer): JsonObject {
  const { text, reasoning } = answer
  const plain = text ?? ''
  return {
    role: 'assistant',
    tool_calls: answer.calls.length === 0 ? null : calls(answer, true),
    content: reasoning === undefined ? plain : [thinking(reasoning), ...(plain === '' ? [] : [textChunk(plain)])],
  }
}

/** The first chunk has the role; while the model thinks, content is a list, and so is the text after it. */
function contentDeltas({ text, reasoning }: ChatAnswer): readonly JsonObject[] {
  const texts = pieces(text ?? '')
  if (reasoning === undefined)
    return [{ role: 'assistant', content: '' }, ...texts.map((piece) => ({ content: piece }))]
  const thoughts = pieces(reasoning).map((piece) => ({ content: [thinking(piece)] }))
  const said = texts.map((piece) => ({ content: [textChunk(piece)] }))
  return [...thoughts, ...said].map((delta, index) => (index === 0 ? { role: 'assistant', ...delta } : delta))
}

function lastDelta(answer: ChatAnswer): JsonObject {
  return answer.calls.length === 0 ? { content: '' } : { content: null, tool_calls: calls(answer, false) }
}

/** Without a type; with an index when they are not streamed. */
function calls(answer: ChatAnswer, numbered: boolean): readonly JsonObject[] {
  return answer.calls.map(({ id, name, arguments: text }, index) => ({
    id,
    function: { name, arguments: text },
    ...(numbered ? { index } : {}),
  }))
}

function thinking(text: string): JsonObject {
  return { type: 'thinking', thinking: [textChunk(text)] }
}

function textChunk(text: string): JsonObject {
  return { type: 'text', text }
}

function choice(delta: JsonObject, reason: string | null): JsonObject {
  return { index: 0, delta, finish_reason: reason, logprobs: null }
}

function usage({ counts }: ChatAnswer): JsonObject {
  return {
    prompt_tokens: counts.inputTokens,
    total_tokens: counts.inputTokens + counts.outputTokens,
    completion_tokens: counts.outputTokens,
  }
}
