import { arrayOf, isObject, objectOf, type JsonObject } from '@steploop/core/adapter'
import { unless } from '../../check.ts'
import { leaveOut } from '../simulate/leave-out.ts'
import { answerFormQuirks } from './form-quirks.ts'
import { choiceOf, eachCall, eachChoice } from './chat-choice.ts'
import type { WireQuirk } from '../variants/quirk.ts'
import { bodies, both, events, perMode, requests, type EventChange } from '../variants/recipe.ts'
import { countedAsAtTheEnd } from '../variants/usage-of-base.ts'

const streamed = ['openai-chat/any-server/stream']
const always = ['openai-chat/any-server']

const growing = { prompt_tokens: 120, completion_tokens: 1, total_tokens: 121 }

const usageEverywhere: WireQuirk = {
  of: 'text-only',
  id: 'compatible-usage-in-every-chunk',
  title: 'Usage in every chunk, growing: the last one counts.',
  at: streamed,
  recipe: 'cumulative `usage` in every chunk (docs/wire.md#chat-usage, Perplexity)',
  change: events((chunk, { index }) =>
    isObject(chunk['usage'])
      ? [chunk]
      : [{ ...chunk, usage: { ...growing, completion_tokens: index + 1, total_tokens: 121 + index } }],
  ),
  moreChecks: [countedAsAtTheEnd],
}

const unflagged = { type: 'moderation_results', model: 'omni-moderation-latest', results: [] }

const moderationLast: WireQuirk = {
  of: 'text-only',
  id: 'compatible-usage-then-moderation',
  title: 'A chunk after the usage chunk, with `usage: null`: the usage stays.',
  at: streamed,
  recipe:
    'a chunk with `choices: []`, `usage: null` and `moderation` after the usage chunk (docs/wire.md#chat-chunks-without-choices)',
  change: events((chunk) =>
    isObject(chunk['usage'])
      ? [chunk, { ...chunk, choices: [], usage: null, moderation: { input: unflagged, output: unflagged } }]
      : [chunk],
  ),
  moreChecks: [countedAsAtTheEnd],
}

const withoutReason: EventChange = (chunk) => {
  if (!Array.isArray(chunk['choices']) || chunk['choices'].length === 0) return [chunk]
  return [{ ...chunk, choices: [leaveOut(choiceOf(chunk), ['finish_reason'])] }]
}

const noFinishReason: WireQuirk = {
  of: 'single-call',
  id: 'compatible-no-finish-reason',
  title: 'A stream without any finish reason: [DONE] is its only end, and its calls run.',
  at: streamed,
  recipe: 'no `finish_reason` in any chunk (docs/wire.md#chat-finish-reasons, Snowflake)',
  change: events(withoutReason),
}

const emptyFinishReason: WireQuirk = {
  of: 'single-call',
  id: 'compatible-empty-finish-reason',
  title: 'An empty finish reason, beside calls too.',
  at: ['openai-chat/any-server/generate'],
  recipe: '`finish_reason: ""` (docs/wire.md#chat-finish-reasons, Snowflake)',
  change: bodies((body) => ({ ...body, choices: [{ ...choiceOf(body), finish_reason: '' }] })),
}

const roleEverywhere: WireQuirk = {
  of: 'parallel-calls',
  id: 'compatible-role-everywhere',
  title: 'The role in every delta, null in some.',
  at: streamed,
  recipe: '`role` in every delta, `null` in every second one (docs/wire.md#chat-roles)',
  change: events((chunk, { index }) => [
    eachChoice(chunk, 'delta', (delta) => ({ ...delta, role: index % 2 === 1 ? null : 'assistant' })),
  ]),
}

