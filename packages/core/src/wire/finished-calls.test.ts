import { expect, test } from 'vitest'
import type { TurnEvent } from '../contract/adapter.ts'
import { createToolCallAssembler, type AssemblerOptions, type CallFragment } from './tool-call-assembler.ts'

const paris = { city: 'Paris' }

/** The `tool-call` that one fragment gives. */
function callOf(options: Partial<AssemblerOptions>, fragment: CallFragment, cut = false): TurnEvent | undefined {
  const events: TurnEvent[] = []
  const assembler = createToolCallAssembler({ turn: 0, nextPart: () => 0, ...options })
  assembler.push(fragment, events)
  assembler.end(events, cut)
  return events.at(-1)
}

test.each<[string, readonly CallFragment[], CallFragment, readonly string[], object]>([
  [
    'no delta came',
    [{ id: 'a', name: 'weather' }],
    { argumentsText: '{"city":"Paris"}' },
    ['{"city":"Paris"}'],
    { input: paris },
  ],
  ['nothing came before it', [], { id: 'a', name: 'weather', argumentsText: '{}' }, ['{}'], { input: {} }],
  [
    'the deltas were not all',
    [{ id: 'a', name: 'weather', argumentsText: '{"city":' }],
    { name: 'weather', argumentsText: '{"city":"Paris"}' },
    ['{"city":', '"Paris"}'],
    { input: paris },
  ],
  [
    'its arguments came before its name',
    [{ id: 'a', argumentsText: '{"city":' }],
    { name: 'weather', argumentsText: '{"city":"Paris"}' },
    ['{"city":"Paris"}'],
    { input: paris },
  ],
  [
    'it says other ones than the deltas',
    [{ id: 'a', name: 'weather', argumentsText: '{"town":"Rom' }],
    { argumentsText: '{"city":"Paris"}' },
    ['{"town":"Rom'],
    { input: paris, inputText: '{"city":"Paris"}' },
  ],
  ['it brings none', [{ id: 'a', name: 'weather', argumentsText: '{' }], {}, ['{'], { invalid: 'unparsable' }],
])(
  'a call takes its arguments from the final event, where %s, and ends there',
  (_where, pushed, last, deltas, call) => {
    const events: TurnEvent[] = []
    const assembler = createToolCallAssembler({ turn: 0, nextPart: () => 4 })
    for (const fragment of pushed) assembler.push({ index: 0, ...fragment }, events)
    assembler.complete({ index: 0, ...last }, events)
    const whole = events.length
    assembler.end(events, true)
    expect([events.length, assembler.count]).toEqual([whole, 1])
    expect(events.flatMap((event) => (event.type === 'tool-call-delta' ? [event.inputText] : []))).toEqual(deltas)
    expect(events[0]).toEqual({
      type: 'tool-call-start',
      part: 4,
      toolCallId: 'a',
      toolName: 'weather',
      owner: 'client',
    })
    expect(events.at(-1)).toMatchObject({ type: 'tool-call', part: 4, toolCallId: 'a', toolName: 'weather', ...call })
  },
)

test('a call says from its start who runs it: the caller, unless the adapter says otherwise', () => {
  for (const owner of ['client', 'provider', undefined] as const) {
    const events: TurnEvent[] = []
    const assembler = createToolCallAssembler({ turn: 0, nextPart: () => 0, owner })
    assembler.push({ index: 0, id: 'a', name: 'weather', argumentsText: '{}' }, events)
    assembler.end(events, false)
    const owners = events.flatMap((event) => ('owner' in event ? [[event.type, event.owner]] : []))
    expect(owners).toEqual([
      ['tool-call-start', owner ?? 'client'],
      ['tool-call', owner ?? 'client'],
    ])
  }
})

test('a call without an id that its final event closed is not the one that begins after it', () => {
  const events: TurnEvent[] = []
  const assembler = createToolCallAssembler({ turn: 0, nextPart: () => 0 })
  const call = { index: 0, name: 'weather', argumentsText: '{"city":"Paris"}' }
  assembler.push(call, events)
  assembler.complete(call, events)
  assembler.push({ ...call, argumentsText: '{"city":"Rome"}' }, events)
  expect(assembler.count).toBe(2)
})

test.each([
  [0, 0],
  [null, undefined],
])('a call carries the payload that is made from its facts: the index %s is %s', (given, index) => {
  const facts = { index, id: 'a', toolName: 'weather', inputText: '{}' }
  const providerMetadata = (data: unknown) => ({ provider: 'p', model: 'm', data })
  const call = callOf({ providerMetadata }, { index: given, id: 'a', name: 'weather', argumentsText: '{}' })
  expect(call).toEqual({
    type: 'tool-call',
    part: 0,
    toolCallId: 'a',
    toolName: 'weather',
    input: {},
    inputText: '{}',
    owner: 'client',
    providerMetadata: { provider: 'p', model: 'm', data: expect.objectContaining(facts) },
  })
})

test('a call has the name of its tool, not that on the wire, where there is one', () => {
  const toolName = (wireName: string) => (wireName === 'get_weather' ? 'get weather' : undefined)
  expect(callOf({ toolName }, { id: 'a', name: 'get_weather' })).toMatchObject({ toolName: 'get weather' })
  expect(callOf({ toolName }, { id: 'a', name: 'other' })).toMatchObject({ toolName: 'other' })
})

test.each([
  ['weather', false, { input: { input: 'rain?' }, inputText: 'rain?' }],
  ['weather', true, { invalid: 'truncated' }],
  ['other', false, { invalid: 'unparsable' }],
])('a call of %s with free text, in a turn that was cut or not (%s), is %j', (name, cut, call) => {
  const isFreeText = ({ toolName }: { toolName: string }) => toolName === 'weather'
  expect(callOf({ isFreeText }, { id: 'a', name, argumentsText: 'rain?' }, cut)).toMatchObject(call)
})

test('what an adapter keeps of a finished call is what it was told, and stays as it was', () => {
  const events: TurnEvent[] = []
  const providerMetadata = (data: unknown) => Object.freeze({ provider: 'p', model: 'm', data: Object.freeze(data) })
  const assembler = createToolCallAssembler({ turn: 0, nextPart: () => 0, providerMetadata })
  assembler.complete({ index: 0, id: 'a', name: 'weather', argumentsText: '{}' }, events)
  assembler.push({ index: 0, argumentsText: ' ' }, events)
  const data = { index: 0, id: 'a', toolName: 'weather', inputText: '{}' }
  expect(events.at(-1)).toHaveProperty('providerMetadata.data', data)
})
