import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import type { Derivation } from '../../derivation.ts'
import { answersInForms, type AnswerForm } from '../variants/answer-forms.ts'
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

const planBeforeCalls: WireQuirk = {
  of: 'reasoning-replay',
  id: 'cohere-plan',
  title: 'What a model thinks before its calls is their plan.',
  at: ['cohere-chat/cohere/generate'],
  recipe: 'thoughts before calls as `tool_plan` (docs/wire.md#cohere)',
  change: both(
    bodies((body) => ({ ...body, message: planned(objectOf(body['message'])) })),
    requests((body) => ({ ...body, messages: arrayOf(body['messages']).map((message) => planned(objectOf(message))) })),
  ),
}

interface ContentForm extends AnswerForm {
  readonly blocks: readonly JsonObject[]
  readonly streamed: readonly JsonObject[]
}

const text = 'In Zürich sind es 7 °C 🌤️.'
const begun = (index: number, content: JsonObject): JsonObject => piece('content-start', index, content)
const piece = (type: string, index: number, content: JsonObject): JsonObject => ({
  type,
  index,
  delta: { message: { content } },
})
const map = { type: 'weather_map', caption: 'Karte von Zürich', tiles: [7], sky: { icon: '☀️' } }

const unknownBlock: ContentForm = {
  blocks: [map, { type: 'text', text }],
  streamed: [
    begun(0, { type: 'weather_map', caption: '', sky: null }),
    piece('content-delta', 0, { caption: 'Karte von ' }),
    piece('content-delta', 0, { caption: 'Zürich', tiles: [7] }),
    piece('content-delta', 0, { sky: { icon: '☀️' } }),
    { type: 'content-end', index: 0 },
    begun(1, { type: 'text', text: '' }),
    piece('content-delta', 1, { text }),
    { type: 'content-end', index: 1 },
  ],
  parts: [{ type: 'opaque' }, { type: 'text', text }],
}

function contentAs({ blocks, streamed }: Pick<ContentForm, 'blocks' | 'streamed'>): Derivation['change'] {
  return perMode(
    bodies((body) => ({ ...body, message: { role: 'assistant', content: blocks } })),
    events((event) => {
      if (event['type'] === 'message-start') return [event, ...streamed]
      return event['type'] === 'message-end' ? [event] : []
    }),
  )
}

const newBlock: WireQuirk = {
  id: 'cohere-unknown-block',
  title: 'A block of a kind that no client of today knows passes through and comes back.',
  at: ['cohere-chat/cohere'],
  recipe: 'a block of a new kind before the text (docs/wire.md#cohere)',
  ...answersInForms({
    forms: [unknownBlock],
    answerAs: contentAs,
    sentBack: ({ blocks }) =>
      requests((body) => {
        const [asked, , thanked] = arrayOf(body['messages'])
        return { ...body, messages: [asked, { role: 'assistant', content: blocks }, thanked] }
      }),
  }),
}

/** https://docs.cohere.com/reference/chat; all of them but the new block were recorded. */
export const cohereChatQuirks: readonly WireQuirk[] = [nullText, noDelta, oldCitations, planBeforeCalls, newBlock]