/** Later deltas of a call name an empty id, and one with empty arguments comes after the last. */
const emptyIds: EventChange = (chunk) => {
  const changed = eachChoice(chunk, 'delta', (delta) =>
    eachCall(delta, (call) => (call['id'] === undefined ? { ...call, id: '', type: 'function' } : call)),
  )
  const [call] = arrayOf(objectOf(choiceOf(changed)['delta'])['tool_calls']).map(objectOf)
  const isLast = call !== undefined && String(objectOf(call['function'])['arguments']).endsWith('}')
  if (!isLast) return [changed]
  const end = { ...call, id: '', type: 'function', function: { arguments: '' } }
  return [changed, eachChoice(changed, 'delta', (delta) => ({ ...delta, tool_calls: [end] }))]
}

const emptyIdsLater: WireQuirk = {
  of: 'parallel-calls',
  id: 'compatible-empty-ids',
  title: 'Later deltas of a call have an empty id, and the last one empty arguments.',
  at: streamed,
  recipe:
    '`id: ""` and `type` in later deltas, `arguments: ""` at the end of each call (docs/wire.md#chat-fragments-of-calls, Alibaba)',
  change: events(emptyIds),
}

const indexFromOne: WireQuirk = {
  of: 'parallel-calls',
  id: 'compatible-index-from-one',
  title: 'Calls that are numbered from 1.',
  at: streamed,
  recipe: '`index` of calls begins with 1 (docs/wire.md#chat-fragments-of-calls)',
  change: events((chunk) => [
    eachChoice(chunk, 'delta', (delta) => eachCall(delta, (call) => ({ ...call, index: Number(call['index']) + 1 }))),
  ]),
}

/** Ids that the core makes: `call_<turn>_<n>`, both from 0. */
function madeIds(body: JsonObject): JsonObject {
  const made = new Map<unknown, string>()
  const messages = arrayOf(body['messages']).map((value) => {
    const message = objectOf(value)
    if (message['role'] === 'tool') return { ...message, tool_call_id: made.get(message['tool_call_id']) }
    return eachCall(message, (call, index) => {
      const id = `call_0_${index}`
      made.set(call['id'], id)
      return { ...call, id }
    })
  })
  return { ...body, messages }
}

const callsWithoutIds: WireQuirk = {
  of: 'parallel-calls',
  id: 'compatible-calls-without-ids',
  title: 'Calls whose id is empty, in a message without content.',
  at: ['openai-chat/any-server/generate'],
  recipe:
    '`id: ""` on calls and no `content`; ids of our own making go back (docs/wire.md#chat-whole-calls, Gemini’s OpenAI endpoint)',
  change: both(
    requests(madeIds),
    bodies((body) =>
      eachChoice(body, 'message', (message) => {
        if (arrayOf(message['tool_calls']).length === 0) return message
        return leaveOut(
          eachCall(message, (call) => ({ ...call, id: '' })),
          ['content'],
        )
      }),
    ),
  ),
}

/** `null` as a text where there are no arguments; the history holds an empty object all the same. */
const nullText = (call: JsonObject): JsonObject => {
  const invoked = objectOf(call['function'])
  return { ...call, function: invoked['arguments'] === '{}' ? { ...invoked, arguments: 'null' } : invoked }
}

const nullArguments: WireQuirk = {
  of: 'no-arguments',
  id: 'compatible-null-arguments',
  title: 'The text "null" as arguments of a call that has none.',
  at: ['openai-chat/any-server/generate'],
  recipe: '`arguments: "null"` in place of `"{}"` (docs/wire.md#chat-whole-calls)',
  change: bodies((body) => eachChoice(body, 'message', (message) => eachCall(message, nullText))),
}

const emptyCallList: WireQuirk = {
  of: 'text-only',
  id: 'compatible-empty-call-list',
  title: 'An empty list of calls in a plain answer.',
  at: always,
  recipe: '`tool_calls: []` in the message, `null` in deltas (docs/wire.md#chat-whole-calls, Hugging Face, Crusoe)',
  change: perMode(
    bodies((body) => eachChoice(body, 'message', (message) => ({ ...message, tool_calls: [] }))),
    events((chunk) => [eachChoice(chunk, 'delta', (delta) => ({ ...delta, tool_calls: null }))]),
  ),
}

