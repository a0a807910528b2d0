import { jsonObject, StepLoop } from '@steploop/core'
import { createAzureOpenAI } from '@steploop/openai'
import { expect, test } from 'vitest'
import {
  anthropicAnswer,
  anthropicCall,
  anthropicModel,
  call,
  chatModel,
  openaiModel,
  play,
  responsesAnswer,
  responsesCall,
  responsesText,
  serverOf,
  streamOf,
  time,
} from './testing.ts'

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
