import { StepLoop, tool, type StepLoopOptions } from '@steploop/core'
import { forceFirstTool } from '@steploop/core/policies'
import { chatBackendPreset } from '../examples/presets.ts'
import { fakeClock } from '@steploop/core/testing'
import { createOpenAICompatible } from '@steploop/openai-compatible'
import { createOpenRouter } from '@steploop/openrouter'
import { createXai } from '@steploop/xai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  call,
  chatAnswer,
  chatModel,
  play,
  responsesAnswer,
  responsesText,
  serverOf,
  streamOf,
  type Answer,
  type Parsed,
} from './testing.ts'

const toolsFor = (searched: unknown[]) => ({
  search_web: tool({
    inputSchema: z.looseObject({ query: z.string() }),
    execute: (input) => {
      searched.push(input)
      return 'found'
    },
  }),
})
const tools = toolsFor([])
const find = call('search_web', { query: 'AI' })

/** Body of the first request of a chat backend for a prompt. */
async function firstBody(prompt: string, options: Partial<StepLoopOptions> = chatBackendPreset()): Promise<Parsed> {
  const { model, bodies } = chatModel([chatAnswer('Hallo.')])
  await new StepLoop({ model, tools, ...options }).generate(prompt)
  return bodies[0]
}

test('a search is forced by a time, and by the system prompt too', { tags: ['P01'] }, async () => {
  for (const prompt of ['what happened today?', 'weather yesterday', 'in March 2024'])
    expect((await firstBody(prompt)).tool_choice).toBeInstanceOf(Object)
  const instructions = 'Always use the latest numbers.'
  expect((await firstBody('hi', { ...chatBackendPreset(), instructions })).tool_choice).toBeInstanceOf(Object)
  const seen: unknown[] = []
  const impliesSearch = (...given: readonly unknown[]) => seen.push(given) === 0
  await firstBody('hi', { ...chatBackendPreset({ impliesSearch }), instructions })
  expect(seen).toEqual([
    [
      'hi',
      [
        { role: 'system', content: instructions },
        { role: 'user', content: 'hi' },
      ],
    ],
  ])
})

test('a search is left to the model of xAI, natively or behind a gateway', { tags: ['P02'] }, async () => {
  const { fetch, bodies } = serverOf([
    responsesAnswer('r1', [responsesText('Hallo.')]),
    chatAnswer('Hallo.'),
    chatAnswer('Hallo.'),
    chatAnswer('Hallo.'),
  ])
  const openrouter = createOpenRouter({ apiKey: 'k-1234', fetch })
  const models = [
    createXai({ apiKey: 'k-1234', fetch })('grok-4'),
    openrouter('x-ai/grok-4'),
    createOpenAICompatible({ baseURL: 'https://gateway.example/v1', apiKey: 'k-1234', fetch })('grok-4-fast'),
    openrouter('qwen/qwen3'),
  ]
  const policies = [forceFirstTool({ tool: 'search_web' })]
  for (const model of models) await new StepLoop({ model, tools, policies, toolChoice: 'auto' }).generate('news')
  expect(bodies.slice(0, 3).map(({ tool_choice: choice }) => choice)).toEqual(['auto', 'auto', 'auto'])
  expect(bodies[3].tool_choice).toBeInstanceOf(Object)
})

test('a search gets the times that a prompt names, unless its schema rules them out', { tags: ['P07'] }, async () => {
  const searched: unknown[] = []
  const clock = fakeClock(Date.UTC(2026, 10, 22, 12))
  const options = { ...chatBackendPreset(), clock, tools: toolsFor(searched) }
  const given = call('search_web', { query: 'AI', after: '2025-05-05' })
  await play([[find, given], 'Done.'], options).loop.generate('AI news of last week')
  await play([[find], 'Done.'], { ...options, instructions: 'Only since May 2024.' }).loop.generate('AI')
  const strict = tool({
    inputSchema: z.strictObject({ query: z.string() }),
    execute: (input) => searched.push(input),
  })
  await play([[find], 'Done.'], { ...options, tools: { search_web: strict } }).loop.generate('AI yesterday')
  expect(searched).toEqual([
    { query: 'AI', time_hint: 'last week', after: '2026-11-15' },
    { query: 'AI', after: '2025-05-05', time_hint: 'last week' },
    { query: 'AI', time_hint: 'since May 2024', after: '2024-05-01' },
    { query: 'AI' },
  ])
})

const nudge = 'Please use the tool results above to answer my original question.'
const failing = () => new Response('{}', { status: 500 })
const streamed = (content: string) =>
  streamOf([{ choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] }, '[DONE]'])
const stream = streamed('Streamed.')
const calling = () => chatAnswer(null, [{ id: 'c1', name: 'search_web', input: { query: 'AI' } }])

async function chat(answers: readonly Answer[]) {
  const { model, bodies } = chatModel(answers)
  const loop = new StepLoop({ model, tools, ...chatBackendPreset(), maxRetries: 0 })
  const result = await loop.generate('x')
  const asked = bodies.map(({ stream: isStream, tools: offered, tool_choice: choice, messages }) => [
    isStream ?? false,
    offered?.length ?? 0,
    choice,
    messages.at(-1).content === nudge,
  ])
  return { result, asked }
}

const first = [false, 1, 'auto', false]
const asking = [false, 1, 'none', true]
const streaming = [true, 0, undefined, true]
const goingOn = [false, 1, 'auto', true]

test(
  'the answer after tools is asked for as a stream without tools when that fails, or is empty',
  { tags: ['P06'] },
  async () => {
    const failed = await chat([calling(), failing(), stream])
    expect([failed.result.text, failed.asked]).toEqual(['Streamed.', [first, asking, streaming]])
    const empty = await chat([calling(), chatAnswer(''), stream])
    expect([empty.result.text, empty.asked]).toEqual(['Streamed.', [first, asking, streaming]])
    const stubborn = await chat([calling(), calling(), stream])
    expect([stubborn.result.text, stubborn.asked.length]).toEqual(['Streamed.', 3])
  },
)

test(
  'the answer after tools is given by the loop that goes on, tools and all, when that fails too',
  { tags: ['P06'] },
  async () => {
    const failed = await chat([calling(), failing(), failing(), calling(), chatAnswer('Late.')])
    expect([failed.result.text, failed.asked]).toEqual(['Late.', [first, asking, streaming, goingOn, asking]])
    expect(failed.result.toolResults.map(({ output }) => output.value)).toEqual(['found', 'found'])
    const silent = await chat([calling(), chatAnswer(''), streamed(''), chatAnswer('')])
    expect(silent.result.text).toBe('No additional content generated.')
    await expect(chat([calling(), failing(), failing(), failing()])).rejects.toMatchObject({ code: 'turn-failed' })
  },
)

test('a chat backend greets for an empty prompt, and sends what is given alone', { tags: ['P08'] }, async () => {
  const body = await firstBody('', { ...chatBackendPreset(), topK: undefined, seed: 7, maxOutputTokens: undefined })
  expect(body.messages).toEqual([{ role: 'user', content: 'Hello' }])
  expect(body).toMatchObject({ temperature: 0.7, top_p: 1, seed: 7 })
  expect(Object.values(body)).not.toContain(null)
  expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['max_tokens']))
  const named = await firstBody('x', { ...chatBackendPreset(), instructions: 'Be brief.', temperature: 0.1 })
  expect(named.messages[0]).toEqual({ role: 'system', content: 'Be brief.' })
  expect(named.temperature).toBe(0.1)
})
