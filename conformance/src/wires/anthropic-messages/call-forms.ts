import { without } from '../../json.ts'
import { delta, framed, start, stop, type BlocksForm } from './answer-form.ts'

const weather = { type: 'tool_use', id: 'toolu_a', name: 'get_weather', input: { city: 'Zürich' } }
const time = { type: 'tool_use', id: 'toolu_b', name: 'get_time', input: { tz: 'Asia/Tokyo' } }

const parts = [weather, time].map(({ id, name, input }) => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: name,
  inputText: JSON.stringify(input),
  input,
  owner: 'loop',
}))

export const callForms: readonly BlocksForm[] = [
  // The input at the start is a text, and a list where it is empty; the calls belong to a set of tools.
  {
    blocks: [
      { ...weather, input: JSON.stringify(weather.input), toolset_name: 'reise', caller: { type: 'direct' } },
      time,
    ],
    streamed: [
      start(0, {
        ...weather,
        input: JSON.stringify(weather.input),
        toolset_name: 'reise',
        caller: { type: 'direct' },
      }),
      stop(0),
      start(1, { ...time, input: [] }),
      ...framed(time, 1).slice(1),
    ],
    parts,
    back: [{ ...weather, toolset_name: 'reise', caller: { type: 'direct' } }, time],
  },
  // The pieces of both calls come by turns, and no block stops.
  {
    blocks: [weather, time],
    streamed: [
      start(0, without(weather, 'input')),
      start(1, { ...time, input: null }),
      ...['{"city":', '"Zürich"}'].flatMap((partial_json, index) => [
        delta(0, { type: 'input_json_delta', partial_json }),
        delta(1, { type: 'input_json_delta', partial_json: ['{"tz":', '"Asia/Tokyo"}'][index] }),
      ]),
    ],
    finish: ['stop_sequence', 'tool-calls'],
    parts,
  },
]
