import type { LLMock } from '@copilotkit/aimock'
import { StepLoop, tool, type LoopEvent, type Mode, type RunResult } from '@steploop/core'
import { arrayOf, objectOf } from '@steploop/core/adapter'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { speakers, startAimock, type Speaker } from './aimock.ts'

// A model server that others wrote, for what our own simulator and our adapters might both have got wrong.

const modes: readonly Mode[] = ['generate', 'stream']

const cases = speakers.flatMap((speaker) => modes.map((mode) => ({ name: speaker.name, speaker, mode })))

const tools = {
  get_weather: tool({
    description: 'Current weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => ({ city, celsius: 7 }),
  }),
  get_time: tool({
    description: 'Current time in a time zone',
    inputSchema: z.object({ tz: z.string() }),
    execute: ({ tz }) => `12:34 in ${tz} 🕛`,
  }),
}

const greeting = 'Grüezi 👋 und こんにちは.'
const answered = 'Zürich: 7 °C. 東京: 12:34.'
const weather = { name: 'get_weather', arguments: '{"city":"Zürich"}' }
const time = { name: 'get_time', arguments: '{"tz":"Asia/Tokyo"}' }

/** Says what to answer by what it reads in the request, so that it has to have understood it: results too. */
async function startConversation(): Promise<LLMock> {
  const mock = await startAimock()
  mock.on({ userMessage: 'Grüsse mich' }, { content: greeting }, { chunkSize: 3 })
  mock.on({ userMessage: 'Wetter', hasToolResult: false }, { toolCalls: [weather, time] }, { chunkSize: 5 })
  mock.on({ userMessage: 'Wetter', toolResultContains: '12:34 in Asia/Tokyo' }, { content: answered }, { chunkSize: 4 })
  return mock
}

interface Played {
  readonly result: RunResult
  readonly events: readonly LoopEvent[]
}

async function play({ adapter }: Speaker, mock: LLMock, mode: Mode, prompt: string): Promise<Played> {
  const loop = new StepLoop({ model: adapter(mock), tools, maxRetries: 0 })
  if (mode === 'generate') return { result: await loop.generate(prompt), events: [] }
  const stream = loop.stream(prompt)
  const events: LoopEvent[] = []
  for await (const event of stream) events.push(event)
  return { result: await stream.result, events }
}

function streamedText(events: readonly LoopEvent[]): string {
  return events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')
}

