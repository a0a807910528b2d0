import { arrayOf } from '@steploop/core/adapter'
import type { ScriptedAnswer, ScriptedPart } from '../../../script.ts'
import { objectAt } from '../../simulate/fields.ts'
import {
  argumentsText,
  locatedCitations,
  turnSeconds,
  unheardOf,
  usageOf,
  type LocatedCitation,
  type ScriptedCall,
} from '../../simulate/scripted-answer.ts'
import { seal } from '../../simulate/seal.ts'
import type { AnswerContext, JsonObject } from '../../simulate/wire-simulation.ts'
import { hostedItem, type HostedItem } from './hosted-item.ts'
import { responseObject } from './response-object.ts'

/** An output item of the answer, complete. */
export type OutputItem =
  | (JsonObject & { readonly type: 'message' | 'reasoning' | 'function_call'; readonly id: string })
  | HostedItem

/** https://platform.openai.com/docs/api-reference/responses/object */
export function answerJson(answer: ScriptedAnswer, context: AnswerContext): JsonObject {
  return finishedResponse(answer, context, outputOf(answer, context))
}

/** The response as it stands in the body, and in the last event of a stream. */
export function finishedResponse(
  answer: ScriptedAnswer,
  context: AnswerContext,
  output: readonly OutputItem[],
): JsonObject {
  const reason = incompleteReason(answer)
  return responseObject(context, {
    status: reason === undefined ? 'completed' : 'incomplete',
    completed_at: reason === undefined ? turnSeconds(context.turn) + 2 : null,
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: usage(answer, context),
  })
}

/** One item per part of the script. What the model was doing when it ran out of tokens is `incomplete`. */
export function outputOf(answer: ScriptedAnswer, context: AnswerContext): readonly OutputItem[] {
  // An image is the result of a tool of its own, not a part of what is said.
  const parts = answer.parts.filter((part) => part.type !== 'file')
  const last = parts.length - 1
  const cut = incompleteReason(answer) !== undefined
  return parts.map((part, index) => {
    const status = cut && index === last ? 'incomplete' : 'completed'
    return itemOf(part, { context, ordinal: index + 1, status })
  })
}

interface ItemFacts {
  readonly context: AnswerContext
  readonly ordinal: number
  readonly status: string
}

function itemOf(part: Exclude<ScriptedPart, { type: 'file' }>, facts: ItemFacts): OutputItem {
  const suffix = `sim${facts.context.turn}n${facts.ordinal}`
  switch (part.type) {
    case 'text':
      return message(`msg_${suffix}`, facts.status, {
        type: 'output_text',
        annotations: locatedCitations(part).map(annotation),
        logprobs: [],
        text: part.text,
      })
    case 'refusal':
      return message(`msg_${suffix}`, facts.status, { type: 'refusal', refusal: part.text })
    case 'reasoning':
      return reasoningItem(`rs_${suffix}`, part.sealed ? '' : part.text, facts.context)
    case 'call':
      return functionCall(part, suffix, facts.status)
    case 'provider-call':
      return hostedItem(part, suffix, facts.context)
    default:
      return part satisfies never
  }
}

function annotation({ url, title, start, end }: LocatedCitation): JsonObject {
  return { type: 'url_citation', end_index: end, start_index: start, title, url }
}

function message(id: string, status: string, content: JsonObject): OutputItem {
  return { id, type: 'message', status, content: [content], role: 'assistant' }
}

function functionCall(call: ScriptedCall, suffix: string, status: string): OutputItem {
  return {
    id: `fc_${suffix}`,
    type: 'function_call',
    status,
    arguments: argumentsText(call),
    call_id: call.id ?? `call_${suffix}`,
    name: call.toolName,
  }
}

/** The chain of thought itself is never shown: a summary only when asked for, an encrypted copy only when asked for. */
function reasoningItem(id: string, text: string, context: AnswerContext): OutputItem {
  const wanted = objectAt(context.request, 'reasoning')
  const summary = wanted['summary'] ?? wanted['generate_summary']
  const encrypted = arrayOf(context.request['include']).includes('reasoning.encrypted_content')
  return {
    id,
    type: 'reasoning',
    ...(encrypted ? { encrypted_content: sealReasoning(id) } : {}),
    summary: summary == null || text === '' ? [] : [{ type: 'summary_text', text }],
  }
}

/** Encrypted reasoning; it belongs to one item. */
export function sealReasoning(id: string): string {
  return seal('gAAAAABsim', 'reasoning', id)
}

export function incompleteReason(answer: ScriptedAnswer): string | undefined {
  switch (answer.finish) {
    case 'length':
      return 'max_output_tokens'
    case 'content-filter':
    case 'guardrail':
      return 'content_filter'
    case 'unheard-of':
      return unheardOf
    case 'stop':
    case 'pause': // The Responses API knows no pause.
    case undefined:
      return undefined
    default:
      return answer.finish satisfies never
  }
}

function usage(answer: ScriptedAnswer, context: AnswerContext): JsonObject {
  const hasReasoning = answer.parts.some((part) => part.type === 'reasoning')
  const counts = usageOf(answer, context.turn, hasReasoning)
  return {
    input_tokens: counts.inputTokens,
    input_tokens_details: { cached_tokens: counts.cachedInputTokens },
    output_tokens: counts.outputTokens,
    output_tokens_details: { reasoning_tokens: counts.reasoningTokens },
    total_tokens: counts.inputTokens + counts.outputTokens,
  }
}
