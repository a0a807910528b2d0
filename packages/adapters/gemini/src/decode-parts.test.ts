import { expect, test } from 'vitest'
import { wireToolName } from './names.ts'
import { answer, readStream, readWhole, requestOf, sentBack, origin, weather } from './testing.ts'

const open = {}

function pieces(...calls: readonly object[]): readonly object[] {
  return calls.map((functionCall) => answer([{ functionCall }], open))
}

const stop = answer([{ text: '' }])

test('a call has the name that the request knows its tool by, an id of its turn and place, and what rides on its part', () => {
  const name = wireToolName('get weather')
  const request = requestOf({ tools: [{ ...weather, name: 'get weather' }], turn: 3 })
  const functionCall = { name, args: { city: 'Graz' } }
  const inPieces = { name, partialArgs: [{ jsonPath: '$.city', stringValue: 'Linz' }] }
  const { turn, events } = readWhole(
    answer([{ text: 'A' }, { functionCall, thoughtSignature: 'sig' }, { functionCall: inPieces }, { functionCall }]),
    request,
  )
  const own = (data: object) => ({ ...origin, data })
  const call = { type: 'tool-call', toolName: 'get weather', owner: 'client' }
  expect(turn.message.content).toMatchObject([
    { text: 'A' },
    { ...call, toolCallId: 'call_3_0', providerMetadata: own({ thoughtSignature: 'sig', functionCall: {} }) },
    { ...call, toolCallId: 'call_3_1', input: { city: 'Linz' }, providerMetadata: own({ functionCall: {} }) },
    { ...call, toolCallId: 'call_3_2', input: { city: 'Graz' } },
  ])
  expect(events.map(({ type }) => type).slice(0, 6)).toEqual([
    'turn-start',
    'text-start',
    'text-delta',
    'text-end',
    'tool-call-start',
    'tool-call-delta',
  ])
})

test('a call in pieces without any has no arguments, and another one after it is whole', () => {
  const { turn } = readStream([
    ...pieces({ name: 'a', id: '1', willContinue: true }, {}, { name: 'b', id: '2', args: { x: 1 } }),
    stop,
  ])
  expect(turn.message.content).toMatchObject([
    { toolCallId: '1', input: {} },
    { toolCallId: '2', input: { x: 1 } },
  ])
})

test('a call without a name is no piece of another one: it is there, for the fold of the turn to refuse it', () => {
  expect(() => readStream([...pieces({ args: { x: 1 } }), stop])).toThrow('`toolName` ""')
})

test('what is left open by a stream that breaks off is closed, and no call of it is run', () => {
  const begun = [
    answer([{ text: 'Hi' }], open),
    ...pieces(
      { name: 'a', willContinue: true },
      { partialArgs: [{ jsonPath: '$.x', numberValue: 1 }], willContinue: true },
    ),
  ]
  const { events } = readStream([...begun, answer([], { finishReason: 'MAX_TOKENS' })])
  expect(events.filter(({ type }) => type === 'tool-call')).toMatchObject([{ invalid: 'truncated' }])
  // The end of an answer that was not cut is that of its calls.
  const { turn } = readStream([...begun, stop])
  expect(turn.message.content).toMatchObject([{ text: 'Hi' }, { input: { x: 1 } }])
})

test('a response of a server keeps what rides on it, and its number only where it has one', () => {
  const call = (fields: object) => ({ functionCall: { name: 'srv', args: {}, ...fields } })
  const response = (fields: object) => ({ functionResponse: { name: 'srv', ...fields }, thoughtSignature: 'sig' })
  const { turn } = readWhole(
    answer([call({ id: 'a' }), response({ id: 'a', willContinue: false }), call({}), response({ response: { n: 1 } })]),
  )
  const data = (functionResponse: object) => ({ ...origin, data: { thoughtSignature: 'sig', functionResponse } })
  expect(turn.message.content).toMatchObject([
    { owner: 'provider', toolCallId: 'a' },
    { output: { type: 'json', value: {} }, providerMetadata: data({ name: 'srv', id: 'a', willContinue: false }) },
    { owner: 'provider' },
    { output: { type: 'json', value: { n: 1 } } },
  ])
  expect(turn.message.content[3]?.providerMetadata).toEqual(data({ name: 'srv' }))
})

