import { expect, test } from 'vitest'

import { simulatedWire, type Simulator, type SimulatorOptions } from '@steploop/conformance/simulator'
import * as simulators from './started.ts'

function started(options: Omit<SimulatorOptions, 'wire'>): Promise<Simulator> {
  return simulators.started({ wire: 'ollama-chat', ...options })
}

const question = { model: 'qwen3', messages: [{ role: 'user', content: 'Wetter in Zürich? 🌦️' }] }

function ask(
  simulator: Simulator,
  body: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return simulators.post(simulator, '/api/chat', { ...question, ...body }, headers)
}

const text = { type: 'text', text: 'In 東京 ist es schön, in Zürich auch: 🌦️!' } as const
const thought = { type: 'reasoning', text: 'Zwei Städte.' } as const
const weather = { type: 'call', toolName: 'get_weather', input: { city: 'Zürich' } } as const

test('the simulator of Ollama streams unless it is told not to', async () => {
  const script = [text, text, text].map((part) => ({ type: 'answer', parts: [part] }) as const)
  const simulator = await started({ script })
  const types: (string | null)[] = []
  for (const body of [{}, { stream: true }, { stream: false }]) {
    const response = await ask(simulator, body)
    await response.text()
    types.push(response.headers.get('content-type'))
  }
  expect(types).toEqual(['application/x-ndjson', 'application/x-ndjson', 'application/json'])
})

const context = { turn: 1, request: { model: 'qwen3', messages: [] } }

test('a model thinks unless the request says that it should not', () => {
  const answer = { type: 'answer', parts: [thought, text] } as const
  const messageFor = (think?: unknown) =>
    simulatedWire('ollama-chat').answerJson(answer, { turn: 1, request: { ...context.request, think } })['message']
  expect(messageFor()).toMatchObject({ thinking: 'Zwei Städte.' })
  expect(messageFor(true)).toMatchObject({ thinking: 'Zwei Städte.' })
  expect(messageFor(false)).not.toHaveProperty('thinking')
})

test('arguments that are no object are text, as the server’s own parser leaves them', () => {
  const broken = { ...weather, inputText: '{"city":"Zür' }
  const answer = { type: 'answer', parts: [text, broken, weather], finish: 'length' } as const
  expect(simulatedWire('ollama-chat').answerJson(answer, context)).toMatchObject({
    message: { content: `${text.text}{"city":"Zür`, tool_calls: [{ function: { arguments: { city: 'Zürich' } } }] },
    done_reason: 'length',
  })
})

test('counts of zero are left out', () => {
  const answer = { type: 'answer', parts: [text], usage: { inputTokens: 0, outputTokens: 5 } } as const
  const body = simulatedWire('ollama-chat').answerJson(answer, context)
  expect(body).toMatchObject({ eval_count: 5 })
  expect(body).not.toHaveProperty('prompt_eval_count')
})

test('no key is needed; where one is wanted, a wrong one is refused without being shown', async () => {
  const script = [{ type: 'answer', parts: [text] }] as const
  expect((await ask(await started({ script }))).status).toBe(200)
  const guarded = await started({ script, apiKey: 'good' })
  const wrong = await ask(guarded, {}, { authorization: 'Bearer canary-123456' })
  expect(wrong.status).toBe(401)
  expect(await wrong.text()).toBe('{"error":"unauthorized"}')
  expect((await ask(guarded)).status).toBe(401)
  expect((await ask(guarded, {}, { authorization: 'Bearer good' })).status).toBe(200)
})

test('a list in place of the request is refused in words of Go', () => {
  const message = 'json: cannot unmarshal array into Go value of type api.ChatRequest'
  expect(simulatedWire('ollama-chat').check([])).toMatchObject({ message })
})

const call = { function: { name: 'get_weather', arguments: { city: 'Zürich' } } }
const result = { role: 'tool', tool_name: 'get_weather', content: '7 °C' }

test.each<readonly [string, object]>([
  ['a level of thinking for gpt-oss', { model: 'gpt-oss:20b', think: 'low' }],
  ['lifetimes as number and as duration', { keep_alive: -1 }],
  ['a duration of several units', { keep_alive: '1h30m' }],
  ['a schema', { format: { type: 'object', properties: {} } }],
  ['JSON of any shape', { format: 'json' }],
  ['log probabilities', { logprobs: true, top_logprobs: 2 }],
  [
    'a history with ids that the server gave',
    {
      messages: [
        ...question.messages,
        {
          role: 'assistant',
          content: '',
          thinking: 'Hm.',
          tool_calls: [
            { id: 'call_1', ...call },
            { ...call, id: 'call_2' },
          ],
        },
        { ...result, tool_call_id: 'call_1' },
        { ...result, tool_call_id: 'call_2', images: ['iVBORw0KGgo='] },
        { role: 'assistant', content: '7 °C.' },
        { role: 'system', content: 'Hurry.' },
      ],
    },
  ],
  [
    'nested schemas with words that the server skips',
    {
      tools: [
        {
          type: 'function',
          function: {
            name: 'plan',
            parameters: {
              type: 'object',
              $schema: 'https://json-schema.org/draft/2020-12/schema',
              additionalProperties: false,
              properties: {
                stops: { type: 'array', items: { type: 'string', minLength: 1 } },
                when: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] },
                who: { type: ['string', 'null'], enum: ['me', null] },
                where: { type: 'object', properties: { city: { type: 'string' } } },
              },
            },
          },
        },
      ],
    },
  ],
])('the simulator of Ollama accepts %s', (_, body) => {
  expect(simulatedWire('ollama-chat').check({ ...question, ...body })).toBeUndefined()
})
