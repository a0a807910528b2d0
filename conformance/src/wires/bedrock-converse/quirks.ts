import { bedrockAnswerForms, bedrockUnknownBlock } from './answer-forms.ts'
import { isObject, objectOf, type JsonObject } from '@steploop/core/adapter'
import type { WireQuirk } from '../variants/quirk.ts'
import { answers, eachObject, events, responses } from '../variants/recipe.ts'

const noBlockStop: WireQuirk = {
  of: 'parallel-calls',
  id: 'bedrock-no-block-stop',
  title: 'No event says that a block ends.',
  at: ['bedrock-converse/bedrock/stream'],
  recipe: 'without `contentBlockStop` (docs/wire.md#bedrock-converse)',
  change: events((event) => ('contentBlockStop' in event ? [] : [event])),
}

const usageBeforeEnd: WireQuirk = {
  of: 'single-call',
  id: 'bedrock-usage-before-end',
  title: 'Usage comes before the end of the turn.',
  at: ['bedrock-converse/bedrock/stream'],
  recipe: '`metadata` before `messageStop` (docs/wire.md#bedrock-converse)',
  change: responses((text) => {
    const lines = text.split('\n')
    return [...lines.slice(0, -2), lines.at(-1), lines.at(-2)].join('\n')
  }),
}

/** The piece of a call without arguments, as Nova gives it. */
function emptyObject(event: JsonObject): JsonObject {
  return eachObject(event, (object) => (object['input'] === '' ? { ...object, input: '{}' } : object))
}

const emptyObjectText: WireQuirk = {
  of: 'no-arguments',
  id: 'bedrock-empty-object',
  title: 'A call without arguments has the piece `{}`.',
  at: ['bedrock-converse/bedrock/stream'],
  recipe: '`input` of `` as `{}` (docs/wire.md#bedrock-converse)',
  change: events((event) => [emptyObject(event)]),
}

/** Newer models say of a block which one it is, beside its name. */
function typed(value: JsonObject): JsonObject {
  return eachObject(value, (object) =>
    isObject(object['toolUse']) && 'toolUseId' in object['toolUse']
      ? { ...object, toolUse: { ...objectOf(object['toolUse']), type: 'tool_use' } }
      : object,
  )
}

const typedCalls: WireQuirk = {
  of: 'parallel-calls',
  id: 'bedrock-typed-calls',
  title: 'Calls say that they are calls of the caller’s tools.',
  at: ['bedrock-converse/bedrock'],
  recipe: '`type: tool_use` in every call (docs/wire.md#bedrock-converse)',
  change: answers(typed),
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html; all of them were recorded. */
export const bedrockConverseQuirks: readonly WireQuirk[] = [
  noBlockStop,
  usageBeforeEnd,
  emptyObjectText,
  typedCalls,
  bedrockAnswerForms,
  bedrockUnknownBlock,
]