describe.each(cases)('$name against aimock, in $mode mode', ({ speaker, mode }) => {
  test('a text arrives whole', async () => {
    const mock = await startConversation()
    const { result, events } = await play(speaker, mock, mode, 'Grüsse mich!')
    expect([result.status, result.finishReason, result.text]).toEqual(['completed', 'stop', greeting])
    expect(streamedText(events)).toBe(mode === 'stream' ? greeting : '')
  })

  test('parallel calls run, and both results are understood', async () => {
    const mock = await startConversation()
    const { result } = await play(speaker, mock, mode, 'Wetter in Zürich und Zeit in 東京?')
    expect(result.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop'])
    expect(result.toolCalls.map(({ toolName, input }) => ({ toolName, input }))).toEqual([
      { toolName: 'get_weather', input: { city: 'Zürich' } },
      { toolName: 'get_time', input: { tz: 'Asia/Tokyo' } },
    ])
    expect(result.toolResults.map(({ output }) => output.value)).toEqual([
      { city: 'Zürich', celsius: 7 },
      '12:34 in Asia/Tokyo 🕛',
    ])
    expect(result.text).toBe(answered)
    // Its Converse reads no `json` in results: see below.
    const json = speaker.name.startsWith('bedrock') ? '' : '{"city":"Zürich","celsius":7}'
    expect(readResults(mock)).toEqual([
      ['get_weather', expect.stringContaining(json)],
      ['get_time', expect.stringContaining('12:34 in Asia/Tokyo 🕛')],
    ])
  })
})

/**
 * What aimock made of the second request, which it turns into Chat Completions whatever it came as: each result with the name of the call
 * that it answers, by id, or by location where the format has none.
 */
function readResults(mock: LLMock): unknown[] {
  const messages = arrayOf(objectOf(mock.getLastRequest()?.body)['messages']).map((message) => objectOf(message))
  const calls = messages.flatMap(({ tool_calls }) => arrayOf(tool_calls).map((call) => objectOf(call)))
  return messages
    .filter(({ role }) => role === 'tool')
    .map(({ tool_call_id: id, content }, at) => {
      const call = id === undefined ? calls[at] : calls.find((candidate) => candidate['id'] === id)
      return [objectOf(call?.['function'])['name'], content]
    })
}

interface Infidelity {
  /** What aimock does, and what the provider does. Each stands here because a check of ours has to look away from it. */
  readonly what: string
  readonly path: string
  readonly body: object
  readonly seen: (answer: string) => unknown
  readonly is: unknown
}

const asked = { messages: [{ role: 'user', content: 'Wetter' }] }
const contents = { contents: [{ role: 'user', parts: [{ text: 'Wetter' }] }] }
const claude = { model: 'claude-sonnet-4-5', max_tokens: 100 }
const gemini3 = '/v1beta/models/gemini-3-flash-preview:generateContent'

const member = (answer: string, name: string): unknown => objectOf(JSON.parse(answer))[name]

/** They are shown, not only told: one that aimock fixes turns red here and leaves the list. */
const infidelities: readonly Infidelity[] = [
  {
    what: 'Responses count no tokens; OpenAI counts all. Our totals are zero there',
    path: '/v1/responses',
    body: { model: 'gpt-4o', input: 'Wetter' },
    seen: (answer) => member(answer, 'usage'),
    is: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  },
  {
    what: 'Messages count no tokens; Anthropic counts all',
    path: '/v1/messages',
    body: { ...claude, ...asked },
    seen: (answer) => member(answer, 'usage'),
    is: { input_tokens: 0, output_tokens: 0 },
  },
  {
    what: 'Gemini ends calls with FUNCTION_CALL, which its API does not have; it says STOP, so our raw reason differs',
    path: gemini3,
    body: contents,
    seen: (answer) => /"finishReason":"(\w+)"/.exec(answer)?.[1],
    is: 'FUNCTION_CALL',
  },
  {
    what: 'Gemini 3 gives calls no thought signature, which the API wants back; so none is replayed',
    path: gemini3,
    body: contents,
    seen: (answer) => answer.includes('thoughtSignature'),
    is: false,
  },
  {
    what: 'streams of Chat Completions hold usage only when asked; Mistral and Groq always send it, so it is unknown there',
    path: '/v1/chat/completions',
    body: { model: 'mistral-small-latest', stream: true, ...asked },
    seen: (answer) => answer.includes('"usage"'),
    is: false,
  },
  {
    what: 'streams of Responses have no sequence numbers, so nothing of ours may rest on them',
    path: '/v1/responses',
    body: { model: 'gpt-4o', input: 'Wetter', stream: true },
    seen: (answer) => answer.includes('sequence_number'),
    is: false,
  },
  {
    what: 'a result without its call is accepted; every provider refuses it, so pairing is for our simulator to judge',
    path: '/v1/chat/completions',
    body: {
      model: 'gpt-4o',
      messages: [...asked.messages, { role: 'tool', tool_call_id: 'x', content: '12:34 in Asia/Tokyo' }],
    },
    seen: (answer) => answer.includes(answered),
    is: true,
  },
  {
    what: 'results as `json` are empty in Converse, where the API takes any value',
    path: '/model/m/converse',
    body: {
      messages: [
        { role: 'user', content: [{ text: 'Gelesen' }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'x', name: 'get_time', input: {} } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: 'x', content: [{ json: '12:34 in Asia/Tokyo' }] } }] },
      ],
    },
    seen: (answer) => /voll|leer/.exec(answer)?.[0],
    is: 'leer',
  },
  {
    what: 'arguments that are no JSON become {} in Messages, so broken calls cannot be shown',
    path: '/v1/messages',
    body: { ...claude, messages: [{ role: 'user', content: 'Kaputt' }] },
    seen: (answer) => /"input":(\{[^}]*\})/.exec(answer)?.[1],
    is: '{}',
  },
]

test.each(infidelities)('aimock is not the provider: $what', async ({ path, body, seen, is }) => {
  const mock = await startConversation()
  mock.on({ userMessage: 'Gelesen', toolResultContains: '12:34' }, { content: 'voll' })
  mock.on({ userMessage: 'Gelesen' }, { content: 'leer' })
  mock.on({ userMessage: 'Kaputt' }, { toolCalls: [{ name: 'get_weather', arguments: '{"city":' }] })
  const headers = { 'content-type': 'application/json', authorization: 'Bearer any', 'x-api-key': 'any' }
  const response = await fetch(mock.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(response.status).toBe(200)
  expect(seen(await response.text())).toEqual(is)
})
