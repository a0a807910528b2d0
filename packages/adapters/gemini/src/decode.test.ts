import { expect, test } from 'vitest'
import { answer, model, origin, readStream, readWhole, requestOf } from './testing.ts'
import { createUsageReader } from './usage.ts'
import { geminiGenerate } from './wire.ts'

test.for([[undefined], [null], [{}]])('a call with the arguments %j has an empty input', ([args]) => {
  const functionCall = args === undefined ? { name: 'now' } : { name: 'now', args }
  const { turn } = readWhole(answer([{ functionCall }]))
  expect(turn.message.content).toMatchObject([{ input: {} }])
  expect(turn.message.content[0]).not.toHaveProperty('invalid')
})

test('the id of the answer and its model may come after its beginning', () => {
  const { responseId, modelVersion, ...first } = answer([{ text: 'It ' }], {})
  const { turn } = readStream([first, { ...first, responseId, modelVersion }, answer([{ text: 'rains.' }])])
  expect(turn).toMatchObject({ responseId, model: modelVersion })
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

test('a stream keeps what one of its chunks says of id, model, reason and grounding', () => {
  const {
    responseId: _id,
    modelVersion: _model,
    ...later
  } = answer([], { groundingMetadata: { groundingChunks: [2] } })
  const first = answer([{ text: 'It' }], {
    finishReason: 'STOP',
    groundingMetadata: { groundingChunks: [1], webSearchQueries: ['rain'], groundingSupports: [] },
  })
  const { events, turn } = readStream([first, later])
  expect(events[0]).toEqual({ type: 'turn-start', responseId: 'resp_1', model })
  expect(events.at(-1)).toMatchObject({ responseId: 'resp_1', model, finishReason: 'stop', rawFinishReason: 'STOP' })
  const groundingMetadata = { webSearchQueries: ['rain'], groundingChunks: [2] }
  expect(turn.message.providerMetadata?.data).toEqual({ groundingMetadata })
})

test('a prompt that was blocked is an answer without words, and says why', () => {
  const promptFeedback = { blockReason: 'SAFETY', safetyRatings: [] }
  for (const { turn, error } of [readWhole({ promptFeedback }), readStream([{ promptFeedback }])]) {
    expect(error).toBeUndefined()
    expect(turn).toMatchObject({ finishReason: 'content-filter', rawFinishReason: 'SAFETY' })
    expect(turn.message).toMatchObject({ content: [], providerMetadata: { ...origin, data: { promptFeedback } } })
  }
})

test('an answer that says nothing of itself has no metadata and no warnings', () => {
  const { events } = readWhole(
    answer([{ text: 'It' }], { finishReason: 'STOP', groundingMetadata: {}, safetyRatings: null }),
  )
  expect(events.at(-1)).toEqual({
    type: 'turn-end',
    finishReason: 'stop',
    rawFinishReason: 'STOP',
    usage: { inputTokens: 8, outputTokens: 5 },
    responseId: 'resp_1',
    model,
  })
})

test('output that the provider discarded is reported in its words', () => {
  const { turn } = readWhole(answer([], { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Odd call.' }))
  expect(turn.warnings).toMatchObject([{ message: expect.stringContaining('(MALFORMED_FUNCTION_CALL): Odd call.') }])
})

test('a stream is open until a reason comes, and malformed where a frame is no JSON', () => {
  const wire = geminiGenerate(origin)
  expect(wire).toHaveProperty('name', 'gemini-generate')
  const decoder = wire.createDecoder(requestOf())
  const out: Parameters<typeof decoder.push>[1] = []
  decoder.push({ data: JSON.stringify(answer([{ text: 'It' }], {})) }, out)
  expect(decoder.progress?.()).toBe('open')
  decoder.push({ data: JSON.stringify(answer([])) }, out)
  expect(decoder.progress?.()).toBe('answered')
  expect(readStream(['{"candidates":']).error).toMatchObject({ code: 'malformed-response', ...origin })
})

test.for([
  ...['MAX_TOKENS', 'CONTINUATION'].map((raw) => [raw, 'length', 0] as const),
  ...['SAFETY', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'RECITATION', 'MODEL_ARMOR'].map(
    (raw) => [raw, 'content-filter', 0] as const,
  ),
  ...['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION'].map((raw) => [raw, 'content-filter', 0] as const),
  ...['UNEXPECTED_TOOL_CALL', 'MALFORMED_FUNCTION_CALL', 'TOO_MANY_TOOL_CALLS', 'MALFORMED_RESPONSE'].map(
    (raw) => [raw, 'unknown', 1] as const,
  ),
  ['OTHER', 'unknown', 0],
] as const)(
  'the finishReason %s gives the finish reason `%s`, with %i warnings that output was discarded',
  ([raw, finishReason, warned]) => {
    const { turn } = readWhole(answer([{ text: 'It' }], { finishReason: raw }))
    expect(turn).toMatchObject({ finishReason, rawFinishReason: raw })
    expect(turn.warnings ?? []).toHaveLength(warned)
  },
)

test('what is said of a candidate and has no neutral form is kept with the message, the last of each', () => {
  const facts = {
    finishMessage: 'Done.',
    safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' }],
    citationMetadata: { citationSources: [] },
    groundingMetadata: { webSearchQueries: ['rain'] },
    urlContextMetadata: { urlMetadata: [] },
    avgLogprobs: -0.1,
    logprobsResult: { chosenCandidates: [] },
    continuationToken: 'more',
  }
  const { turn } = readStream([
    answer([{ text: 'It' }], { avgLogprobs: -2 }),
    answer([], { finishReason: 'STOP', ...facts }),
  ])
  expect(turn.message.providerMetadata).toEqual({ ...origin, data: facts })
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

test('only the first candidate is the turn', () => {
  const second = { content: { parts: [{ text: 'other' }] }, index: 1, finishReason: 'STOP' }
  const first = { content: { parts: [{ text: 'one' }] }, finishReason: 'STOP' }
  expect(readWhole({ candidates: [first, second] }).turn.message.content).toEqual([{ type: 'text', text: 'one' }])
})

test.each([
  [{ thoughtsTokenCount: 5 }, { outputTokens: 5, reasoningTokens: 5 }],
  [
    { promptTokenCount: 3, candidatesTokenCount: 2 },
    { inputTokens: 3, outputTokens: 2 },
  ],
])('counts of %j are the usage %j', (counts, usage) => {
  const reader = createUsageReader()
  reader.read(counts)
  expect(reader.usage()).toEqual(usage)
})

const counts = {
  promptTokenCount: 10,
  toolUsePromptTokenCount: 5,
  cachedContentTokenCount: 6,
  candidatesTokenCount: 7,
  thoughtsTokenCount: 41,
}
const counted = { inputTokens: 15, outputTokens: 48, cachedInputTokens: 6, reasoningTokens: 41 }

test.for([
  [
    'the last value of each, never a sum',
    [{ ...counts, candidatesTokenCount: 2, promptTokenCount: 1 }, counts],
    counted,
  ],
  ['what a later chunk leaves out as before', [counts, { trafficType: 'ON_DEMAND' }], counted],
  ['a prompt alone', [{ promptTokenCount: 3 }], { inputTokens: 3, outputTokens: 0 }],
  ['an answer alone', [{ candidatesTokenCount: 3 }], { outputTokens: 3 }],
  ['no count as no usage', [{ trafficType: 'ON_DEMAND' }], undefined],
] as const)('usage has %s', ([, chunks, usage]) => {
  const { turn } = readStream(chunks.map((usageMetadata) => ({ ...answer([{ text: 'x' }]), usageMetadata })))
  expect(turn.usage).toEqual(usage)
})
