import { expect, test } from 'vitest'

import type { JsonObject } from '@steploop/conformance/simulator'

import type { ScriptedTurn } from '../src/script.ts'
import { providers } from './simulator-providers.ts'
import { post, started } from './started.ts'

type Name = keyof typeof providers

const reasoning = { type: 'reasoning', text: 'Zürich first.' } as const
const text = { type: 'text', text: 'One moment.' } as const
const weather = { type: 'call', toolName: 'get_weather', input: { city: 'Zürich' } } as const
const alerts = { type: 'call', toolName: 'list_alerts', input: {} } as const
const whole: ScriptedTurn = { type: 'answer', parts: [reasoning, text, weather, alerts] }

/** The bytes of an answer. */
async function ask(name: Name, turn: ScriptedTurn, body: JsonObject): Promise<{ status: number; text: string }> {
  const { wire, baseURL, path, headers, first } = providers[name]
  const response = await post(await started({ wire, baseURL, script: [turn] }), path, { ...first, ...body }, headers)
  return { status: response.status, text: await response.text() }
}

/** What the chunks of a streamed answer hold. */
async function chunksOf(name: Name, turn: ScriptedTurn): Promise<readonly Chunk[]> {
  const answer = await ask(name, turn, { stream: true })
  return answer.text.split('\n\n').flatMap((frame) => {
    return frame.startsWith('data: {') ? [JSON.parse(frame.slice(6)) as Chunk] : []
  })
}

interface Chunk {
  readonly choices: readonly { readonly delta: JsonObject; readonly finish_reason?: string | null }[]
  readonly usage?: JsonObject | null
  readonly x_groq?: JsonObject
  readonly error?: unknown
}

async function messageOf(name: Name, turn: ScriptedTurn, body: JsonObject = {}): Promise<JsonObject> {
  const answer = JSON.parse((await ask(name, turn, body)).text) as { choices: [{ message: JsonObject }] }
  return answer.choices[0].message
}

function joined(objects: readonly JsonObject[], key: string): string {
  return objects.map((object) => (typeof object[key] === 'string' ? object[key] : '')).join('')
}

const names = Object.keys(providers) as Name[]

test.each(names)('%s says its own words for a wrong key, in its own shape', async (name) => {
  const turn: ScriptedTurn = { type: 'failure', failure: 'bad-key' }
  const { status, text: body } = await ask(name, turn, {})
  expect(status).toBe(name === 'xai' ? 400 : 401)
  expect(providers[name].errorOf(JSON.parse(body))).toHaveProperty('message')
})

test('Mistral puts whole calls into the finish chunk, with usage, without index or type, with ids of nine letters', async () => {
  const chunks = await chunksOf('mistral', whole)
  const last = chunks.at(-1)
  expect(last?.choices[0]?.finish_reason).toBe('tool_calls')
  expect(last?.usage).toMatchObject({ prompt_tokens: 120 })
  const calls = last?.choices[0]?.delta['tool_calls'] as JsonObject[]
  expect(calls).toEqual([
    { id: 'sim001n01', function: { name: 'get_weather', arguments: '{"city":"Zürich"}' } },
    { id: 'sim001n02', function: { name: 'list_alerts', arguments: '{}' } },
  ])
  expect(chunks.slice(0, -1).some(({ choices }) => 'tool_calls' in (choices[0]?.delta ?? {}))).toBe(false)
})

test('Mistral thinks inside the content, as a list', async () => {
  expect((await messageOf('mistral', whole))['content']).toEqual([
    { type: 'thinking', thinking: [{ type: 'text', text: 'Zürich first.' }] },
    { type: 'text', text: 'One moment.' },
  ])
  const plain = await messageOf('mistral', whole, { model: 'mistral-small-latest' })
  expect(plain['content']).toBe('One moment.')
})

test('Groq gives usage twice in the finish chunk, and each call whole', async () => {
  const chunks = await chunksOf('groq', whole)
  const last = chunks.at(-1)
  expect(last?.usage).toEqual(last?.x_groq?.['usage'])
  expect(last?.usage).toMatchObject({ prompt_tokens: 120, completion_tokens_details: { reasoning_tokens: 11 } })
  const calls = chunks.flatMap(({ choices }) => (choices[0]?.delta['tool_calls'] as JsonObject[] | undefined) ?? [])
  expect(calls).toMatchObject([
    { index: 0, type: 'function', function: { arguments: '{"city":"Zürich"}' } },
    { index: 1, type: 'function', function: { arguments: '{}' } },
  ])
})

const broken: ScriptedTurn = {
  type: 'answer',
  parts: [text, { ...weather, inputText: '{"city": Zürich}' }],
}

test('Groq does not let out a call that is no JSON: 400 with what the model said', async () => {
  const { status, text: body } = await ask('groq', broken, {})
  expect(status).toBe(400)
  expect(JSON.parse(body)).toMatchObject({
    error: {
      code: 'tool_use_failed',
      failed_generation: '{"name": "get_weather", "arguments": {"city": Zürich}}',
    },
  })
})