test('the results of code and of built-in tools belong to their call, with ids or without', () => {
  const code = (id: string) => ({ executableCode: { id, language: 'PYTHON', code: id } })
  const result = (id: string) => ({ codeExecutionResult: { id, outcome: 'OUTCOME_OK' } })
  const { turn } = readWhole(answer([code('a'), code('b'), result('a'), result('b'), { toolResponse: {} }]))
  const results = turn.message.content.flatMap((part) =>
    part.type === 'tool-result' ? [[part.toolCallId, part.output.value]] : [],
  )
  expect(results).toEqual([
    ['a', { outcome: 'OUTCOME_OK' }],
    ['b', { outcome: 'OUTCOME_OK' }],
    ['b', {}],
  ])
  // Its call stands in an earlier turn.
  const [late] = readWhole(answer([result('c')])).turn.message.content
  expect(late).toMatchObject({ toolCallId: 'c', toolName: 'code_execution' })
  const { id: _, ...unnumbered } = result('c').codeExecutionResult
  const alone = readWhole(answer([{ codeExecutionResult: unnumbered }]), requestOf({ turn: 2 })).turn.message.content
  expect(alone).toMatchObject([{ toolCallId: 'call_2_0', toolName: 'code_execution' }])
})

test('a file has metadata only where something rides on it', () => {
  const [plain, signed] = readWhole(
    answer([
      { inlineData: { mimeType: 'image/png', data: 'aGk=' } },
      { fileData: { fileUri: 'gs://a/b' }, thoughtSignature: 'sig' },
    ]),
  ).turn.message.content
  expect(plain).toEqual({ type: 'file', mediaType: 'image/png', data: 'aGk=' })
  expect(signed).toMatchObject({ url: 'gs://a/b', providerMetadata: { ...origin, data: { thoughtSignature: 'sig' } } })
})

test('a call in pieces ends with the next call, without an end mark', () => {
  const { turn } = readStream([
    ...pieces(
      { name: 'a', willContinue: true },
      { partialArgs: [{ jsonPath: '$.x', numberValue: 1 }], willContinue: true },
      { name: 'b' },
      {},
    ),
    stop,
  ])
  expect(turn.message.content).toMatchObject([
    { toolName: 'a', input: { x: 1 } },
    { toolName: 'b', input: {} },
  ])
})

test('in the pieces of a call null says nothing: it neither ends a name, nor a value, nor a signature', () => {
  const piece = (call: object): object => ({ name: null, id: null, args: null, willContinue: null, ...call })
  const { turn } = readStream([
    answer([{ functionCall: piece({ name: 'book', willContinue: true }), thoughtSignature: 'sig' }], open),
    ...pieces(piece({ partialArgs: [{ jsonPath: '$.row', stringValue: null, numberValue: 4 }], willContinue: true })),
    answer([{ functionCall: piece({}), thoughtSignature: null }], open),
    stop,
  ])
  expect(turn.message.content).toMatchObject([
    { toolName: 'book', input: { row: 4 }, providerMetadata: { data: { thoughtSignature: 'sig' } } },
  ])
})

test('chunks of text whose other members are null are one part', () => {
  const chunk = (text: string): object => ({ text, thought: null, thoughtSignature: null, functionCall: null })
  const { turn } = readStream([answer([chunk('It ')], open), answer([chunk('rains.')])])
  expect(turn.message.content).toEqual([{ type: 'text', text: 'It rains.' }])
})

test('a call in pieces that the token limit cuts is truncated', () => {
  const { turn } = readStream([
    ...pieces(
      { name: 'book', willContinue: true },
      { partialArgs: [{ jsonPath: '$.to', stringValue: 'Gr', willContinue: true }], willContinue: true },
    ),
    answer([], { finishReason: 'MAX_TOKENS' }),
  ])
  expect(turn.finishReason).toBe('length')
  expect(turn.message.content).toMatchObject([{ invalid: 'truncated', input: undefined, inputText: '{"to":"Gr"' }])
})

test('a signature on any piece of a call belongs to the call', () => {
  const { turn } = readStream([
    answer([{ functionCall: { name: 'book', willContinue: true } }], open),
    answer([{ functionCall: {}, thoughtSignature: 'late' }], open),
    stop,
  ])
  expect(turn.message.content).toMatchObject([{ providerMetadata: { data: { thoughtSignature: 'late' } } }])
})

test.for<readonly [string, unknown]>([
  ['$.a.b', { a: { b: 'x' } }],
  ["$['a.b'].c", { 'a.b': { c: 'x' } }],
  ['$["a]"]', { 'a]': 'x' }],
  ["$['it\\'s'][1]", { "it's": [null, 'x'] }],
  ['$.a[0][0].b', { a: [[{ b: 'x' }]] }],
  ["$.a['0']", { a: { 0: 'x' } }],
])('a path is followed: %s', ([jsonPath, input]) => {
  const { turn } = readStream([...pieces({ name: 'a', partialArgs: [{ jsonPath, stringValue: 'x' }] }), stop])
  expect(turn.message.content).toMatchObject([{ input }])
})

