import {
  chatBackendPreset,
  finalizeAfterTools,
  forceFirstTool,
  refineInput,
  retryEmpty,
  routeByTool,
  StepLoop,
  tool,
  trace,
  type StepLoopOptions,
  type TraceEntry,
} from '@steploop/core'
import { fakeClock, scriptedAdapter } from '@steploop/core/testing'
import { createMistral } from '@steploop/mistral'
import { createOpenAI } from '@steploop/openai'
import { createXai } from '@steploop/xai'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import {
  call,
  chatAnswer,
  chatModel,
  play,
  responsesAnswer,
  responsesText,
  serverOf,
  time,
  type Parsed,
} from './testing.ts'

const asked: unknown[] = []
const searchWeb = tool({
  inputSchema: z.looseObject({ query: z.string() }),
  execute: (input) => {
    asked.push(input)
    return 'found'
  },
})
const tools = { search_web: searchWeb }
const find = call('search_web', { query: 'AI' })

/** Body of the first request of a chat backend for a prompt. */
async function firstBody(prompt: string, options: Partial<StepLoopOptions> = chatBackendPreset()): Promise<Parsed> {
  const { model, bodies } = chatModel([chatAnswer('Hallo.')])
  await new StepLoop({ model, tools, ...options }).generate(prompt)
  return bodies[0]
}

describe('a search', () => {
  test('P01: is forced on the first step when the prompt asks for news, and by no other prompt', async () => {
    expect((await firstBody('latest AI news')).tool_choice).toEqual({
      type: 'function',
      function: { name: 'search_web' },
    })
    expect((await firstBody('What happened in the past week?')).tool_choice).toBeInstanceOf(Object)
    expect((await firstBody('explain quantum physics')).tool_choice).toBe('auto')
    const own = chatBackendPreset({ impliesSearch: (prompt) => /since \d{4}/.test(prompt) })
    expect((await firstBody('since 2024', own)).tool_choice).toBeInstanceOf(Object)
    const without = play(['Hallo.'], { ...chatBackendPreset(), tools: { time } })
    await without.loop.generate('latest AI news')
    expect(without.requests[0]?.request.toolChoice).toBeUndefined()
  })

  test('P02: is left to the model where the provider cannot be forced, as xAI', async () => {
    const { fetch, bodies } = serverOf([responsesAnswer('r1', [responsesText('Hallo.')])])
    const model = createXai({ apiKey: 'k-1234', fetch })('grok-4')
    const result = await new StepLoop({ model, tools, policies: [forceFirstTool({ tool: 'search_web' })] }).generate(
      'news',
    )
    expect(bodies[0].tool_choice).toBe('auto')
    expect(result.warnings).toMatchObject([{ type: 'coerced', path: 'toolChoice' }])
  })

  test('P07: has its times filled in from the prompt, and what the model gave stays', async () => {
    asked.length = 0
    const fill = (prompt: string) => ({ time_hint: prompt, after: '2026-01-01', before: undefined, query: 'never' })
    const script = [[find, call('search_web', { query: 'AI', after: '2025-05-05' })], 'Done.']
    await play(script, { tools, policies: [refineInput({ tool: 'search_web', fill })] }).loop.generate('last week')
    expect(asked).toEqual([
      { query: 'AI', time_hint: 'last week', after: '2026-01-01' },
      { query: 'AI', after: '2025-05-05', time_hint: 'last week' },
    ])
  })
})

describe('an empty answer', () => {
  const preset = { ...chatBackendPreset(), tools }

  test('P03: is asked for again twice at most, with a word to the model, and never after tools ran', async () => {
    const thrice = play([[], [], 'Hallo.'], preset)
    expect((await thrice.loop.generate('x')).text).toBe('Hallo.')
    const roles = thrice.requests.map(({ request }) => request.messages.filter(({ role }) => role === 'user').length)
    expect(roles).toEqual([1, 2, 3])
    const after = play([[find], []], { tools, policies: [retryEmpty({ maxRetries: 2 })] })
    expect((await after.loop.generate('x')).text).toBe('')
    expect(after.requests).toHaveLength(2)
    const words = play(['Hallo.'], preset)
    await words.loop.generate('x')
    expect(words.requests).toHaveLength(1)
  })

  test('P04: is no answer that has words, though a forced tool was ignored, unless that is wanted', async () => {
    const forced = forceFirstTool({ tool: 'search_web' })
    const content = play(['No need.', 'Found.'], { tools, policies: [forced, retryEmpty()] })
    expect((await content.loop.generate('x')).text).toBe('No need.')
    const strict = play(['No need.', [find], 'Found.'], {
      tools,
      policies: [forced, retryEmpty({ ignoredTool: 'search_web' })],
    })
    expect((await strict.loop.generate('x')).text).toBe('Found.')
    const stubborn = play(['No need.', 'No.'], { tools, policies: [forced, retryEmpty({ ignoredTool: 'search_web' })] })
    expect((await stubborn.loop.generate('x')).text).toBe('No.')
  })

  test('P05: becomes a text that says so when it stays empty', async () => {
    const { loop, requests } = play([[], [], []], preset)
    const result = await loop.generate('x')
    expect([result.text, requests.length]).toEqual(['No additional content generated.', 3])
    expect(result.messages.at(-1)).toMatchObject({ role: 'assistant', content: [{ text: result.text }] })
  })
})

