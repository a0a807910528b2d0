import { arrayOf, objectOf, type JsonObject } from '@steploop/core/adapter'
import type { Derivation } from '../../derivation.ts'
import type { AnswerForm } from '../variants/answer-forms.ts'
import { bodies, both, events, perMode, requests } from '../variants/recipe.ts'

/** What some server gives as the output of a response, and what goes back to it. */
export interface ItemsForm extends AnswerForm {
  readonly items: readonly JsonObject[]
  /** The events in a stream between the first and the last one. Default: each item begins and is done. */
  readonly streamed?: readonly JsonObject[]
  /** Members of the finished response beside its items. */
  readonly response?: JsonObject
  /** Members of the response in the last event of a stream, in their place. */
  readonly last?: JsonObject
  /** The items as they go back. */
  readonly back: readonly JsonObject[]
}

/** An item begins. */
export function added(item: JsonObject, output_index?: number): JsonObject {
  const empty = { ...(item['content'] !== undefined && { content: [] }) }
  return {
    type: 'response.output_item.added',
    ...(output_index !== undefined && { output_index }),
    item: { ...item, ...empty, status: 'in_progress' },
  }
}

/** An item is whole. */
export function done(item: JsonObject, output_index?: number): JsonObject {
  return { type: 'response.output_item.done', ...(output_index !== undefined && { output_index }), item }
}

/** The items where the base has its own. */
export function answerAs({ items, streamed, response, last, finish }: ItemsForm): Derivation['change'] {
  const [reason, neutral] = finish ?? []
  const isCut = neutral === 'length' || neutral === 'content-filter'
  const facts = { ...(isCut && { status: 'incomplete', incomplete_details: { reason } }), output: items, ...response }
  const between = streamed ?? items.flatMap((item, index) => [added(item, index), done(item, index)])
  return perMode(
    bodies((body) => ({ ...body, ...facts })),
    events((event) => {
      if (event['type'] === 'response.in_progress') return [event, ...between]
      if (event['type'] === 'response.created') return [event]
      if (event['type'] !== 'response.completed') return []
      const type = isCut ? 'response.incomplete' : 'response.completed'
      return [{ ...event, type, response: { ...objectOf(event['response']), ...facts, ...last } }]
    }),
  )
}

const thanks = answerAs({
  items: [
    {
      type: 'message',
      id: 'msg_thanks',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Gern geschehen.', annotations: [], logprobs: [] }],
    },
  ],
  parts: [],
  back: [],
})

/** The items go back behind the question, and what comes after them names their calls. */
export function sentBack({ back }: ItemsForm): Derivation['change'] {
  const calls = back.filter(({ type }) => type === 'function_call')
  const change = requests((body) => {
    const [question, ...rest] = arrayOf(body['input']).map((item) => objectOf(item))
    const behind = rest
      .filter(({ role, type }) => role === 'user' || type === 'function_call_output')
      .map((item, index) =>
        item['type'] === undefined ? item : { ...item, call_id: objectOf(calls[index])['call_id'] },
      )
    return { ...body, input: [question, ...back, ...behind] }
  })
  return both(change, thanks)
}
