import type { JsonObject } from '@steploop/core/adapter'
import { parsed, without } from '../../json.ts'
import { added, done, type ItemsForm } from './answer-form.ts'

const weather = {
  type: 'function_call',
  id: 'fc_a',
  call_id: 'call_a',
  name: 'get_weather',
  arguments: '{"city":"Zürich"}',
} as const
const time = {
  type: 'function_call',
  id: 'fc_b',
  call_id: 'call_b',
  name: 'get_time',
  arguments: '{"tz":"Asia/Tokyo"}',
} as const
const both = [weather, time] as const

type Call = typeof weather | typeof time

/** The call as it begins. */
const empty = (call: Call): JsonObject => ({ ...call, arguments: '' })

const pieces = (where: JsonObject, { arguments: all }: Call): readonly JsonObject[] =>
  [all.slice(0, 7), '', all.slice(7)].map((delta) => ({
    type: 'response.function_call_arguments.delta',
    ...where,
    delta,
  }))

const whole = (where: JsonObject, call: Call): JsonObject => ({
  type: 'response.function_call_arguments.done',
  ...where,
  arguments: call.arguments,
})

const read = both.map(({ call_id, name, arguments: inputText }) => ({
  type: 'tool-call',
  toolCallId: call_id,
  toolName: name,
  inputText,
  input: parsed(inputText),
  owner: 'loop',
}))

export const callForms: readonly ItemsForm[] = [
  // Arguments that are objects, in items without ids of their own (Scaleway gives the ids of the calls alone).
  {
    items: both.map((call) => ({ ...without(call, 'id'), arguments: parsed(call.arguments) })),
    finish: ['stop', 'tool-calls'],
    parts: read,
    back: both.map((call) => without(call, 'id')),
  },
  // The end of an item leaves out its arguments, which for one of them no delta said; the last event leaves out the items.
  {
    items: both,
    streamed: both.flatMap((call, output_index) => [
      added(empty(call), output_index),
      ...(call === weather ? pieces({ item_id: call.id, output_index }, call) : []),
      whole({ item_id: call.id, output_index }, call),
      done({ ...without(call, 'arguments'), status: 'completed' }, output_index),
    ]),
    last: { output: [] },
    finish: ['stop', 'tool-calls'],
    parts: read,
    back: both,
  },
  // Both calls have the index 0, and their deltas come by turns.
  {
    items: both,
    streamed: [
      ...both.map((call) => added(empty(call), 0)),
      ...both.flatMap((call) => pieces({ item_id: call.id, output_index: 0 }, call)),
      ...both.map((call) => done(call, 0)),
    ],
    finish: ['stop', 'tool-calls'],
    parts: read,
    back: both,
  },
  // No index anywhere; the calls are done in another order than they began in.
  {
    items: both,
    streamed: [
      ...both.map((call) => added(empty(call))),
      ...both.flatMap((call) => pieces({ item_id: call.id }, call)),
      ...both.toReversed().map((call) => done(call)),
    ],
    finish: ['stop', 'tool-calls'],
    parts: read,
    back: both,
  },
  // The ends of the items come with the answer alone, under other ids.
  {
    items: both,
    streamed: [
      ...both.map((call, index) => added({ ...empty(call), id: `${call.id}_early` }, index)),
      ...both.flatMap((call, output_index) => pieces({ output_index }, call)),
    ],
    finish: ['stop', 'tool-calls'],
    parts: read,
    back: both,
  },
  // Nothing but the whole calls, each under the index 0, and once more in the answer without their arguments.
  {
    items: both,
    streamed: both.map((call) => done(call, 0)),
    last: { output: both.map((call) => empty(call)) },
    finish: ['stop', 'tool-calls'],
    parts: read,
    back: both,
  },
]