test.for([
  '$.list[999999999]',
  'to',
  '$.',
  '$.list.name',
  '$',
  '$x',
  '$.a..b',
  '$.list[',
  '$.list[-1]',
  '$.list[0.5]',
  '$[]',
  "$['a'",
  "$['a'x",
  "$['a",
  "$['']",
  '$.list[x]',
])('a path that cannot be followed is an error: %s', (jsonPath) => {
  const first = { jsonPath: '$.list[0]', stringValue: 'x' }
  const { error } = readStream([
    ...pieces({ name: 'a', willContinue: true }, { partialArgs: [first, { jsonPath, stringValue: 'y' }] }),
  ])
  expect(error).toMatchObject({ code: 'malformed-response' })
})

test('a path never reaches the prototype of objects', () => {
  const { turn } = readStream([
    ...pieces({ name: 'a', partialArgs: [{ jsonPath: '$.__proto__.polluted', stringValue: 'yes' }] }),
    stop,
  ])
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
  expect(turn.message.content).toMatchObject([{ inputText: '{"__proto__":{"polluted":"yes"}}' }])
})

test('code that the provider ran and its result are provider calls, and return as they came', () => {
  const parts = [
    { executableCode: { language: 'PYTHON', code: 'print(6*7)', id: 'k1' }, thoughtSignature: 'sig' },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42\n', id: 'k1' }, thoughtSignature: 'sig2' },
    { text: '42' },
  ]
  const { turn } = readWhole(answer(parts))
  expect(turn.finishReason).toBe('stop')
  expect(turn.message.content).toMatchObject([
    { type: 'tool-call', toolCallId: 'k1', owner: 'provider', input: { language: 'PYTHON', code: 'print(6*7)' } },
    {
      type: 'tool-result',
      toolCallId: 'k1',
      output: { type: 'json', value: { outcome: 'OUTCOME_OK', output: '42\n' } },
    },
    { type: 'text', text: '42' },
  ])
  expect(sentBack(turn)).toEqual([{ role: 'model', parts }])
})

test('without ids the result belongs to the code before it', () => {
  const parts = [
    { executableCode: { language: 'PYTHON', code: 'a' } },
    { codeExecutionResult: { outcome: 'OUTCOME_FAILED', output: 'NameError' } },
    { executableCode: { language: 'PYTHON', code: 'b' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK' } },
  ]
  const { turn } = readWhole(answer(parts), requestOf({ turn: 2 }))
  const ids = turn.message.content.map((part) => ('toolCallId' in part ? part.toolCallId : undefined))
  expect(ids).toEqual(['call_2_0', 'call_2_0', 'call_2_1', 'call_2_1'])
  expect(sentBack(turn)).toEqual([{ role: 'model', parts }])
})

test('calls of built-in tools return with their signatures, beside calls for the caller', () => {
  const parts = [
    { functionCall: { name: 'weather', args: { city: 'Graz' }, id: 'f1' }, thoughtSignature: 's1' },
    { toolCall: { toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['rain'] }, id: 't1' }, thoughtSignature: 's2' },
    { toolResponse: { toolType: 'GOOGLE_SEARCH_WEB', response: { html: '<b>' }, id: 't1' }, thoughtSignature: 's3' },
  ]
  const { turn } = readWhole(answer(parts))
  expect(turn.finishReason).toBe('tool-calls')
  expect(turn.message.content).toMatchObject([
    { toolCallId: 'f1', owner: 'client' },
    { toolCallId: 't1', owner: 'provider', toolName: 'google_search_web' },
    { type: 'tool-result', toolCallId: 't1', toolName: 'google_search_web' },
  ])
  expect(sentBack(turn)[0]).toEqual({ role: 'model', parts })
})

test('a call of a tool of its own that has no type is one of `tool`', () => {
  const { turn } = readWhole(answer([{ toolCall: { args: {}, id: 't1' } }, { text: 'Done.' }]))
  expect(turn.message.content).toMatchObject([
    { toolCallId: 't1', toolName: 'tool', owner: 'provider' },
    { text: 'Done.' },
  ])
})

test('files keep their name, and are bytes of any kind where none is given', () => {
  const parts = [
    { inlineData: { mimeType: 'text/csv', data: 'YSxi', displayName: 'table.csv' } },
    { fileData: { fileUri: 'u' } },
  ]
  expect(readWhole(answer(parts)).turn.message.content).toMatchObject([
    { type: 'file', mediaType: 'text/csv', filename: 'table.csv' },
    { type: 'file', mediaType: 'application/octet-stream', url: 'u' },
  ])
})

test('a part of a kind that is not known keeps its slot, and an empty one has none', () => {
  const parts = [{ text: 'a' }, { hologram: { depth: 3 }, thoughtSignature: 's' }, { text: 'b' }]
  const { turn } = readWhole(answer([...parts, {}]))
  expect(turn.message.content.map((part) => part.type)).toEqual(['text', 'opaque', 'text'])
  expect(sentBack(turn)).toEqual([{ role: 'model', parts }])
})
