import { expect, test } from 'vitest'
import { send } from './testing.ts'

const nova = 'amazon.nova-lite-v1:0'

test('settings are `inferenceConfig`, and fields of the model', () => {
  const settings = { maxOutputTokens: 50_000, topP: 0.5, topK: 5, stopSequences: ['END'] }
  expect(send({ settings }).body).toMatchObject({
    inferenceConfig: { maxTokens: 50_000, topP: 0.5, stopSequences: ['END'] },
    additionalModelRequestFields: { top_k: 5 },
  })
  const other = { maxOutputTokens: 9, temperature: 0.2, topP: 0.5, topK: 5, stopSequences: ['END'] }
  const { body, warnings } = send({ settings: { ...other, reasoning: 'low' } }, nova)
  expect(body['inferenceConfig']).toEqual({ maxTokens: 9, temperature: 0.2, topP: 0.5, stopSequences: ['END'] })
  expect(body['additionalModelRequestFields']).toEqual({
    inferenceConfig: { topK: 5 },
    reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' },
  })
  expect(warnings).toEqual([])
  expect(send({}, nova).body).not.toHaveProperty('inferenceConfig')
  const thinking = send({ settings: { reasoning: 'high' } }, 'openai.gpt-oss-20b-1:0')
  expect(thinking.body['additionalModelRequestFields']).toEqual({ reasoning_effort: 'high' })
})

test.each([
  [nova, { reasoningConfig: { type: 'disabled' } }, 0],
  ['openai.gpt-oss-20b-1:0', { reasoning_effort: 'low' }, 1],
])('settings that turn the thoughts of %s off are %j', (model, fields, count) => {
  const { body, warnings } = send({ settings: { reasoning: 'none' } }, model)
  expect([body['additionalModelRequestFields'], warnings.length]).toEqual([fields, count])
})

test('settings of reasoning are a budget for Claude, and an effort from 4.6 on', () => {
  expect(send({ settings: { reasoning: 'low' } }).body).toMatchObject({
    inferenceConfig: { maxTokens: 64_000 },
    additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2048 } },
  })
  expect(send({ settings: { reasoning: 'low' } }, 'us.anthropic.claude-sonnet-4-6').body).toMatchObject({
    additionalModelRequestFields: { thinking: { type: 'adaptive' } },
    outputConfig: { effort: 'low' },
  })
})

test('settings of reasoning leave the limit that the caller gave', () => {
  const { body } = send({ settings: { reasoning: 'low', maxOutputTokens: 5000 } })
  expect(body).toMatchObject({
    inferenceConfig: { maxTokens: 5000 },
    additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2048 } },
  })
})

test('settings that Converse does not know are reported', () => {
  const penalties = { presencePenalty: 1, frequencyPenalty: 1 }
  const settings = { ...penalties, seed: 1, topK: 2, reasoning: 'low', parallelToolCalls: false } as const
  expect(
    send({ settings }, 'meta.x')
      .warnings.map(({ path }) => path)
      .toSorted(),
  ).toEqual([
    'settings.frequencyPenalty',
    'settings.parallelToolCalls',
    'settings.presencePenalty',
    'settings.reasoning',
    'settings.seed',
    'settings.topK',
  ])
})

test('options of the caller that no request can have are left out, with a warning each', () => {
  const bedrock = { system: 'x', messages: [], modelId: 'y', novelty: undefined }
  const { body, warnings } = send({ providerOptions: { bedrock } })
  expect(Object.keys(body)).toEqual(['messages'])
  expect(warnings.map(({ type, path }) => `${type} ${path}`)).toEqual([
    'dropped providerOptions.system',
    'dropped providerOptions.messages',
    'dropped providerOptions.modelId',
  ])
  for (const { message } of warnings) expect(message).toMatch(/is no list of blocks|is made from the turn/)
})

test.each([
  [true, { type: 'default' }],
  [{ ttl: '5m' }, { type: 'default', ttl: '5m' }],
  [{ messages: { ttl: '1h' } }, { type: 'default', ttl: '1h' }],
  [{ ttl: '2h' }, undefined],
])('the cache option %j is the point %j behind the conversation', (cacheControl, cachePoint) => {
  const { messages } = send({ providerOptions: { bedrock: { cacheControl } } })
  const text = { text: 'Weather in Zürich?' }
  expect(messages[0]?.['content']).toEqual(cachePoint === undefined ? [text] : [text, { cachePoint }])
})

test('an answer by schema says its name, and its description where it has one', () => {
  const responseFormat = { name: 'answer', schema: { type: 'object' } }
  const formatOf = (more: object): unknown => send({ responseFormat: { ...responseFormat, ...more } }, nova).body
  const jsonSchema = { schema: '{"type":"object"}', name: 'answer' }
  for (const more of [{}, { description: 'Short.' }])
    expect(formatOf(more)).toHaveProperty('outputConfig', {
      textFormat: { type: 'json_schema', structure: { jsonSchema: { ...jsonSchema, ...more } } },
    })
})
