import { AdapterError } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { answer, encoded, readStream, readWhole, requestOf, weather } from './testing.ts'

test('STOP with a call is a turn of calls: the format has no word for it', () => {
  const { turn } = readWhole(answer([{ functionCall: { name: 'weather', args: { city: 'Graz' }, id: 'c7' } }]))
  expect(turn).toMatchObject({ finishReason: 'tool-calls', rawFinishReason: 'STOP' })
  expect(turn.message.content).toMatchObject([
    { type: 'tool-call', toolCallId: 'c7', toolName: 'weather', input: { city: 'Graz' }, owner: 'client' },
  ])
})

test('calls without an id are numbered from the turn', () => {
  const call = { functionCall: { name: 'weather', args: { city: 'Graz' } } }
  const { turn } = readWhole(answer([call, call]), requestOf({ turn: 4 }))
  expect(turn.message.content).toMatchObject([{ toolCallId: 'call_4_0' }, { toolCallId: 'call_4_1' }])
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

test('a tool name that was changed on the way out is changed back', () => {
  const tools = [{ ...weather, name: 'wetter für morgen' }]
  const name = encoded({ tools }).text.match(/"name":"([^"]+)"/)?.[1]
  expect(name).toMatch(/^wetter_f_r_morgen_[0-9a-z]{7}$/)
  const { turn } = readWhole(answer([{ functionCall: { name, args: {} } }]), requestOf({ tools }))
  expect(turn.message.content).toMatchObject([{ toolName: 'wetter für morgen' }])
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

test('a whole stream may be one chunk', () => {
  const { turn, events } = readStream([answer([{ functionCall: { name: 'now', args: {} } }])])
  expect(turn).toMatchObject({ finishReason: 'tool-calls', usage: { inputTokens: 8, outputTokens: 5 } })
  expect(events[0]).toEqual({ type: 'turn-start', responseId: 'resp_1', model: 'gemini-3-flash-preview' })
  expect(events.at(-1)).toMatchObject({ type: 'turn-end', responseId: 'resp_1' })
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

test('a blocked prompt ends the turn as filtered, in both modes', () => {
  const body = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 3 } }
  const { turn, error } = readWhole(body)
  expect(error).toBeUndefined()
  expect(turn).toMatchObject({ finishReason: 'content-filter', rawFinishReason: 'PROHIBITED_CONTENT' })
  expect(turn.message.providerMetadata).toMatchObject({
    data: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } },
  })
  expect(readStream([body]).turn).toEqual(turn)
})

test('output that the provider threw away is told in a warning', () => {
  const finishMessage = 'Model tried to call an undeclared function: fly'
  const { turn } = readWhole(answer([], { finishReason: 'UNEXPECTED_TOOL_CALL', finishMessage }))
  expect(turn.warnings).toEqual([
    {
      type: 'dropped',
      path: 'response.candidates[0]',
      message: `The provider discarded output of the model (UNEXPECTED_TOOL_CALL): ${finishMessage}`,
    },
  ])
})

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
