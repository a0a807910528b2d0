import { expect, test } from 'vitest'
import type { TurnEvent } from '../contract/adapter.ts'
import { createToolCallAssembler, type CallFragment } from './tool-call-assembler.ts'

/** The calls that the fragments give, and all events on the way. */
function assemble(fragments: readonly CallFragment[], cut = false, isToolName?: (name: string) => boolean) {
  let parts = 0
  const assembler = createToolCallAssembler({ turn: 3, nextPart: () => parts++, isToolName })
  const events: TurnEvent[] = []
  for (const fragment of fragments) assembler.push(fragment, events)
  assembler.end(events, cut)
  const calls = events.filter((event) => event.type === 'tool-call')
  return { events, calls: calls.map(({ toolCallId, toolName, input }) => [toolCallId, toolName, input]) }
}

const piece = (index?: number, id?: string, name?: string, text?: string) => ({ index, id, name, argumentsText: text })

const paris = { city: 'Paris' }
const rome = { city: 'Rome' }
const both = [
  ['a', 'weather', paris],
  ['b', 'weather', rome],
] as const
const unnamed = [
  ['call_3_0', 'weather', paris],
  ['call_3_1', 'weather', rome],
] as const

test(
  'fragments of parallel calls are distinguished by the provider’s index, never by array position',
  { tags: ['S01'] },
  () => {
    const { calls, events } = assemble([
      { index: 0, id: 'a', name: 'weather', argumentsText: '' },
      { index: 0, argumentsText: '{"city":' },
      { index: 0, argumentsText: '"Paris"}' },
      { index: 1, id: 'b', name: 'weather', argumentsText: '{"city":"Rome"}' },
    ])
    expect(calls).toEqual(both)
    const starts = events.filter((event) => event.type === 'tool-call-start')
    expect(starts.map(({ part }) => part)).toEqual([0, 1])
  },
)

test('fragments of parallel calls that interleave go to their own calls', { tags: ['S01'] }, () => {
  const { calls } = assemble([
    { index: 0, id: 'a', name: 'weather', argumentsText: '{"city":' },
    { index: 1, id: 'b', name: 'weather', argumentsText: '{"city":' },
    { index: 0, argumentsText: '"Paris"}' },
    { index: 1, argumentsText: '"Rome"}' },
  ])
  expect(calls).toEqual(both)
})

test('fragments of parallel calls that repeat their name with every piece stay one call until its arguments are whole', () => {
  const { calls } = assemble([
    { index: 0, name: 'weather', argumentsText: '{"city":' },
    { index: 0, name: 'weather', argumentsText: '"Paris"}' },
    { index: 0, name: 'weather', argumentsText: '' },
  ])
  expect(calls).toEqual([['call_3_0', 'weather', paris]])
})

test(
  'fragments of parallel calls without an index are distinguished by their ids, or continue the last call',
  { tags: ['S06'] },
  () => {
    const { calls } = assemble([
      { id: 'a', name: 'weather', argumentsText: '{"city":' },
      { argumentsText: '"Paris"}' },
      { id: 'b', name: 'weather', argumentsText: '{"city":"Rome"}' },
    ])
    expect(calls).toEqual(both)
  },
)

test('fragments of parallel calls without an index complete a call that has neither name nor id so far, when both come', () => {
  const { calls } = assemble([{ argumentsText: '{"city":' }, { id: 'a', name: 'weather', argumentsText: '"Paris"}' }])
  expect(calls).toEqual([['a', 'weather', paris]])
})

test('fragments of parallel calls of no call but their own are blanks: nothing runs with an empty input beside the real one', () => {
  const fragments = [{ index: 0 }, {}]
  for (const at of fragments) {
    const before = assemble([
      { ...at, name: 'weather', argumentsText: ' ' },
      { ...at, name: 'weather', argumentsText: '{"city":"Paris"}' },
    ])
    const after = assemble([
      { ...at, name: 'weather', argumentsText: '{"city":"Paris"}' },
      { ...at, name: 'weather', argumentsText: '\n' },
    ])
    expect(before.calls).toEqual([['call_3_0', 'weather', paris]])
    expect(after.calls).toEqual([['call_3_0', 'weather', paris]])
  }
})

test('fragments of parallel calls without index and id that repeat the name with every piece stay one call until its arguments are whole', () => {
  const { calls } = assemble([
    { name: 'weather', argumentsText: '{"city":' },
    { name: 'weather', argumentsText: '"Paris"}' },
    { name: 'weather', argumentsText: '{"city":"Rome"}' },
  ])
  expect(calls).toEqual(unnamed)
})

test('fragments of parallel calls whose objects are nested, and cut where one begins, stay one call', () => {
  const nested = '{"at":{"city":"Paris"}}'
  for (let cut = 1; cut < nested.length; cut++) {
    const { calls } = assemble([
      { index: 0, name: 'weather', argumentsText: nested.slice(0, cut) },
      { index: 0, name: 'weather', argumentsText: nested.slice(cut) },
    ])
    expect(calls).toEqual([['call_3_0', 'weather', { at: paris }]])
  }
})

