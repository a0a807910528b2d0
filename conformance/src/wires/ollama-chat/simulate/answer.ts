import { isObject } from '@steploop/core/adapter'
import type { ScriptedAnswer } from '../../../script.ts'
import { pieces } from '../../simulate/pieces.ts'
import {
  argumentsText,
  callsOf,
  joinedText,
  turnSeconds,
  unheardOf,
  usageOf,
  type ScriptedCall,
} from '../../simulate/scripted-answer.ts'
import type { AnswerContext, JsonObject, StreamedAnswer } from '../../simulate/wire-simulation.ts'

/** https://docs.ollama.com/api/chat */
export function answerJson(answer: ScriptedAnswer, context: AnswerContext): JsonObject {
  const { thinking, text, calls } = contentOf(answer, context)
  const message = {
    role: 'assistant',
    content: text,
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return { ...head(context, 0), message, ...end(answer, context) }
}

/** One object per line; calls are whole, each in a line of its own, and only the last line is done (docs/wire.md#ollama). */
export function answerStream(answer: ScriptedAnswer, context: AnswerContext): StreamedAnswer {
  const frames = contentFrames(answer, context)
  const message = { role: 'assistant', content: '' }
  const last = print({ ...head(context, frames.length), message, ...end(answer, context) })
  return { frames: [...frames, last], terminal: frames.length }
}

/** Content as it stands, then an object with `error` alone. Nothing follows it. */
export function failureStream(error: JsonObject, before: ScriptedAnswer, context: AnswerContext): readonly string[] {
  return [...contentFrames(before, context), print(error)]
}

function contentFrames(answer: ScriptedAnswer, context: AnswerContext): readonly string[] {
  const { thinking, text, calls } = contentOf(answer, context)
  const messages: readonly JsonObject[] = [
    ...pieces(thinking).map((piece) => ({ role: 'assistant', content: '', thinking: piece })),
    ...pieces(text).map((piece) => ({ role: 'assistant', content: piece })),
    ...calls.map((call) => ({ role: 'assistant', content: '', tool_calls: [call] })),
  ]
  return messages.map((message, ordinal) => print({ ...head(context, ordinal), message, done: false }))
}

interface Content {
  readonly thinking: string
  readonly text: string
  readonly calls: readonly JsonObject[]
}

/** A refusal is text like any other, and so is a call that the server's parser cannot read. */
function contentOf(answer: ScriptedAnswer, context: AnswerContext): Content {
  const read = callsOf(answer).map((call) => ({ call, input: inputOf(call) }))
  const unread = read.filter(({ input }) => input === undefined).map(({ call }) => argumentsText(call))
  return {
    thinking: thinks(context) ? (joinedText(answer, 'reasoning') ?? '') : '',
    text: [joinedText(answer, 'text'), joinedText(answer, 'refusal'), ...unread].join(''),
    calls: read
      .flatMap(({ call, input }) => (input === undefined ? [] : [{ call, input }]))
      .map(({ call, input }, index) => wireCall(call, input, { turn: context.turn, index })),
  }
}

/** The server gives every call an id and its position in the answer. */
function wireCall(
  call: ScriptedCall,
  input: JsonObject,
  { turn, index }: { readonly turn: number; readonly index: number },
): JsonObject {
  const id = `call_s${String(turn).padStart(3, '0')}n${String(index + 1).padStart(3, '0')}`
  return { id: call.id ?? id, function: { index, name: call.toolName, arguments: input } }
}

function inputOf(call: ScriptedCall): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(argumentsText(call))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A model that can think does so unless the request says otherwise. */
function thinks(context: AnswerContext): boolean {
  return context.request['think'] !== false
}

/** The time has nanoseconds; some pass between two lines. */
function head(context: AnswerContext, ordinal: number): JsonObject {
  const seconds = new Date(turnSeconds(context.turn) * 1000).toISOString().slice(0, 19)
  const fraction = String((ordinal * 21_731_009) % 1_000_000_000).padStart(9, '0')
  return { model: context.request['model'], created_at: `${seconds}.${fraction}Z` }
}

/** Durations are nanoseconds. The server leaves out counts of zero, as it does every number of zero. */
function end(answer: ScriptedAnswer, context: AnswerContext): JsonObject {
  const shown = thinks(context) && joinedText(answer, 'reasoning') !== undefined
  const { inputTokens, outputTokens } = usageOf(answer, context.turn, shown)
  return {
    done: true,
    done_reason: answer.finish === 'unheard-of' ? unheardOf : answer.finish === 'length' ? 'length' : 'stop',
    total_duration: 1_000_000 * (90 + inputTokens + 8 * outputTokens),
    load_duration: 90_000_000,
    ...(inputTokens === 0 ? {} : { prompt_eval_count: inputTokens, prompt_eval_duration: 1_000_000 * inputTokens }),
    ...(outputTokens === 0 ? {} : { eval_count: outputTokens, eval_duration: 8_000_000 * outputTokens }),
  }
}

function print(line: JsonObject): string {
  return `${JSON.stringify(line)}\n`
}
