import type { ScriptedAnswer } from '../../../script.ts'
import { turnSeconds } from '../../simulate/scripted-answer.ts'
import { plainEvent } from '../../simulate/sse.ts'
import type { AnswerContext, JsonObject, Rejection, WireSimulation } from '../../simulate/wire-simulation.ts'
import { spokenOf, type SpeakerFacts, type Spoken } from './spoken.ts'

/** How a provider words its answers: everything that differs among those who speak Chat Completions. */
export interface ChatVoice extends SpeakerFacts {
  /** Id of the answer, from the ordinal of its turn. */
  responseId(turn: number): string
  /** Members of the body beside `id`, `object`, `created` and `model`. */
  body(spoken: Spoken): JsonObject
  /** Members of the chunks with content, one object per chunk. */
  content(spoken: Spoken): readonly JsonObject[]
  /** Members of the chunks that end the answer; the first of them proves its end. */
  ending(spoken: Spoken): readonly JsonObject[]
  /** Adds what stands in every chunk to the members of one; ordinals count from 1. Default: nothing. */
  chunk?(members: JsonObject, scope: { readonly ordinal: number; readonly context: AnswerContext }): JsonObject
  /** Frames before the chunk with this ordinal, such as comments. Default: none. */
  before?(ordinal: number): readonly string[]
  /** The provider's error shape. */
  errorBody(refusal: Rejection): JsonObject
  /** The body of a fault inside a 200. Default: that of other faults. */
  failedBody?(refusal: Rejection, context: AnswerContext): JsonObject
  /** Ends a stream with a fault, after the content. Default: an object with `error` in place of a chunk, and nothing after it. */
  failing?(refusal: Rejection, context: AnswerContext): readonly FailingFrame[]
}

/** Members of a chunk, or the text of a whole frame. */
export type FailingFrame = JsonObject | string

type Answering = Pick<WireSimulation, 'answerJson' | 'answerStream' | 'failureJson' | 'failureStream' | 'errorBody'>

/** Makes the answering half of a simulation. */
export function speakWith(voice: ChatVoice): Answering {
  return {
    answerJson: (answer, context) => ({
      ...head('chat.completion', voice, context),
      ...voice.body(spokenOf(answer, context, voice)),
    }),
    answerStream(answer, context) {
      const spoken = spokenOf(answer, context, voice)
      const print = chunkPrinter(voice, context)
      const frames = voice.content(spoken).flatMap(print)
      const ending = voice.ending(spoken).flatMap(print)
      return { frames: [...frames, ...ending, plainEvent('[DONE]')], terminal: frames.length }
    },
    errorBody: (refusal) => voice.errorBody(refusal),
    failureJson: (refusal, context) => voice.failedBody?.(refusal, context) ?? voice.errorBody(refusal),
    failureStream: (refusal, before, context) => failureStream(voice, refusal, before, context),
  }
}

function failureStream(
  voice: ChatVoice,
  refusal: Rejection,
  before: ScriptedAnswer,
  context: AnswerContext,
): readonly string[] {
  const print = chunkPrinter(voice, context)
  const content = voice.content(spokenOf(before, context, voice)).flatMap(print)
  const failing = voice.failing?.(refusal, context) ?? [plainEvent(JSON.stringify(voice.errorBody(refusal)))]
  return [...content, ...failing.flatMap((frame) => (typeof frame === 'string' ? [frame] : print(frame)))]
}

/** Prints one chunk after the other, each with what stands before it. */
function chunkPrinter(voice: ChatVoice, context: AnswerContext): (members: JsonObject) => readonly string[] {
  let ordinal = 0
  return (members) => {
    ordinal += 1
    const whole = voice.chunk?.(members, { ordinal, context }) ?? members
    const body = { ...head('chat.completion.chunk', voice, context), ...whole }
    return [...(voice.before?.(ordinal) ?? []), plainEvent(JSON.stringify(body))]
  }
}

/** The members that all providers have in common. */
export function head(object: string, voice: Pick<ChatVoice, 'responseId'>, context: AnswerContext): JsonObject {
  return {
    id: voice.responseId(context.turn),
    object,
    created: turnSeconds(context.turn),
    model: context.request['model'],
  }
}