test('fragments of parallel calls with index 0 and no ids, where another name comes before its arguments, are distinguished', () => {
  const { calls } = assemble([
    { index: 0, name: 'weather', argumentsText: '{"city":"Paris"}' },
    { index: 0, name: 'news' },
    { index: 0, argumentsText: '{"city":"Rome"}' },
  ])
  expect(calls).toEqual([
    ['call_3_0', 'weather', paris],
    ['call_3_1', 'news', rome],
  ])
})

test('fragments of parallel calls with index 0 and no ids are two where a tool without arguments comes first', () => {
  const fragments = [
    { index: 0, name: 'list' },
    { index: 0, name: 'weather', argumentsText: '{"city":"Paris"}' },
  ]
  expect(assemble(fragments).calls).toEqual([
    ['call_3_0', 'list', {}],
    ['call_3_1', 'weather', paris],
  ])
  const joined = assemble(fragments, false, (name) => name === 'listweather').calls
  expect(joined).toEqual([['call_3_0', 'listweather', paris]])
})

test.each<readonly [string, readonly CallFragment[], readonly (readonly [string, string, unknown])[]]>([
  [
    'go back to a call of the same index by its id',
    [
      piece(0, 'a', 'weather', '{"city":'),
      piece(0, 'b', 'weather', '{"city":"Rome"}'),
      piece(0, 'a', undefined, '"Paris"}'),
    ],
    both,
  ],
  ...[0, 1].map((at) => {
    const [first, second] = [piece(at, 'a', 'weather', '{"city":"Paris"}'), piece(at, 'b', 'weather', '{"city":')]
    const fragments = [first, second, piece(at, undefined, undefined, '"Rome"}')]
    return [`with index ${at} for every call are distinguished by their ids`, fragments, both] as const
  }),
  [
    'that come whole with index 0 and without ids are distinguished by their names',
    [piece(0, '', 'weather', '{"city":"Paris"}'), piece(0, '', 'weather', '{"city":"Rome"}')],
    unnamed,
  ],
  [
    'without index and id begin a call with every name',
    [
      piece(undefined, undefined, 'weather', '{"city":"Paris"}'),
      piece(undefined, undefined, 'weather', '{"city":"Rome"}'),
    ],
    unnamed,
  ],
  ...[
    [5, 0],
    [5, 7],
  ].map(([one, other]) => {
    const begun = [piece(one, 'a', 'weather', '{"city":'), piece(other, 'b', 'weather', '{"city":')]
    const rest = [piece(one, undefined, undefined, '"Paris"}'), piece(other, undefined, undefined, '"Rome"}')]
    return [`with the indexes ${one} and ${other} go on by them`, [...begun, ...rest], both] as const
  }),
  ['calls whose first index is 1 are as whole as others', [piece(1, 'a', 'weather', '{}')], [['a', 'weather', {}]]],
  [
    'with one id at several indexes are as many calls, and each goes on by its index and id',
    [
      piece(0, 'a', 'weather', '{"city":"Paris"}'),
      piece(1, 'a', 'weather', '{"city":'),
      piece(2, 'a', 'list', '{}'),
      piece(1, 'b', 'list', '{}'),
      piece(1, 'a', undefined, '"Rome"}'),
    ],
    [
      ['a', 'weather', paris],
      ['a', 'weather', rome],
      ['a', 'list', {}],
      ['b', 'list', {}],
    ],
  ],
  [
    'go back by their id where they have no index',
    [
      piece(undefined, 'a', 'weather', '{"city":'),
      piece(undefined, 'b', 'weather', '{"city":"Rome"}'),
      piece(undefined, 'a', undefined, '"Paris"}'),
    ].map((fragment) => ({ ...fragment, index: null })),
    both,
  ],
  [
    'begin a call with an id after one that has none',
    [
      piece(undefined, undefined, 'weather', '{"city":"Paris"}'),
      piece(undefined, 'b', 'weather', '{"city":'),
      piece(undefined, undefined, undefined, '"Rome"}'),
    ],
    [
      ['call_3_0', 'weather', paris],
      ['b', 'weather', rome],
    ],
  ],
  [
    'begin a call with another name, also where the one before is not whole',
    [piece(undefined, undefined, 'weather', '{"city":'), piece(undefined, undefined, 'list', '{}')],
    [
      ['call_3_0', 'weather', undefined],
      ['call_3_1', 'list', {}],
    ],
  ],
  [
    'without arguments are as many calls as names',
    [
      piece(undefined, undefined, 'list'),
      piece(undefined, undefined, 'list', '{}'),
      piece(undefined, undefined, 'list'),
    ],
    [0, 1, 2].map((call) => [`call_3_${call}`, 'list', {}] as const),
  ],
  ...[piece(0), {}].map(
    (at) =>
      [
        `that begin before their name are one call: ${JSON.stringify(at)}`,
        [
          { ...at, argumentsText: '{"city":"Paris"}' },
          { ...at, name: 'weather' },
        ],
        [['call_3_0', 'weather', paris]],
      ] as const,
  ),
  [
    'whose name comes in pieces are one call without an id too',
    [piece(0, undefined, 'get_'), piece(0, undefined, 'weather'), piece(0, undefined, undefined, '{}')],
    [['call_3_0', 'get_weather', {}]],
  ],
  [
    'whose id came first are one call, though its name ends beside the arguments',
    [piece(0, 'a', 'get_'), piece(0, undefined, 'weather', '{}')],
    [['a', 'get_weather', {}]],
  ],
  [
    'that repeat a name before any arguments are one call',
    [piece(0, undefined, 'weather'), piece(0, undefined, 'weather', '{"city":"Paris"}')],
    [['call_3_0', 'weather', paris]],
  ],
  [
    'with index 0 and no ids, where a blank comes before the second, are distinguished',
    [piece(0, undefined, 'weather', '{"city":"Paris"}'), piece(0, undefined, 'weather', '\n{"city":"Rome"}')],
    unnamed,
  ],
  [
    'with index 0 and no ids are none where no object begins, whatever is named',
    [piece(0, undefined, 'weather', '{"city":"Paris"}'), piece(0, undefined, 'weather', '"Rome"')],
    [['call_3_0', 'weather', undefined]],
  ],
])('fragments of parallel calls %s', (_what, fragments, calls) => {
  expect(assemble(fragments).calls).toEqual(calls)
})

