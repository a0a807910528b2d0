import { arrayOf, isObject, objectOf, type JsonObject } from '@steploop/core/adapter'
import { leaveOut } from '../simulate/leave-out.ts'
import { typedFailure } from '../../scenario-parts/typed-failure.ts'
import { choiceOf, eachChoice } from './chat-choice.ts'
import type { WireQuirk } from '../variants/quirk.ts'
import { events, responses } from '../variants/recipe.ts'
import { countedAsAtTheEnd } from '../variants/usage-of-base.ts'

const groq = ['openai-chat/groq/stream']
const mistral = ['openai-chat/mistral/stream']
const openrouter = ['openai-chat/openrouter/stream']

const usageAside: WireQuirk = {
  of: 'text-only',
  id: 'groq-usage-aside',
  title: 'Usage that stands under `x_groq` only.',
  at: groq,
  recipe: 'no `usage` beside `x_groq.usage` (docs/wire.md#chat-usage, Groq compound)',
  change: events((chunk) => [isObject(chunk['usage']) ? leaveOut(chunk, ['usage']) : chunk]),
  moreChecks: [countedAsAtTheEnd],
}

const rotatingChunkIds: WireQuirk = {
  of: 'parallel-calls',
  id: 'groq-rotating-chunk-ids',
  title: 'A new id in every chunk of one answer.',
  at: groq,
  recipe: 'another `id` in each chunk (docs/wire.md#chat-ids-of-chunks, Groq compound)',
  change: events((chunk, { index }) => [{ ...chunk, id: `${String(chunk['id'])}-${index}` }]),
}

/** The call in two deltas, the second one with an empty name and a text that says nothing. */
function inTwo(chunk: JsonObject): readonly JsonObject[] {
  const choice = choiceOf(chunk)
  const delta = objectOf(choice['delta'])
  const [call] = arrayOf(delta['tool_calls']).map(objectOf)
  if (call === undefined) return [chunk]
  const { name, arguments: text } = objectOf(call['function'])
  const begin = { ...call, function: { name, arguments: String(text).slice(0, 4) }, index: 0 }
  const rest = { ...call, function: { name: '', arguments: String(text).slice(4) }, index: 0 }
  const first = { ...choice, delta: { role: 'assistant', content: '', tool_calls: [begin] }, finish_reason: null }
  const second = { ...choice, delta: { content: '', tool_calls: [rest] } }
  return [
    { ...leaveOut(chunk, ['usage']), choices: [first] },
    { ...chunk, choices: [second] },
  ]
}

const incrementalCall: WireQuirk = {
  of: 'single-call',
  id: 'mistral-incremental-call',
  title: 'A call in two deltas: the second one has an empty name, and an empty text beside it.',
  at: mistral,
  recipe:
    'the call in two deltas, the later one with `name: ""` and `content: ""` (docs/wire.md#chat-fragments-of-calls)',
  change: events(inTwo),
}

/** The text after the thought as plain strings. */
function plainText(chunk: JsonObject): JsonObject {
  return eachChoice(chunk, 'delta', (delta) => {
    const [part] = arrayOf(delta['content']).map(objectOf)
    return part?.['type'] === 'text' ? { ...delta, content: part['text'] } : delta
  })
}

const listThenText: WireQuirk = {
  of: 'reasoning-text',
  id: 'mistral-list-then-text',
  title: 'Content that is a list while the model thinks, and a plain text after it.',
  at: mistral,
  recipe: '`content` as text once the thought is over (docs/wire.md#chat-content)',
  change: events((chunk) => [plainText(chunk)]),
}

const usageAfterFinish: WireQuirk = {
  of: 'single-call',
  id: 'openrouter-usage-after-finish',
  title: 'Usage in a chunk after the finish reason, whose own reason is null.',
  at: openrouter,
  recipe: 'the chunk with usage has `finish_reason: null` (docs/wire.md#chat-usage)',
  change: events((chunk) => {
    if (!isObject(chunk['usage'])) return [chunk]
    return [{ ...chunk, choices: [{ ...choiceOf(chunk), finish_reason: null, native_finish_reason: null }] }]
  }),
}

const error = { code: 400, message: 'Reasoning is mandatory for this endpoint, auch in Zürich 🚫.' }

const lengthThenError: WireQuirk = {
  of: 'length-limit',
  id: 'openrouter-length-then-error',
  title: 'Twice `length`, then a chunk with an error and usage: the turn failed.',
  at: openrouter,
  recipe:
    'after the finish chunks one with `error`, a number as code, and `finish_reason: null` (docs/wire.md#errors-inside-a-200)',
  change: events((chunk) => {
    if (!isObject(chunk['usage'])) return [chunk]
    const choice = { ...choiceOf(chunk), finish_reason: null, native_finish_reason: null }
    return [leaveOut(chunk, ['usage']), { ...chunk, error, choices: [choice] }]
  }),
  golden: `
    failed turn-failed from bad-request
  `,
  checks: [typedFailure({ code: 'bad-request' })],
}

const manyComments: WireQuirk = {
  of: 'single-call',
  id: 'openrouter-many-comments',
  title: 'Seventeen comments before the first event, and one in the middle of an event.',
  at: openrouter,
  recipe: 'more comments, one of them between `data:` and its blank line (docs/wire.md#comments-in-a-stream)',
  change: responses((text) => {
    const [first = '', ...rest] = text.split(/(?<=\n\n)(?=data: )/)
    return [
      ': OPENROUTER PROCESSING\n\n'.repeat(17),
      first,
      ...rest.map((block) => block.replace('\n\n', '\n: OPENROUTER PROCESSING\n\n')),
    ].join('')
  }),
}

/** What providers do to Chat Completions in streams, beside what their simulators do anyway. */
export const chatProviderQuirks: readonly WireQuirk[] = [
  usageAside,
  rotatingChunkIds,
  incrementalCall,
  listThenText,
  usageAfterFinish,
  lengthThenError,
  manyComments,
]
