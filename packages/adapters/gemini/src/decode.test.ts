import { AdapterError } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { answer, readStream, readWhole } from './testing.ts'

test('STOP with a call is a turn of calls: the format has no word for it', () => {
  const { turn } = readWhole(answer([{ functionCall: { name: 'weather', args: { city: 'Graz' }, id: 'c7' } }]))
  expect(turn).toMatchObject({ finishReason: 'tool-calls', rawFinishReason: 'STOP' })
  expect(turn.message.content).toMatchObject([
    { type: 'tool-call', toolCallId: 'c7', toolName: 'weather', input: { city: 'Graz' }, owner: 'client' },
  ])
})

test.for([[undefined], [null], [{}]])('a call with the arguments %j has an empty input', ([args]) => {
  const functionCall = args === undefined ? { name: 'now' } : { name: 'now', args }
  const { turn } = readWhole(answer([{ functionCall }]))
  expect(turn.message.content).toMatchObject([{ input: {} }])
  expect(turn.message.content[0]).not.toHaveProperty('invalid')
})

test('arguments that are no object make the call unparsable', () => {
  const { turn } = readWhole(answer([{ functionCall: { name: 'weather', args: ['Graz'] } }]))
  expect(turn.message.content).toMatchObject([{ invalid: 'unparsable', inputText: '["Graz"]' }])
})

test('thoughts are reasoning, apart from the text', () => {
  const { turn } = readStream([
    answer([{ text: 'Clouds? ', thought: true }], {}),
    answer([{ text: 'Yes.', thought: true }], {}),
    answer([{ text: 'It ' }], {}),
    answer([{ text: 'rains.' }]),
  ])
  expect(turn.message.content).toEqual([
    { type: 'reasoning', text: 'Clouds? Yes.' },
    { type: 'text', text: 'It rains.' },
  ])
})

test('a signed chunk of text stays a part of its own, even without text', () => {
  const { turn } = readStream([
    answer([{ text: 'It ' }], {}),
    answer([{ text: 'rains', thoughtSignature: 'sigA' }], {}),
    answer([{ text: '.' }], {}),
    answer([{ text: '', thoughtSignature: 'sigB' }]),
  ])
  expect(turn.message.content).toMatchObject([
    { type: 'text', text: 'It ' },
    { type: 'text', text: 'rains', providerMetadata: { data: { thoughtSignature: 'sigA' } } },
    { type: 'text', text: '.' },
    { type: 'text', text: '', providerMetadata: { data: { thoughtSignature: 'sigB' } } },
  ])
})

test('an empty text without anything else is no part', () => {
  const { turn } = readStream([answer([{ functionCall: { name: 'now' } }], {}), answer([{ text: '' }])])
  expect(turn.message.content.map((part) => part.type)).toEqual(['tool-call'])
})

// https://cloud.google.com/apis/docs/system-parameters: `alt=sse` asks for events; a stream in plain JSON is one list.
test('a stream that a proxy answers as one JSON list is read chunk by chunk', () => {
  const chunks = [answer([{ text: 'It ' }], {}), answer([{ text: 'rains.', thoughtSignature: 'sigA' }])]
  const { turn, error } = readWhole(chunks)
  expect(error).toBeUndefined()
  expect(turn).toEqual(readStream(chunks).turn)
})

test('an error inside such a list is thrown after what came before it', () => {
  const error = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }
  const { turn, error: thrown } = readWhole([answer([{ text: 'It' }], {}), error])
  expect(thrown).toMatchObject({ code: 'overloaded' })
  expect(turn.message.content).toEqual([{ type: 'text', text: 'It' }])
})

test('a stream without a finishReason is incomplete, whatever it holds', () => {
  const { error, events } = readStream([answer([{ functionCall: { name: 'now', args: {} } }], {})])
  expect(error).toMatchObject({ code: 'incomplete-stream' })
  expect(events.some((event) => event.type === 'turn-end')).toBe(false)
})

