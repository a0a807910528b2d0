import { arrayOf, objectOf, type JsonObject } from '@steploop/core/adapter'
import type { Derivation } from '../../derivation.ts'
import type { AnswerForm } from '../variants/answer-forms.ts'
import { bodies, both, events, perMode, requests } from '../variants/recipe.ts'

/** What the API gives as the content of a message, and what goes back to it. */
export interface BlocksForm extends AnswerForm {
  readonly blocks: readonly JsonObject[]
  /** The events of the blocks in a stream. Default: each block begins, comes in pieces and stops. */
  readonly streamed?: readonly JsonObject[]
  /** The counts of the message, and those of `message_start` and `message_delta`. Default: what the base says. */
  readonly usage?: readonly [whole: JsonObject, start: JsonObject, end: JsonObject]
  /** Members of the message, in a stream of the delta that ends it. */
  readonly ends?: JsonObject
  /** The blocks as they go back. Default: as they came. */
  readonly back?: readonly JsonObject[]
}

export function start(index: number, content_block: JsonObject): JsonObject {
  return { type: 'content_block_start', index, content_block }
}

export function delta(index: number, piece: JsonObject): JsonObject {
  return { type: 'content_block_delta', index, delta: piece }
}

export function stop(index: number): JsonObject {
  return { type: 'content_block_stop', index }
}

/** The events of a block as the API streams it: what has no pieces stands whole in its start. */
export function framed(block: JsonObject, index: number): readonly JsonObject[] {
  const [empty, deltas] = inPieces(block)
  return [start(index, empty), ...deltas.map((piece) => delta(index, piece)), stop(index)]
}

function inPieces(block: JsonObject): readonly [JsonObject, readonly JsonObject[]] {
  const { text, citations, thinking, signature, input } = block
  if (block['type'] === 'text') {
    const cited = arrayOf(citations).map((citation) => ({ type: 'citations_delta', citation }))
    const pieces = halves(String(text)).map((piece) => ({ type: 'text_delta', text: piece }))
    return [{ ...block, text: '', ...(citations !== undefined && { citations: [] }) }, [...cited, ...pieces]]
  }
  if (block['type'] === 'thinking') {
    const pieces = halves(String(thinking)).map((piece) => ({ type: 'thinking_delta', thinking: piece }))
    return [{ ...block, thinking: '', signature: '' }, [...pieces, { type: 'signature_delta', signature }]]
  }
  if (input === undefined) return [block, []]
  const pieces = ['', ...halves(JSON.stringify(input))]
  return [{ ...block, input: {} }, pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }))]
}

function halves(text: string): readonly [string, string] {
  return [text.slice(0, 5), text.slice(5)]
}

/** The blocks where the base has its own. */
export function answerAs({ blocks, streamed, usage, ends, finish }: BlocksForm): Derivation['change'] {
  const end = { ...(finish && { stop_reason: finish[0] }), ...ends }
  const [whole, begun, ended] = usage ?? []
  return perMode(
    bodies((body) => ({ ...body, content: blocks, ...end, ...(whole && { usage: whole }) })),
    events((event) => {
      const { type } = event
      if (type === 'message_start') {
        const message = { ...objectOf(event['message']), ...(begun && { usage: begun }) }
        return [{ ...event, message }, ...(streamed ?? blocks.flatMap(framed))]
      }
      if (type === 'message_stop') return [event]
      if (type !== 'message_delta') return []
      return [{ ...event, delta: { ...objectOf(event['delta']), ...end }, ...(ended && { usage: ended }) }]
    }),
  )
}

const thanks = answerAs({
  blocks: [{ type: 'text', text: 'Gern geschehen.' }],
  parts: [],
  finish: ['end_turn', 'stop'],
})

/** The blocks go back behind the question, and the results of their calls name them. */
export function sentBack({ blocks, back = blocks }: BlocksForm): Derivation['change'] {
  const calls = back.filter(({ type }) => type === 'tool_use')
  const change = requests((body) => {
    const [question, , next] = arrayOf(body['messages']).map((message) => objectOf(message))
    const content = arrayOf(next?.['content']).map((given, index) => {
      const block = objectOf(given)
      if (block['type'] !== 'tool_result') return block
      const { id, toolset_name } = objectOf(calls[index])
      return { ...block, tool_use_id: id, ...(toolset_name !== undefined && { toolset_name }) }
    })
    return { ...body, messages: [question, { role: 'assistant', content: back }, { ...next, content }] }
  })
  return both(change, thanks)
}