const otherContentType: WireQuirk = {
  of: 'single-call',
  id: 'compatible-content-types',
  title: 'Content types in other letters, without a blank.',
  at: always,
  recipe: '`text/event-stream;charset=UTF-8`, `application/json; charset=UTF-8` (docs/wire.md#content-types, Z.ai)',
  change: (exchanges, mode) =>
    exchanges.map((exchange) => ({
      ...exchange,
      headers: {
        ...exchange.headers,
        'content-type': mode === 'stream' ? 'text/event-stream;charset=UTF-8' : 'application/json; charset=UTF-8',
      },
    })),
}

/**
 * What holds the thought, in place of `reasoning_content`: each of these stands for some servers (docs/wire.md#chat-names-of-reasoning).
 */
const reasoningNames: readonly ((thought: unknown) => JsonObject)[] = [
  (thought) => ({ reasoning_content: thought }),
  (thought) => ({ reasoning: thought }),
  (thought) => ({ reasoning: thought, reasoning_content: thought }),
  (thought) => ({ reasoning_details: [{ type: 'reasoning.text', text: thought }] }),
  (thought) => ({ reasoning: thought, reasoning_details: [{ type: 'reasoning.text', text: thought }] }),
  (thought) => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: thought }] }] }),
]

function renamed(content: JsonObject, name: ((thought: unknown) => JsonObject) | undefined): JsonObject {
  const { reasoning_content: thought, ...rest } = content
  if (name === undefined || thought === undefined || thought === null) return rest
  const given = name(thought)
  // A list of content holds the text, too.
  if (!Array.isArray(given['content']) || typeof rest['content'] !== 'string') return { ...rest, ...given }
  return { ...rest, content: [...arrayOf(given['content']), { type: 'text', text: rest['content'] }] }
}

const thoughts = 'Zürich liegt an der Limmat 🏞️, 東京 am Meer.'

const sixNames: WireQuirk = {
  of: 'reasoning-text',
  id: 'compatible-reasoning-names',
  title: 'Six ways in which servers name a thought: each is reported once, apart from the answer.',
  at: always,
  recipe: 'six copies, the thought under another name in each (docs/wire.md#chat-names-of-reasoning)',
  change(exchanges, mode) {
    const [exchange] = exchanges
    if (exchange === undefined) return []
    return reasoningNames.flatMap((name) => {
      const change = perMode(
        bodies((body) => eachChoice(body, 'message', (message) => renamed(message, name))),
        events((chunk) => [eachChoice(chunk, 'delta', (delta) => renamed(delta, name))]),
      )
      return change([exchange], mode)
    })
  },
  golden: Array.from(
    { length: 6 },
    (_, index) => `
    run ${index + 1}
      step 1 stop
        reasoning
        text
      completed answer`,
  ).join(''),
  async run({ run }) {
    for (let number = 0; number < reasoningNames.length; number++) {
      await run('Was haben Zürich und 東京 gemeinsam?', { reasoning: 'low' })
    }
  },
  checks: [
    {
      id: 'thought-reported-once',
      sentence: 'The thought is there once, whatever its name.',
      judge: ({ runs }) =>
        runs.flatMap(({ result, number }) => {
          const parts = result?.steps[0]?.message.content ?? []
          const reported = parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('')
          return unless(reported === thoughts, `the thought is ${JSON.stringify(reported)}`, `run ${number}`)
        }),
    },
  ],
}

/** Chat Completions as those write it who copy it; no host tells them apart, so they belong to the adapter for all of them. */
export const compatibleChatQuirks: readonly WireQuirk[] = [
  usageEverywhere,
  moderationLast,
  noFinishReason,
  emptyFinishReason,
  roleEverywhere,
  emptyIdsLater,
  indexFromOne,
  callsWithoutIds,
  nullArguments,
  emptyCallList,
  otherContentType,
  sixNames,
  ...answerFormQuirks,
]
