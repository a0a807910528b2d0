import type { JsonObject } from '@steploop/core/adapter'
import { call, type ChatForm, type ReadCall } from './answer-form.ts'

const weather = call('call_a', 'get_weather', '{"city":"Zürich"}')
const time = call('call_b', 'get_time', '{"tz":"Asia/Tokyo"}')

/** A call as an adapter sends it. */
function sent({ toolCallId, toolName, inputText }: ReadCall, more: JsonObject = {}): JsonObject {
  return { id: toolCallId, type: 'function', function: { name: toolName, arguments: inputText }, ...more }
}

const signature = (value: string): JsonObject => ({ extra_content: { google: { thought_signature: value } } })
const read = (...calls: readonly ReadCall[]): readonly JsonObject[] =>
  calls.map((one) => ({ type: 'tool-call', ...one, owner: 'loop' }))
const made = [
  { ...weather, toolCallId: 'call_0_0' },
  { ...time, toolCallId: 'call_0_1' },
] as const

/** A call goes back under the name that it came with. */
const thought = { type: 'reasoning', text: 'Ich prüfe Zürich.' }

export const callForms: readonly ChatForm[] = [
  // Arguments that are objects, beside a word that tells of no call.
  {
    message: {
      reasoning_content: thought.text,
      tool_calls: [weather, time].map((one, index) => ({
        ...sent(one),
        index,
        function: { name: one.toolName, arguments: one.input },
      })),
    },
    finish: ['stop', 'tool-calls'],
    parts: [thought, ...read(weather, time)],
    back: { content: null, tool_calls: [sent(weather), sent(time)], reasoning_content: thought.text },
  },
  // Gemini's endpoint signs calls; the first delta of a call has it, and one delta says nothing.
  {
    message: { content: '', tool_calls: [sent(weather, signature('YQ==')), sent(time, signature('Yg=='))] },
    deltas: [
      { tool_calls: [{ index: 0, ...sent({ ...weather, inputText: '' }, signature('YQ==')) }] },
      { tool_calls: [{ index: 0 }, { index: 0, function: { arguments: weather.inputText } }] },
      {
        tool_calls: [
          { index: 1, ...sent(time, signature('Yg==')) },
          { index: 1, ...signature('Yw==') },
        ],
      },
    ],
    finish: ['tool_calls', 'tool-calls'],
    parts: read(weather, time),
    back: { content: null, tool_calls: [sent(weather, signature('YQ==')), sent(time, signature('Yg=='))] },
  },
  // Snowflake: an empty `custom` beside each function; the text "null" is what Mistral's library writes for no id.
  {
    message: {
      content: null,
      reasoning: thought.text,
      tool_calls: [weather, time].map((one, index) => ({ ...sent(one), id: 'null', index, custom: {} })),
    },
    finish: ['', 'tool-calls'],
    parts: [thought, ...read(...made)],
    back: { content: null, tool_calls: made.map((one) => sent(one)), reasoning: thought.text },
  },
  // Gemini's endpoint signs calls that it gives no ids, and entries of the list may hold nothing.
  {
    message: {
      content: null,
      tool_calls: made.map((one, index) => ({ ...sent(one, signature('YQ==')), id: '', index })),
    },
    deltas: [{ tool_calls: [null, ...made.map((one, index) => ({ ...sent(one, signature('YQ==')), id: '', index }))] }],
    finish: ['tool_calls', 'tool-calls'],
    parts: read(...made),
    back: { content: null, tool_calls: made.map((one) => sent(one, signature('YQ=='))) },
  },
]