test('Groq breaks off such a stream with a named event that has the status, and nothing after it', async () => {
  const { status, text: body } = await ask('groq', broken, { stream: true })
  expect(status).toBe(200)
  const last = body.trimEnd().split('\n\n').at(-1) ?? ''
  expect(last).toMatch(/^event: error\ndata: /)
  expect(JSON.parse(last.slice('event: error\ndata: '.length))).toMatchObject({
    error: { code: 'tool_use_failed', status_code: 400 },
  })
  expect(body).not.toContain('[DONE]')
})

test('DeepSeek names both kinds of content in every delta, and counts hits of its cache in the finish chunk', async () => {
  const chunks = await chunksOf('deepseek', { ...whole, parts: [reasoning, text] })
  const deltas = chunks.map(({ choices }) => choices[0]?.delta ?? {})
  expect(deltas.every((delta) => 'content' in delta && 'reasoning_content' in delta)).toBe(true)
  expect(joined(deltas, 'reasoning_content')).toBe('Zürich first.')
  expect(chunks.map(({ usage }) => usage).slice(0, -1)).toEqual(chunks.slice(1).map(() => null))
  expect(chunks.at(-1)?.usage).toMatchObject({ prompt_cache_hit_tokens: 0, prompt_cache_miss_tokens: 120 })
})

test('DeepSeek gives an empty thought in thinking mode, and none out of it', async () => {
  const silent: ScriptedTurn = { type: 'answer', parts: [text] }
  expect(await messageOf('deepseek', silent)).toHaveProperty('reasoning_content', '')
  expect(await messageOf('deepseek', whole, { model: 'deepseek-chat' })).not.toHaveProperty('reasoning_content')
})

test('xAI counts its output without reasoning, has no reason until the end, and sends each call whole', async () => {
  const chunks = await chunksOf('xai', whole)
  expect(chunks.slice(0, -2).some(({ choices }) => 'finish_reason' in (choices[0] ?? {}))).toBe(false)
  expect(chunks.at(-1)).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 120, completion_tokens: 16, total_tokens: 147 },
  })
  const calls = chunks.flatMap(({ choices }) => (choices[0]?.delta['tool_calls'] as JsonObject[] | undefined) ?? [])
  expect(calls.map(({ function: called }) => called)).toEqual([
    { name: 'get_weather', arguments: '{"city":"Zürich"}' },
    { name: 'list_alerts', arguments: '{}' },
  ])
})

test('OpenRouter sends comments, each piece of a thought twice, its signature last, and the reason twice', async () => {
  const { text: body } = await ask('openrouter', whole, { stream: true })
  expect(body.startsWith(': OPENROUTER PROCESSING\n\n')).toBe(true)
  const chunks = await chunksOf('openrouter', whole)
  const deltas = chunks.map(({ choices }) => choices[0]?.delta ?? {})
  const details = deltas.flatMap((delta) => (delta['reasoning_details'] as JsonObject[] | undefined) ?? [])
  expect(joined(details, 'text')).toBe('Zürich first.')
  expect(joined(deltas, 'reasoning')).toBe('Zürich first.')
  expect(details.findIndex((detail) => 'signature' in detail)).toBe(details.length - 1)
  const reasons = chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])
  expect(reasons).toEqual(['tool_calls', 'tool_calls'])
  expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 120 })
})

test('OpenRouter leaves out the arguments of a call that has none, and thoughts that nobody asked for', async () => {
  const calls = (await messageOf('openrouter', whole))['tool_calls'] as JsonObject[]
  expect(calls[1]).toMatchObject({ index: 1, function: { name: 'list_alerts' } })
  expect(calls[1]?.['function']).not.toHaveProperty('arguments')
  expect((await messageOf('openrouter', whole, { reasoning: {} }))['reasoning']).toBeNull()
})

test('OpenRouter has three places for errors, each with a number as the code', async () => {
  const fault = (failure: 'rate-limited' | 'server-error'): ScriptedTurn => ({
    type: 'failure',
    failure,
    place: 'body',
  })
  const own = JSON.parse((await ask('openrouter', fault('rate-limited'), {})).text) as JsonObject
  expect(own).toMatchObject({ error: { code: 429 } })
  const choice = JSON.parse((await ask('openrouter', fault('server-error'), {})).text) as JsonObject
  expect(choice).toMatchObject({ choices: [{ finish_reason: 'error', error: { code: 502 } }] })
  const chunks = await chunksOf('openrouter', fault('rate-limited'))
  expect(chunks.at(-1)).toMatchObject({ error: { code: 429 }, choices: [{ finish_reason: null }] })
})

test('a host that is not known is played as the provider after which the wire format is named', async () => {
  const baseURL = 'https://chat.example.com/v1'
  const simulator = await started({ wire: 'openai-chat', baseURL, script: [whole] })
  const question = { model: 'x', messages: [{ role: 'user', content: 'x' }] }
  const response = await post(simulator, '/chat/completions', question)
  expect(await response.json()).toMatchObject({ service_tier: 'default', system_fingerprint: 'fp_sim' })
})