test.each([['weather'], ['get_']])('pieces of a name are one name unless both are tools: only %s is', (known) => {
  const fragments = [
    { index: 0, name: 'get_' },
    { index: 0, name: 'weather', argumentsText: '{}' },
  ]
  expect(assemble(fragments, false, (name) => name === known).calls).toEqual([['call_3_0', 'get_weather', {}]])
  expect(assemble(fragments, false, (name) => /^(get_|weather)$/.test(name)).calls).toHaveLength(2)
})

test(
  'a continuation with null or empty id, type and name does not begin a call or erase what is known',
  { tags: ['S06'] },
  () => {
    const { calls } = assemble([
      { index: 0, id: 'a', name: 'weather', argumentsText: '{"city":' },
      { index: 0, id: null, name: null, argumentsText: '"Paris"' },
      { index: 0, id: '', name: '', argumentsText: '}' },
    ])
    expect(calls).toEqual([['a', 'weather', paris]])
  },
)

test('a continuation that repeats the same id and name keeps the arguments so far', { tags: ['S04', 'S06'] }, () => {
  const { calls } = assemble([
    { index: 0, id: 'a', name: 'weather', argumentsText: '{"city":' },
    { index: 0, id: 'a', name: 'weather', argumentsText: '"Paris"}' },
  ])
  expect(calls).toEqual([['a', 'weather', paris]])
})

test('a continuation before the start is kept until id and name come', { tags: ['S03'] }, () => {
  const { calls, events } = assemble([
    { index: 0, argumentsText: '{"city":' },
    { index: 0, argumentsText: '"Par' },
    { index: 0, id: 'a', name: 'weather' },
    { index: 0, argumentsText: 'is"}' },
  ])
  expect(calls).toEqual([['a', 'weather', paris]])
  const deltas = events.flatMap((event) => (event.type === 'tool-call-delta' ? [event.inputText] : []))
  expect(deltas.join('')).toBe('{"city":"Paris"}')
  expect(events[0]?.type).toBe('tool-call-start')
})

test('a continuation may complete a name that comes in pieces', { tags: ['S06'] }, () => {
  const { calls } = assemble([
    { index: 0, id: 'a', name: 'get_' },
    { index: 0, name: 'weather' },
    { index: 0, argumentsText: '{}' },
  ])
  expect(calls).toEqual([['a', 'get_weather', {}]])
})

test('a call keeps one id from its first event to its last, even when the provider’s id comes late', () => {
  const { events } = assemble([
    { index: 0, name: 'weather', argumentsText: '{' },
    { index: 0, id: 'late', argumentsText: '}' },
  ])
  const ids = events.map((event) => ('toolCallId' in event ? event.toolCallId : undefined))
  expect(ids).toEqual(['call_3_0', 'call_3_0', 'call_3_0', 'call_3_0'])
})

test('a call without arguments has the input {}', () => {
  expect(assemble([{ index: 0, id: 'a', name: 'list' }]).calls).toEqual([['a', 'list', {}]])
})

test('a call that the turn cut is truncated, not unparsable, and has no input', () => {
  const { events } = assemble([{ index: 0, id: 'a', name: 'weather', argumentsText: '{"city":"Me' }], true)
  expect(events.at(-1)).toMatchObject({ type: 'tool-call', invalid: 'truncated', input: undefined })
})

test('a call whose arguments are no JSON is unparsable', () => {
  const { events } = assemble([{ index: 0, id: 'a', name: 'weather', argumentsText: '{"city":"Me' }])
  expect(events.at(-1)).toMatchObject({ type: 'tool-call', invalid: 'unparsable', inputText: '{"city":"Me' })
})
