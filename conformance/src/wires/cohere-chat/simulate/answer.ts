import type { ScriptedAnswer } from '../../../script.ts'
import { pieces } from '../../simulate/pieces.ts'
import {
  argumentsText,
  callsOf,
  joinedCitations,
  joinedText,
  usageOf,
  type LocatedCitation,
} from '../../simulate/scripted-answer.ts'
import { namedEvent, plainEvent } from '../../simulate/sse.ts'
import type { AnswerContext, JsonObject, StreamedAnswer } from '../../simulate/wire-simulation.ts'

/** https://docs.cohere.com/reference/chat: what is empty is left out. */
export function answerJson(answer: ScriptedAnswer, context: AnswerContext): JsonObject {
  const blocks = blocksOf(answer, context)
  const calls = wireCalls(answer, context)
  const citations = citationsOf(answer, blocks)
  const message = {
    role: 'assistant',
    ...(blocks.length > 0 && { content: blocks }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(citations.length > 0 && { citations }),
  }
  return { id: idOf(context), message, ...endOf(answer, context) }
}

/** https://docs.cohere.com/docs/streaming and https://docs.cohere.com/docs/tool-use-streaming */
export function answerStream(answer: ScriptedAnswer, context: AnswerContext): StreamedAnswer {
  const frames = contentFrames(answer, context)
  const end = print({ type: 'message-end', delta: endOf(answer, context) })
  return { frames: [...frames, end, plainEvent('[DONE]')], terminal: frames.length }
}

/** A generation that fails ends the message with the word for it. */
export function failureStream(error: string, before: ScriptedAnswer, context: AnswerContext): readonly string[] {
  return [...contentFrames(before, context), print({ type: 'message-end', delta: { finish_reason: 'ERROR', error } })]
}

function contentFrames(answer: ScriptedAnswer, context: AnswerContext): readonly string[] {
  const blocks = blocksOf(answer, context)
  const empty = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] }
  const citations = citationsOf(answer, blocks)
  return [
    print({ id: idOf(context), type: 'message-start', delta: { message: empty } }),
    ...blocks.flatMap((block, index) => blockFrames(block, index, index === blocks.length - 1 ? citations : [])),
    ...wireCalls(answer, context).flatMap((call, index) => callFrames(call, index)),
  ]
}

type Block = { readonly type: 'thinking'; readonly thinking: string } | { readonly type: 'text'; readonly text: string }

/** A model that can think does so unless the request says otherwise. A refusal is text like any other. */
function blocksOf(answer: ScriptedAnswer, context: AnswerContext): readonly Block[] {
  const thinking = thinks(context) ? (joinedText(answer, 'reasoning') ?? '') : ''
  const text = [joinedText(answer, 'text'), joinedText(answer, 'refusal')].join('')
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking' as const, thinking }]),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
  ]
}

function blockFrames(block: Block, index: number, citations: readonly JsonObject[]): readonly string[] {
  const isText = block.type === 'text'
  const content = (text: string): JsonObject => (isText ? { text } : { thinking: text })
  const event = (type: string, message: JsonObject): string => print({ type, index, delta: { message } })
  return [
    event('content-start', { content: { type: block.type, ...content('') } }),
    ...pieces(isText ? block.text : block.thinking).map((piece) => event('content-delta', { content: content(piece) })),
    ...citations.flatMap((citation, at) => [
      print({ type: 'citation-start', index: at, delta: { message: { citations: citation } } }),
      print({ type: 'citation-end', index: at }),
    ]),
    print({ type: 'content-end', index }),
  ]
}

interface WireCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

function callFrames(call: WireCall, index: number): readonly string[] {
  const { name, arguments: text } = call.function
  const event = (type: string, tool_calls: JsonObject): string =>
    print({ type, index, delta: { message: { tool_calls } } })
  return [
    event('tool-call-start', { ...call, function: { name, arguments: '' } }),
    ...pieces(text).map((piece) => event('tool-call-delta', { function: { arguments: piece } })),
    print({ type: 'tool-call-end', index }),
  ]
}

/** Ids begin with the name of the tool. */
function wireCalls(answer: ScriptedAnswer, context: AnswerContext): readonly WireCall[] {
  return callsOf(answer).map((call, index) => ({
    id: call.id ?? `${call.toolName}_s${String(context.turn).padStart(3, '0')}n${String(index + 1).padStart(3, '0')}`,
    type: 'function',
    function: { name: call.toolName, arguments: argumentsText(call) },
  }))
}

/** Locations count in the block that is named. */
function citationsOf(answer: ScriptedAnswer, blocks: readonly Block[]): readonly JsonObject[] {
  const index = blocks.findIndex(({ type }) => type === 'text')
  return joinedCitations(answer).map((citation, at) => ({ ...wireCitation(citation, at), content_index: index }))
}

function wireCitation({ start, end, supports, url, title, quote }: LocatedCitation, at: number): JsonObject {
  const id = `doc:${at}`
  const sources = [{ type: 'document', id, document: { id, title, url, text: quote } }]
  return { start, end, text: supports, sources, type: 'TEXT_CONTENT' }
}

function thinks({ request }: AnswerContext): boolean {
  const { thinking } = request
  return !(typeof thinking === 'object' && thinking !== null && Reflect.get(thinking, 'type') === 'disabled')
}

function endOf(answer: ScriptedAnswer, context: AnswerContext): JsonObject {
  const shown = thinks(context) && joinedText(answer, 'reasoning') !== undefined
  const usage = usageOf(answer, context.turn, shown)
  const counts = { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens }
  return {
    finish_reason: finishOf(answer),
    usage: {
      billed_units: counts,
      tokens: { ...counts, ...(usage.reasoningTokens > 0 && { reasoning_tokens: usage.reasoningTokens }) },
      cached_tokens: usage.cachedInputTokens,
    },
  }
}

function finishOf(answer: ScriptedAnswer): string {
  if (answer.finish === 'length') return 'MAX_TOKENS'
  if (answer.finish === 'unheard-of') return 'SOMETHING_NEW'
  return callsOf(answer).length > 0 ? 'TOOL_CALL' : 'COMPLETE'
}

function idOf({ turn }: AnswerContext): string {
  return `10000000-0000-4000-8000-${String(turn).padStart(12, '0')}`
}

function print(event: JsonObject): string {
  return namedEvent(String(event['type']), JSON.stringify(event))
}
