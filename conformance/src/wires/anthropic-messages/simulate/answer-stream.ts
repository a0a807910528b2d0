import type { ScriptedAnswer } from '../../../script.ts'
import { pieces } from '../../simulate/pieces.ts'
import { namedEvent } from '../../simulate/sse.ts'
import type { AnswerContext, JsonObject, StreamedAnswer } from '../../simulate/wire-simulation.ts'
import { blocksOf, cacheCreation, inputUsage, messageId, outputUsage, stopReason, type Block } from './answer.ts'

export type Event = JsonObject & { readonly type: string }

/** https://docs.claude.com/en/docs/build-with-claude/streaming */
export function answerStream(answer: ScriptedAnswer, context: AnswerContext): StreamedAnswer {
  const events = answerEvents(answer, context)
  return { frames: events.map(print), terminal: events.length - 1 }
}

/** Content as it stands, then `event: error`. Nothing follows it. */
export function failureStream(error: JsonObject, before: ScriptedAnswer, context: AnswerContext): readonly string[] {
  return [...openEvents(before, context).map(print), namedEvent('error', JSON.stringify(error))]
}

export function answerEvents(answer: ScriptedAnswer, context: AnswerContext): readonly Event[] {
  return [
    ...openEvents(answer, context),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason(answer), stop_sequence: null, stop_details: null },
      usage: { ...inputUsage(answer, context), ...outputUsage(answer, context) },
    },
    { type: 'message_stop' },
  ]
}

/** All that comes before the end. */
export function openEvents(answer: ScriptedAnswer, context: AnswerContext): readonly Event[] {
  return [messageStart(answer, context), ...contentEvents(answer, context)]
}

function messageStart(answer: ScriptedAnswer, context: AnswerContext): Event {
  const usage = {
    ...inputUsage(answer, context),
    ...cacheCreation(answer, context),
    output_tokens: 1,
    service_tier: 'standard',
    inference_geo: 'global',
  }
  const message = {
    model: context.request['model'],
    id: messageId(context),
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage,
  }
  return { type: 'message_start', message }
}

/**
 * A ping comes between the start of the first block and its first delta, and after the first block when others follow
 * (docs/wire.md#anthropic-pings).
 */
function contentEvents(answer: ScriptedAnswer, context: AnswerContext): readonly Event[] {
  const blocks = blocksOf(answer, context)
  return blocks.flatMap((block, index) => {
    const [start, ...rest] = blockEvents(block, index)
    const afterStart = index === 0 ? [ping] : []
    const afterStop = index === 0 && blocks.length > 1 ? [ping] : []
    return [...(start === undefined ? [] : [start]), ...afterStart, ...rest, ...afterStop]
  })
}

const ping: Event = { type: 'ping' }

function blockEvents(block: Block, index: number): readonly Event[] {
  const deltas = blockDeltas(block).map((delta) => ({ type: 'content_block_delta', index, delta }))
  const start = { type: 'content_block_start', index, content_block: emptyBlock(block) }
  return [start, ...deltas, { type: 'content_block_stop', index }]
}

function emptyBlock(block: Block): JsonObject {
  switch (block.type) {
    case 'text':
      return block.citations === undefined ? { type: 'text', text: '' } : { citations: [], type: 'text', text: '' }
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'tool_use':
    case 'server_tool_use':
      return { type: block.type, id: block.id, name: block.name, input: {}, caller: { type: 'direct' } }
    case 'server-result':
      return block.block
    case 'redacted_thinking':
      return block
    default:
      return block satisfies never
  }
}

/** Input starts with an empty delta; a call without arguments has no other one (docs/wire.md#anthropic-empty-input). */
function blockDeltas(block: Block): readonly JsonObject[] {
  switch (block.type) {
    case 'text':
      return [
        ...(block.citations ?? []).map((citation) => ({ type: 'citations_delta', citation })),
        ...pieces(block.text).map((text) => ({ type: 'text_delta', text })),
      ]
    case 'thinking':
      return [
        ...pieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ]
    case 'server-result':
    case 'redacted_thinking':
      return []
    case 'tool_use':
    case 'server_tool_use':
      return ['', ...(block.inputText === '{}' ? [] : pieces(block.inputText))].map((partial) => ({
        type: 'input_json_delta',
        partial_json: partial,
      }))
    default:
      return block satisfies never
  }
}

/** Blanks before the last brace hide the size of an event (docs/wire.md#padding); pings have none. */
function print(event: Event, ordinal: number): string {
  const json = JSON.stringify(event)
  if (event.type === 'ping') return namedEvent('ping', '{"type": "ping"}')
  return namedEvent(event.type, `${json.slice(0, -1)}${' '.repeat((ordinal * 5) % 16)}}`)
}
