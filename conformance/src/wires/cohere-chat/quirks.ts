import { cohereAnswerForms } from './answer-forms.ts'
import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import type { WireQuirk } from '../variants/quirk.ts'
import { answers, bodies, both, eachObject, events, perMode, requests } from '../variants/recipe.ts'

/** The text `null` in place of no arguments. */
function nullArguments(value: JsonObject): JsonObject {
  return eachObject(value, (object) => (object['arguments'] === '{}' ? { ...object, arguments: 'null' } : object))
}

const nullText: WireQuirk = {
  of: 'no-arguments',
  id: 'cohere-null-arguments',
  title: 'The text `null` stands where a call has no arguments.',
  at: ['cohere-chat/cohere/generate'],
  recipe: '`arguments` of `{}` as `null` (docs/wire.md#cohere)',
  change: bodies(nullArguments),
}

/** Deltas of arguments of a call that has none are left out. */
function withoutEmptyDelta(event: JsonObject): readonly JsonObject[] {
  const calls = objectOf(objectOf(objectOf(event['delta'])['message'])['tool_calls'])
  const isEmpty = event['type'] === 'tool-call-delta' && textOf(objectOf(calls['function'])['arguments']) === '{}'
  return isEmpty ? [] : [event]
}

const noDelta: WireQuirk = {
  of: 'no-arguments',
  id: 'cohere-no-delta',
  title: 'A call without arguments has no delta at all.',
  at: ['cohere-chat/cohere/stream'],
  recipe: 'the delta of `{}` is left out (docs/wire.md#cohere)',
  change: events((event) => withoutEmptyDelta(event)),
}

/** Older models name no block, as they give one. */
function withoutBlock(value: JsonObject): JsonObject {
  return eachObject(value, (object) => {
    const { content_index: _older, ...rest } = object
    return isObject(object) && Array.isArray(object['sources']) ? rest : object
  })
}

const oldCitations: WireQuirk = {
  of: 'citations',
  id: 'cohere-citations-without-block',
  title: 'Citations do not name the block that they support.',
  at: ['cohere-chat/cohere'],
  recipe: 'no `content_index` (docs/wire.md#cohere)',
  change: answers(withoutBlock),
}

/** Models that do not reason say a plan before their calls. */
function planned(message: JsonObject): JsonObject {
  const { content, ...rest } = message
  const thoughts = arrayOf(content).map((block) => textOf(objectOf(block)['thinking']) ?? '')
  if (thoughts.join('') === '' || !Array.isArray(message['tool_calls'])) return message
  return { ...rest, tool_plan: thoughts.join('') }
}

/** The events of a block of thoughts; the calls of that answer have no text before them. */
function planPiece(event: JsonObject): readonly JsonObject[] {
  const { type, delta } = event
  if (!String(type).startsWith('content-')) return [event]
  const { thinking } = objectOf(objectOf(objectOf(delta)['message'])['content'])
  return type === 'content-delta' ? [{ type: 'tool-plan-delta', delta: { message: { tool_plan: thinking } } }] : []
}

const planBeforeCalls: WireQuirk = {
  of: 'reasoning-replay',
  id: 'cohere-plan',
  title: 'What a model thinks before its calls is their plan.',
  at: ['cohere-chat/cohere'],
  recipe: 'thoughts before calls as `tool_plan` (docs/wire.md#cohere)',
  change: both(
    perMode(
      bodies((body) => ({ ...body, message: planned(objectOf(body['message'])) })),
      events((event, { exchange }) => (exchange === 0 ? planPiece(event) : [event])),
    ),
    requests((body) => ({ ...body, messages: arrayOf(body['messages']).map((message) => planned(objectOf(message))) })),
  ),
}

/** https://docs.cohere.com/reference/chat; all of them but blocks of new kinds were recorded. */
export const cohereChatQuirks: readonly WireQuirk[] = [
  nullText,
  noDelta,
  oldCitations,
  planBeforeCalls,
  cohereAnswerForms,
]
