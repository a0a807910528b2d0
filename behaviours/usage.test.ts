import { addUsage, jsonObject, StepLoop } from '@steploop/core'
import { createAzureOpenAI } from '@steploop/openai'
import { expect, test } from 'vitest'
import {
  anthropicAnswer,
  anthropicCall,
  anthropicModel,
  call,
  chatModel,
  eventsOf,
  openaiModel,
  play,
  responsesAnswer,
  responsesCall,
  responsesText,
  serverOf,
  streamOf,
  time,
} from './testing.ts'

const step = (usage?: object) => ({ parts: [call('time', { tz: 'CET' })], ...(usage && { usage }) })

test('the usage of a run is the sum of its steps, cached and reasoning tokens too', { tags: ['U01'] }, async () => {
  const one = { inputTokens: 10, outputTokens: 4, cachedInputTokens: 6, reasoningTokens: 2 }
  const two = { inputTokens: 20, outputTokens: 8, cachedInputTokens: 1, reasoningTokens: 3, cacheWriteTokens: 5 }
  const result = await play([step(one), { parts: [], usage: two }]).loop.generate('x')
  expect(result.usage).toEqual({
    inputTokens: 30,
    outputTokens: 12,
    cachedInputTokens: 7,
    reasoningTokens: 5,
    cacheWriteTokens: 5,
  })
})

test('the usage of a run keeps what is known when a turn tells none', { tags: ['U02'] }, async () => {
  const usage = { inputTokens: 10, outputTokens: 4 }
  const result = await play([step(usage), step(), { parts: [], usage }]).loop.generate('x')
  expect(result.usage).toMatchObject({ inputTokens: 20, outputTokens: 8 })
  expect(addUsage(usage, { inputTokens: 1 })).toMatchObject({ inputTokens: 11, outputTokens: 4 })
  expect((await play([step(), 'Noon.']).loop.generate('x')).usage).toBeUndefined()
})

test('the usage of a run counts every turn of a stream once, however often it is told', { tags: ['U03'] }, async () => {
  const usage = { prompt_tokens: 7, completion_tokens: 3 }
  const calls = [{ index: 0, id: 'c1', function: { name: 'time', arguments: '{"tz":"CET"}' } }]
  const chunk = (delta: object, finish: string | null) => ({
    choices: [{ index: 0, delta, finish_reason: finish }],
    usage,
  })
  const first = streamOf([
    chunk({ tool_calls: calls }, null),
    chunk({}, 'tool_calls'),
    { choices: [], usage },
    '[DONE]',
  ])
  const second = streamOf([chunk({ content: 'Noon.' }, 'stop'), '[DONE]'])
  const { model } = chatModel([first, second])
  const events = await eventsOf(new StepLoop({ model, tools: { time } }).stream('x'))
  const ends = events.flatMap((event) => (event.type === 'run-end' ? [event.result.usage] : []))
  expect(ends).toMatchObject([{ inputTokens: 14, outputTokens: 6 }])
})

test('a step names the model that answered, and the text keeps its citations', { tags: ['U04'] }, async () => {
  const citations = [
    { type: 'web_search_result_location', url: 'https://example.com/a', title: 'A', cited_text: 'Noon' },
  ]
  const { model } = anthropicModel([anthropicAnswer([{ type: 'text', text: 'Noon.', citations }])])
  const { steps } = await new StepLoop({ model }).generate('x')
  expect(steps[0]).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-5', responseModel: 'claude-1' })
  expect(steps[0]?.message.content).toMatchObject([
    { text: 'Noon.', citations: [{ url: 'https://example.com/a', title: 'A' }] },
  ])
})

test('reasoning reaches a model on Azure in every request, and is counted', { tags: ['U05'] }, async () => {
  const usage = { input_tokens: 10, output_tokens: 9, output_tokens_details: { reasoning_tokens: 5 } }
  const reasoned = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'Zm9v' }
  const { fetch, bodies } = serverOf([
    { ...responsesAnswer('r1', [reasoned, responsesCall('c1', 'time', { tz: 'CET' })]), usage },
    { ...responsesAnswer('r2', [responsesText('Noon.')]), usage },
  ])
  const azure = createAzureOpenAI({ baseURL: 'https://r.openai.azure.com/openai/v1', apiKey: 'k-1234', fetch })
  const loop = new StepLoop({ model: azure('mine', { reasoning: true }), tools: { time }, reasoning: 'low' })
  const result = await loop.generate('x')
  expect(bodies.map(({ reasoning }) => reasoning)).toEqual([{ effort: 'low' }, { effort: 'low' }])
  expect(bodies[1].input[1]).toMatchObject({ type: 'reasoning', encrypted_content: 'Zm9v' })
  expect(result.usage?.reasoningTokens).toBe(10)
})

test('logprobs that were asked for are in the step, streamed or not', async () => {
  const wire = [
    { token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [{ token: 'Ho', logprob: -1, bytes: null }] },
  ]
  const read = [{ token: 'Hi', logprob: -0.5, bytes: [72, 105], top: [{ token: 'Ho', logprob: -1 }] }]
  const choice = { index: 0, finish_reason: 'stop', logprobs: { content: wire } }
  const chat = chatModel([
    { id: 'c', choices: [{ ...choice, message: { role: 'assistant', content: 'Hi' } }] },
    streamOf([{ id: 'c', choices: [{ ...choice, delta: { content: 'Hi' } }] }, '[DONE]']),
  ])
  const loop = new StepLoop({ model: chat.model, providerOptions: { 'openai-compatible': { logprobs: true } } })
  expect((await loop.generate('x')).steps[0]?.logprobs).toEqual(read)
  expect((await loop.stream('x').result).steps[0]?.logprobs).toEqual(read)
  const text = { type: 'output_text', text: 'Hi', annotations: [], logprobs: wire }
  const message = { type: 'message', id: 'm1', role: 'assistant', status: 'completed', content: [text] }
  const responses = openaiModel([responsesAnswer('r1', [message])])
  const { steps, transcript } = await new StepLoop({ model: responses.model }).generate('x')
  expect(steps[0]?.logprobs).toEqual(read)
  expect(Object.keys((await play(['Hi']).loop.generate('x')).steps[0] ?? {})).not.toContain('logprobs')
  expect(transcript.messages).toHaveLength(2)
})

test('JSON mode takes any object, natively and by the hidden tool', async () => {
  const body = JSON.stringify({ any: [1] })
  const openai = openaiModel([responsesAnswer('r1', [responsesText(body)])])
  const anthropic = anthropicModel([anthropicAnswer([anthropicCall('c1', 'output_structured_data', { any: [1] })])])
  for (const { model } of [openai, anthropic]) {
    const result = await new StepLoop({ model, output: jsonObject }).generate('x')
    expect(result.output).toEqual({ any: [1] })
  }
  expect(openai.bodies[0].text.format).toMatchObject({ type: 'json_schema', schema: { type: 'object' } })
  const { loop } = play(['[1]', [call('output_structured_data', { degrees: 21 })]], { output: jsonObject })
  expect((await loop.generate('x')).output).toEqual({ degrees: 21 })
})
