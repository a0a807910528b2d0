import { pieces } from '../../../simulate/pieces.ts'
import type { AnswerContext, JsonObject } from '../../../simulate/wire-simulation.ts'
import type { ChatVoice } from '../../simulate/chat-voice.ts'
import type { Spoken } from '../../simulate/spoken.ts'
import { errorBody } from './failures.ts'

/** How Mistral answers: https://docs.mistral.ai/api/endpoint/chat, docs/wire.md#chat-fragments-of-calls and docs/wire.md#chat-content. */
export const mistralVoice: ChatVoice = {
  responseId: (turn) => `5117a1${String(turn).padStart(26, '0')}`,
  callId: (turn, ordinal) => `sim${String(turn).padStart(3, '0')}n${String(ordinal).padStart(2, '0')}`,
  showsReasoning,
  refusals: false,
  body: (spoken) => ({
    usage: { ...usage(spoken), prompt_tokens_details: { cached_tokens: spoken.counts.cachedInputTokens } },
    choices: [{ index: 0, finish_reason: spoken.finish, message: message(spoken) }],
  }),
  content: (spoken) => contentDeltas(spoken).map((delta) => ({ choices: [choice(delta, null)] })),
  // All calls, whole, in the finish chunk, with usage that nobody asked for (docs/wire.md#chat-usage).
  ending: (spoken) => [{ choices: [choice(lastDelta(spoken), spoken.finish)], usage: usage(spoken) }],
  errorBody,
}

/** Magistral always thinks, the others when they are told to. */
function showsReasoning({ request }: AnswerContext): boolean {
  const effort = request['reasoning_effort']
  return String(request['model']).startsWith('magistral') || (effort != null && effort !== 'none')
}

function message(spoken: Spoken): JsonObject {
  const { text, reasoning } = spoken
  const plain = text ?? ''
  return {
    role: 'assistant',
    tool_calls: spoken.calls.length === 0 ? null : calls(spoken, true),
    content: reasoning === undefined ? plain : [thinking(reasoning), ...(plain === '' ? [] : [textChunk(plain)])],
  }
}

/** The first chunk has the role; while the model thinks, content is a list, and so is the text after it. */
function contentDeltas({ text, reasoning }: Spoken): readonly JsonObject[] {
  const texts = pieces(text ?? '')
  if (reasoning === undefined)
    return [{ role: 'assistant', content: '' }, ...texts.map((piece) => ({ content: piece }))]
  const thoughts = pieces(reasoning).map((piece) => ({ content: [thinking(piece)] }))
  const said = texts.map((piece) => ({ content: [textChunk(piece)] }))
  return [...thoughts, ...said].map((delta, index) => (index === 0 ? { role: 'assistant', ...delta } : delta))
}

function lastDelta(spoken: Spoken): JsonObject {
  return spoken.calls.length === 0 ? { content: '' } : { content: null, tool_calls: calls(spoken, false) }
}

/** Without a type; with an index when they are not streamed. */
function calls(spoken: Spoken, numbered: boolean): readonly JsonObject[] {
  return spoken.calls.map(({ id, name, arguments: text }, index) => ({
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

function usage({ counts }: Spoken): JsonObject {
  return {
    prompt_tokens: counts.inputTokens,
    total_tokens: counts.inputTokens + counts.outputTokens,
    completion_tokens: counts.outputTokens,
  }
}