test.for([
  ['MAX_TOKENS', 'length'],
  ['CONTINUATION', 'length'],
  ['SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['MODEL_ARMOR', 'content-filter'],
  ['UNEXPECTED_TOOL_CALL', 'unknown'],
  ['OTHER', 'unknown'],
] as const)('finishReason %s is %s', ([raw, finishReason]) => {
  const { turn } = readWhole(answer([{ text: 'It' }], { finishReason: raw }))
  expect(turn).toMatchObject({ finishReason, rawFinishReason: raw })
})

test.for([{ content: { role: 'model' } }, { content: {} }, {}])(
  'a candidate may lack parts or content: %j',
  (content) => {
    const { turn, error } = readWhole({ candidates: [{ ...content, finishReason: 'MAX_TOKENS' }] })
    expect(error).toBeUndefined()
    expect(turn).toMatchObject({ message: { content: [] }, finishReason: 'length' })
  },
)

test.for([[{}], [{ usageMetadata: { promptTokenCount: 3 } }], [{ candidates: [] }], [[]]])(
  'a body without an answer is empty: %j',
  ([body]) => {
    expect(readWhole(body).error).toMatchObject({ code: 'empty-response' })
  },
)

test.for([['text'], [null], [7], [['text']]])('a body that is no object is malformed: %j', ([body]) => {
  expect(readWhole(body).error).toMatchObject({ code: 'malformed-response' })
})

test('an error inside a stream is thrown after what came before it', () => {
  const error = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }
  const { turn, error: thrown } = readStream([answer([{ text: 'It' }], {}), error])
  expect(thrown).toBeInstanceOf(AdapterError)
  expect(thrown).toMatchObject({ code: 'overloaded', providerMessage: 'The model is overloaded.' })
  expect(turn.message.content).toEqual([{ type: 'text', text: 'It' }])
})

test('of each count the last value wins, thoughts are part of the output, and tool use of the input', () => {
  const usageOf = (usageMetadata: object, finishReason?: string): object => ({
    candidates: [{ content: { parts: [{ text: 'x' }] }, ...(finishReason && { finishReason }) }],
    usageMetadata,
  })
  const { turn } = readStream([
    usageOf({ trafficType: 'ON_DEMAND' }),
    usageOf({ promptTokenCount: 10, candidatesTokenCount: 2, thoughtsTokenCount: 40, cachedContentTokenCount: 6 }),
    usageOf(
      { promptTokenCount: 10, candidatesTokenCount: 7, thoughtsTokenCount: 41, toolUsePromptTokenCount: 5 },
      'STOP',
    ),
  ])
  expect(turn.usage).toEqual({ inputTokens: 15, outputTokens: 48, cachedInputTokens: 6, reasoningTokens: 41 })
})

test('a count that a later chunk leaves out stays what it was', () => {
  const counts = { promptTokenCount: 10, candidatesTokenCount: 2, thoughtsTokenCount: 40 }
  const { turn } = readStream([
    { ...answer([{ text: 'Rain.' }], {}), usageMetadata: counts },
    { ...answer([], { finishReason: 'STOP' }), usageMetadata: { promptTokenCount: 10 } },
  ])
  expect(turn.usage).toMatchObject({ inputTokens: 10, outputTokens: 42, reasoningTokens: 40 })
})

test('usage without any count is no usage', () => {
  const { turn } = readWhole({ ...answer([{ text: 'x' }]), usageMetadata: { trafficType: 'ON_DEMAND' } })
  expect(turn.usage).toBeUndefined()
})

test('only the first candidate is the turn', () => {
  const second = { content: { parts: [{ text: 'other' }] }, index: 1, finishReason: 'STOP' }
  const first = { content: { parts: [{ text: 'one' }] }, finishReason: 'STOP' }
  expect(readWhole({ candidates: [first, second] }).turn.message.content).toEqual([{ type: 'text', text: 'one' }])
})
