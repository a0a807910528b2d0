import type { ScriptedAnswer } from '../../../script.ts'
import { turnSeconds } from '../../simulate/scripted-answer.ts'
import { plainEvent } from '../../simulate/sse.ts'
import type { AnswerContext, JsonObject, Rejection, WireSimulation } from '../../simulate/wire-simulation.ts'
import { chatAnswerOf, type ChatAnswer, type ShapeFacts } from './chat-answer.ts'

/** The shape of a provider's answers: all in which those of Chat Completions differ. */
export interface AnswerShape extends ShapeFacts {
  /** Id of the answer, from the ordinal of its turn. */
  responseId(turn: number): string
  /** Members of the body beside `id`, `object`, `created` and `model`. */
  body(answer: ChatAnswer): JsonObject
  /** Members of the chunks with content, one object per chunk. */
  content(answer: ChatAnswer): readonly JsonObject[]
  /** Members of the chunks that end the answer; the first of them proves its end. */
  ending(answer: ChatAnswer): readonly JsonObject[]
  /** Adds what stands in every chunk to the members of one; ordinals count from 1. Default: nothing. */
  chunk?(members: JsonObject, scope: { readonly ordinal: number; readonly context: AnswerContext }): JsonObject
  /** Frames before the chunk with this ordinal, such as comments. Default: none. */
  before?(ordinal: number): readonly string[]
  /** The provider's error shape. */
  errorBody(rejection: Rejection): JsonObject
  /** The body of a fault inside a 200. Default: that of other faults. */
  failedBody?(rejection: Rejection, context: AnswerContext): JsonObject
  /** Ends a stream with a fault, after the content. Default: an object with `error` in place of a chunk, and nothing after it. */
  failing?(rejection: Rejection, context: AnswerContext): readonly FailingFrame[]
}

/** Members of a chunk, or the text of a whole frame. */
export type FailingFrame = JsonObject | string

type Answering = Pick<WireSimulation, 'answerJson' | 'answerStream' | 'failureJson' | 'failureStream' | 'errorBody'>

/** Makes the answering half of a simulation. */
export function shapedAnswers(shape: AnswerShape): Answering {
  return {
    answerJson: (answer, context) => ({
      ...head('chat.completion', shape, context),
      ...shape.body(chatAnswerOf(answer, context, shape)),
    }),
    answerStream(scripted, context) {
      const answer = chatAnswerOf(scripted, context, shape)
      const print = chunkPrinter(shape, context)
      const frames = shape.content(answer).flatMap(print)
      const ending = shape.ending(answer).flatMap(print)
      return { frames: [...frames, ...ending, plainEvent('[DONE]')], terminal: frames.length }
    },
    errorBody: (rejection) => shape.errorBody(rejection),
    failureJson: (rejection, context) => shape.failedBody?.(rejection, context) ?? shape.errorBody(rejection),
    failureStream: (rejection, before, context) => failureStream(shape, rejection, before, context),
  }
}

function failureStream(
  shape: AnswerShape,
  rejection: Rejection,
  before: ScriptedAnswer,
  context: AnswerContext,
): readonly string[] {
  const print = chunkPrinter(shape, context)
  const content = shape.content(chatAnswerOf(before, context, shape)).flatMap(print)
  const failing = shape.failing?.(rejection, context) ?? [plainEvent(JSON.stringify(shape.errorBody(rejection)))]
  return [...content, ...failing.flatMap((frame) => (typeof frame === 'string' ? [frame] : print(frame)))]
}

/** Prints one chunk after the other, each with what stands before it. */
function chunkPrinter(shape: AnswerShape, context: AnswerContext): (members: JsonObject) => readonly string[] {
  let ordinal = 0
  return (members) => {
    ordinal += 1
    const whole = shape.chunk?.(members, { ordinal, context }) ?? members
    const body = { ...head('chat.completion.chunk', shape, context), ...whole }
    return [...(shape.before?.(ordinal) ?? []), plainEvent(JSON.stringify(body))]
  }
}

/** The members that all providers have in common. */
export function head(object: string, shape: Pick<AnswerShape, 'responseId'>, context: AnswerContext): JsonObject {
  return {
    id: shape.responseId(context.turn),
    object,
    created: turnSeconds(context.turn),
    model: context.request['model'],
  }
}
