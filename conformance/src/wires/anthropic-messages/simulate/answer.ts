import type { ScriptedAnswer, ScriptedPart } from '../../../script.ts'
import { objectAt } from '../../simulate/fields.ts'
import { argumentsText, callsOf, unheardOf, usageOf, type ScriptedCall } from '../../simulate/scripted-answer.ts'
import { seal } from '../../simulate/seal.ts'
import type { AnswerContext, JsonObject } from '../../simulate/wire-simulation.ts'
import { serverBlocks, type ServerCall, type ServerResult } from './server-blocks.ts'
import { sealThinking } from './thinking-signature.ts'

/** One content block, with the text of its input as the model wrote it. */
export type Block =
  | { readonly type: 'text'; readonly text: string; readonly citations?: readonly JsonObject[] | undefined }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly inputText: string }
  | ServerCall
  | ServerResult

/** https://docs.claude.com/en/api/messages */
export function answerJson(answer: ScriptedAnswer, context: AnswerContext): JsonObject {
  return {
    model: context.request['model'],
    id: messageId(context),
    type: 'message',
    role: 'assistant',
    content: blocksOf(answer, context).map(wholeBlock),
    stop_reason: stopReason(answer),
    stop_sequence: null,
    stop_details: null,
    usage: {
      ...inputUsage(answer, context),
      ...cacheCreation(answer, context),
      ...outputUsage(answer, context),
      service_tier: 'standard',
      inference_geo: 'global',
    },
  }
}

/**
 * Content of the message. Thinking shows only where the request turned it on. A refusal ends the message without a text of its own:
 * `stop_reason: refusal` says it.
 */
export function blocksOf(answer: ScriptedAnswer, context: AnswerContext): readonly Block[] {
  let calls = 0
  return answer.parts.flatMap((part): Block[] => {
    switch (part.type) {
      case 'text':
        return part.text === '' ? [] : [textBlock(part)]
      case 'reasoning':
        if (!showsThinking(context)) return []
        if (part.sealed) return [{ type: 'redacted_thinking', data: seal('EmSim', 'thinking', part.text) }]
        return [{ type: 'thinking', thinking: part.text, signature: sealThinking(part.text) }]
      case 'refusal':
      case 'file':
        return []
      case 'call':
        calls += 1
        return [toolUse(part, context.turn, calls)]
      case 'provider-call':
        calls += 1
        return [...serverBlocks(part, `sim${context.turn}n${calls}`)]
      default:
        return part satisfies never
    }
  })
}

export function stopReason(answer: ScriptedAnswer): string {
  switch (answer.finish) {
    case 'length':
      return 'max_tokens'
    case 'content-filter':
    case 'guardrail':
      return 'refusal'
    case 'unheard-of':
      return unheardOf
    case 'pause':
      return 'pause_turn'
    case 'stop':
      return 'end_turn'
    case undefined:
      if (answer.parts.some((part) => part.type === 'refusal')) return 'refusal'
      return callsOf(answer).length > 0 ? 'tool_use' : 'end_turn'
    default:
      return answer.finish satisfies never
  }
}

export function messageId(context: AnswerContext): string {
  return `msg_sim${context.turn}`
}

/** Input tokens without cached ones: Anthropic counts them apart. */
export function inputUsage(answer: ScriptedAnswer, context: AnswerContext): JsonObject {
  const counts = usageOf(answer, context.turn, hasThinking(answer, context))
  return {
    input_tokens: counts.inputTokens - counts.cachedInputTokens - counts.cacheWriteTokens,
    cache_creation_input_tokens: counts.cacheWriteTokens,
    cache_read_input_tokens: counts.cachedInputTokens,
  }
}

/** What was written, by how long it stays. */
export function cacheCreation(answer: ScriptedAnswer, context: AnswerContext): JsonObject {
  const { cacheWriteTokens } = usageOf(answer, context.turn, false)
  return { cache_creation: { ephemeral_5m_input_tokens: cacheWriteTokens, ephemeral_1h_input_tokens: 0 } }
}

export function outputUsage(answer: ScriptedAnswer, context: AnswerContext): JsonObject {
  const counts = usageOf(answer, context.turn, hasThinking(answer, context))
  const details = { output_tokens_details: { thinking_tokens: counts.reasoningTokens } }
  return { output_tokens: counts.outputTokens, ...(counts.reasoningTokens === 0 ? {} : details) }
}

function wholeBlock(block: Block): JsonObject {
  switch (block.type) {
    case 'server-result':
      return block.block
    case 'tool_use':
    case 'server_tool_use': {
      const { inputText, ...rest } = block
      return { ...rest, input: parsedInput(inputText), caller: { type: 'direct' } }
    }
    case 'text':
    case 'thinking':
    case 'redacted_thinking':
      return block
    default:
      return block satisfies never
  }
}

/** `input` is an object in a message that is not streamed, whatever the model wrote. */
function parsedInput(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function toolUse(call: ScriptedCall, turn: number, ordinal: number): Block {
  const id = call.id ?? `toolu_sim${turn}n${ordinal}`
  return { type: 'tool_use', id, name: call.toolName, inputText: argumentsText(call) }
}

/** https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-search-tool#citations */
function textBlock({ text, citations = [] }: Extract<ScriptedPart, { type: 'text' }>): Block {
  if (citations.length === 0) return { type: 'text', text }
  const located = citations.map(({ url, title, quote }) => ({
    type: 'web_search_result_location',
    cited_text: quote,
    url,
    title,
    encrypted_index: seal('Eo8B', 'citation', url, quote),
  }))
  return { citations: located, type: 'text', text }
}

function hasThinking(answer: ScriptedAnswer, context: AnswerContext): boolean {
  return showsThinking(context) && answer.parts.some((part) => part.type === 'reasoning')
}

function showsThinking(context: AnswerContext): boolean {
  const { type } = objectAt(context.request, 'thinking')
  return type === 'enabled' || type === 'adaptive'
}
