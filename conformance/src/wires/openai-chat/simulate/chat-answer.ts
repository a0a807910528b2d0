import type { ScriptedAnswer } from '../../../script.ts'
import {
  argumentsText,
  callsOf,
  joinedCitations,
  joinedText,
  unheardOf,
  usageOf,
  type FullUsage,
  type LocatedCitation,
} from '../../simulate/scripted-answer.ts'
import type { AnswerContext } from '../../simulate/wire-simulation.ts'

/** A scripted answer in the words of Chat Completions, before a provider gives it its shape. */
export interface ChatAnswer {
  readonly context: AnswerContext
  readonly text: string | undefined
  /** Absent also where the provider does not show it. */
  readonly reasoning: string | undefined
  readonly refusal: string | undefined
  readonly citations: readonly LocatedCitation[]
  readonly calls: readonly AnswerCall[]
  /** Data URLs of what the model made; few providers have a place for it. */
  readonly files: readonly string[]
  /** `stop`, `length`, `tool_calls`, `content_filter`, or a word not known yet. */
  readonly finish: string
  readonly counts: FullUsage
}

export interface AnswerCall {
  readonly id: string
  readonly name: string
  /** JSON text, unless the script wants something else. */
  readonly arguments: string
}

export interface ShapeFacts {
  /** Makes the id of a call from the ordinals of its turn and of the call, both from 1. */
  callId(turn: number, ordinal: number): string
  /** Whether the model thinks, and the request lets it be seen. Default: always. */
  showsReasoning?(context: AnswerContext): boolean
  /** False: the provider knows no field for refusals, so they are texts. Default true. */
  readonly refusals?: boolean | undefined
}

export function chatAnswerOf(answer: ScriptedAnswer, context: AnswerContext, shape: ShapeFacts): ChatAnswer {
  const shown = shape.showsReasoning?.(context) ?? true
  const reasoning = shown ? joinedText(answer, 'reasoning') : undefined
  const text = joinedText(answer, 'text')
  const refusal = joinedText(answer, 'refusal')
  const calls = callsOf(answer).map((call, index) => ({
    id: call.id ?? shape.callId(context.turn, index + 1),
    name: call.toolName,
    arguments: argumentsText(call),
  }))
  const separate = shape.refusals !== false
  return {
    context,
    text: separate || refusal === undefined ? text : `${text ?? ''}${refusal}`,
    reasoning,
    refusal: separate ? refusal : undefined,
    citations: joinedCitations(answer),
    calls,
    files: answer.parts.flatMap((part) => (part.type === 'file' ? [`data:${part.mediaType};base64,${part.data}`] : [])),
    finish: finishReason(answer),
    counts: usageOf(answer, context.turn, reasoning !== undefined),
  }
}

function finishReason(answer: ScriptedAnswer): string {
  switch (answer.finish) {
    case 'length':
      return 'length'
    case 'content-filter':
    case 'guardrail':
      return 'content_filter'
    case 'unheard-of':
      return unheardOf
    case 'stop':
    case 'pause': // Chat Completions knows no pause.
      return 'stop'
    case undefined:
      return callsOf(answer).length > 0 ? 'tool_calls' : 'stop'
    default:
      return answer.finish satisfies never
  }
}