test('P06: the answer may be asked for after the first tools, once and without more of them; by itself nothing cuts a run short', async () => {
  const nudge = 'Please use the tool results above to answer my original question.'
  const { loop, requests } = play([[find], 'Found.'], { tools, policies: [finalizeAfterTools()] })
  expect((await loop.generate('x')).text).toBe('Found.')
  const last = requests.at(-1)?.request
  expect([last?.toolChoice, last?.tools?.length, last?.messages.at(-1)?.content]).toEqual(['none', 1, nudge])
  expect(last?.messages.filter(({ content }) => content === nudge)).toHaveLength(1)
  const free = play([[find], [find], 'Found.'], { tools })
  await free.loop.generate('x')
  expect(free.requests.map(({ request }) => request.toolChoice)).toEqual([undefined, undefined, undefined])
})

test('P08: a chat backend greets for an empty prompt and sets its defaults; what is not given is not sent', async () => {
  const body = await firstBody('', { ...chatBackendPreset(), topK: undefined, seed: 7, maxOutputTokens: undefined })
  expect(body.messages).toEqual([{ role: 'user', content: 'Hello' }])
  expect(body).toMatchObject({ temperature: 0.7, top_p: 1, seed: 7 })
  expect(Object.values(body)).not.toContain(null)
  expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['max_tokens']))
  const named = await firstBody('x', { ...chatBackendPreset(), instructions: 'Be brief.', temperature: 0.1 })
  expect(named.messages[0]).toEqual({ role: 'system', content: 'Be brief.' })
  expect(named.temperature).toBe(0.1)
})

test('P09: a trace has time, step, action and data of every request, call and end', async () => {
  const lines: TraceEntry[] = []
  const clock = fakeClock(1_000)
  await play([[find], 'Found.'], { tools, clock, policies: [trace((line) => lines.push(line))] }).loop.generate('x')
  expect(lines.map(({ action }) => action)).toEqual([
    'request',
    'response',
    'tool-call',
    'step-end',
    'request',
    'response',
    'step-end',
  ])
  expect(lines[2]).toMatchObject({
    timestamp: 1_000,
    step: 0,
    data: { toolName: 'search_web', input: { query: 'AI' } },
  })
})

test('P10: the step after a tool may be another model’s, and the one after that is the loop’s own again', async () => {
  const strong = scriptedAdapter([{ parts: [call('time', { tz: 'CET' })], responseId: 's1' }], { model: 'strong' })
  const { loop } = play([[find], 'Found.'], {
    tools: { ...tools, time },
    policies: [routeByTool({ search_web: strong })],
  })
  expect((await loop.generate('x')).steps.map(({ model }) => model)).toEqual(['scripted-1', 'strong', 'scripted-1'])
})

test('P11: a missing key is told before any request, with the way to give it', async () => {
  vi.stubEnv('OPENAI_API_KEY', '')
  const { fetch, bodies } = serverOf([])
  const failed = new StepLoop({ model: createOpenAI({ fetch })('gpt-4o') }).generate('x')
  await expect(failed).rejects.toMatchObject({
    cause: { code: 'missing-api-key', message: expect.stringContaining('OPENAI_API_KEY') },
  })
  expect(bodies).toEqual([])
})

test('P12: what a provider wants otherwise is its adapter’s business: one loop, three requests', async () => {
  const mistral = serverOf([chatAnswer('Hallo.')])
  const xai = serverOf([chatAnswer('Hallo.')])
  const plain = chatModel([chatAnswer('Hallo.')])
  const models = [
    createMistral({ apiKey: 'k-1234', fetch: mistral.fetch })('mistral-small-latest'),
    createXai({ apiKey: 'k-1234', fetch: xai.fetch }).chat('grok-3-mini'),
    plain.model,
  ]
  for (const model of models) await new StepLoop({ model, tools, toolChoice: 'required', seed: 7 }).generate('x')
  const bodies = [mistral, xai, plain].map(({ bodies: [body] }) => body)
  expect(bodies.map(({ tool_choice: choice }) => choice)).toEqual(['any', 'auto', 'required'])
  expect(bodies.map(({ seed, random_seed: other }) => [seed, other])).toEqual([
    [undefined, 7],
    [7, undefined],
    [7, undefined],
  ])
})
