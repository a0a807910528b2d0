import { arrayOf, objectOf, type JsonObject } from '@steploop/core/adapter'
import type { WireQuirk } from '../variants/quirk.ts'
import { answers, bodies, both, eachObject, events, perMode, requests, responses } from '../variants/recipe.ts'

/** Both calls in the line of the first one. */
function joined(text: string): string {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => objectOf(JSON.parse(line)))
  const callsIn = (line: JsonObject): readonly unknown[] => arrayOf(objectOf(line['message'])['tool_calls'])
  const calls = lines.flatMap(callsIn)
  const first = lines.find((line) => callsIn(line).length > 0)
  const kept = lines.filter((line) => line === first || callsIn(line).length === 0)
  const print = (line: JsonObject): JsonObject =>
    line === first ? { ...line, message: { ...objectOf(line['message']), tool_calls: calls } } : line
  return kept.map((line) => `${JSON.stringify(print(line))}\n`).join('')
}

const callsInOneLine: WireQuirk = {
  of: 'parallel-calls',
  id: 'ollama-calls-in-one-line',
  title: 'Two calls in one line, where others come in a line each.',
  at: ['ollama-chat/ollama/stream'],
  recipe: 'all calls in one line (docs/wire.md#ollama)',
  change: responses(joined),
}

function textArguments(value: JsonObject): JsonObject {
  return eachObject(value, (object) =>
    typeof object['name'] === 'string' && object['arguments'] !== undefined
      ? { ...object, arguments: JSON.stringify(object['arguments']) }
      : object,
  )
}

const argumentsAsText: WireQuirk = {
  of: 'nested-arguments',
  id: 'ollama-arguments-as-text',
  title: 'Arguments as a text that holds JSON, where others are an object.',
  at: ['ollama-chat/ollama'],
  recipe: '`arguments` as JSON text (docs/wire.md#ollama)',
  change: answers(textArguments),
}

/** Members of a message that say something new; in a stream the lines of two pieces hold a part of each. */
const novelty = { caption: 'Karte von Zürich', tiles: [7, 8], sky: { icon: '☀️' } }
const pieces = [
  { caption: 'Karte von ', tiles: [7] },
  { caption: 'Zürich', tiles: [8], sky: { icon: '☀️' } },
]

function within(line: JsonObject, members: JsonObject | undefined): JsonObject {
  return members === undefined ? line : { ...line, message: { ...objectOf(line['message']), ...members } }
}

const newMembers: WireQuirk = {
  of: 'text-then-call',
  id: 'ollama-unknown-members',
  title: 'Members of a message that no client of today knows come back with it, whole where they came in pieces.',
  at: ['ollama-chat/ollama'],
  recipe: 'new members in the first message (docs/wire.md#ollama)',
  change: both(
    perMode(
      bodies((body, exchange) => within(body, exchange === 0 ? novelty : undefined)),
      events((line, { exchange, index }) => [within(line, exchange === 0 ? pieces[index] : undefined)]),
    ),
    requests((body) => ({
      ...body,
      messages: arrayOf(body['messages']).map((message) => {
        const { role, content, ...rest } = objectOf(message)
        return role === 'assistant' ? { role, content, ...novelty, ...rest } : message
      }),
    })),
  ),
}

/** https://docs.ollama.com/api/chat; that calls end with `stop` and come in lines of their own is what the simulator does anyway. */
export const ollamaChatQuirks: readonly WireQuirk[] = [callsInOneLine, argumentsAsText, newMembers]
