import { StepLoop, tool, type RunResult } from '@steploop/core'
import { collectTurn } from '@steploop/core/adapter'
import { retryEmpty } from '@steploop/core/policies'
import { scriptedAdapter } from '@steploop/core/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  anthropicAnswer,
  anthropicCall,
  anthropicModel,
  ask,
  call,
  chatAnswer,
  chatModel,
  eventsOf,
  idle,
  openaiModel,
  play,
  responsesAnswer,
  responsesCall,
  responsesText,
  say,
  weather,
  type Parsed,
} from './testing.ts'

const zurich = { id: 'c1', name: 'weather', input: { city: 'Zürich' } }
const user = { role: 'user', content: 'Weather?' } as const

test('an adapter makes one request per turn and hands back the calls as they are', { tags: ['L01'] }, async () => {
  const tools = [{ type: 'function', name: 'weather', inputSchema: { type: 'object' } }] as const
  const servers = [
    chatModel([chatAnswer(null, [zurich])]),
    openaiModel([responsesAnswer('resp_1', [responsesCall('c1', 'weather', { city: 'Zürich' })])]),
    anthropicModel([anthropicAnswer([anthropicCall('c1', 'weather', { city: 'Zürich' })], 'tool_use')]),
  ]
  for (const { model, bodies } of servers) {
    const turn = await collectTurn(model.turn({ messages: [user], tools, turn: 0 }, { mode: 'generate' }))
    expect(bodies).toHaveLength(1)
    expect(turn.message.content).toMatchObject([{ type: 'tool-call', toolName: 'weather', input: { city: 'Zürich' } }])
    expect(turn.finishReason).toBe('tool-calls')
  }
})

test(
  'an adapter gives a turn with finish reason, usage and response id; a run gives more',
  { tags: ['L03'] },
  async () => {
    const { model } = openaiModel([responsesAnswer('resp_1', [responsesText('Hallo.')])])
    const turn = await collectTurn(model.turn({ messages: [user], turn: 0 }, { mode: 'generate' }))
    expect(turn).toMatchObject({ finishReason: 'stop', responseId: 'resp_1', model: 'gpt-4o-1' })
    expect(turn.usage).toMatchObject({ inputTokens: 10, outputTokens: 4 })
    const result = await play(['Hallo.']).loop.generate('x')
    expect(Object.keys(result).filter((name) => name in turn)).toEqual([
      'usage',
      'warnings',
      'finishReason',
      'responseId',
    ])
  },
)

test(
  'a run has the same steps, messages, results and usage whether it is streamed or not',
  { tags: ['L02'] },
  async () => {
    const usage = { inputTokens: 5, outputTokens: 2 }
    const script = [
      { parts: [say('Let me see.'), call('weather', { city: 'Zürich' }), call('broken')], usage },
      { parts: [call('time', { tz: 'CET' })], usage },
      { parts: [say('Sunny.')], usage },
    ]
    const whole = await play(script).loop.generate('x')
    const streamed = await play(script).loop.stream('x').result
    const comparable = ({ transcript, ...rest }: RunResult) => ({ ...rest, messages: transcript.messages })
    expect(comparable(streamed)).toEqual(comparable(whole))
    expect(whole.steps).toHaveLength(3)
  },
)

test('a run ends without calls and goes on with them, whatever the finish reason', { tags: ['L05'] }, async () => {
  const none = play([{ parts: [say('Nothing to call.')], finishReason: 'tool-calls' }])
  expect((await none.loop.generate('x')).status).toBe('completed')
  expect(none.requests).toHaveLength(1)
  const some = play([{ parts: [call('weather', { city: 'A' })], finishReason: 'stop' }, 'Done.'])
  expect((await some.loop.generate('x')).toolResults).toHaveLength(1)
  expect(some.requests).toHaveLength(2)
})

test('a run without tools makes one plain request, streamed or not', { tags: ['L06'] }, async () => {
  const { model, bodies } = chatModel([chatAnswer('Hallo.')])
  await new StepLoop({ model, tools: {}, toolChoice: 'auto' }).generate('x')
  expect(Object.keys(bodies[0])).not.toEqual(expect.arrayContaining(['tools']))
  expect(bodies[0].tool_choice).toBeUndefined()
  const scripted = scriptedAdapter(['Grüezi'])
  expect((await new StepLoop({ model: scripted }).stream('x').result).text).toBe('Grüezi')
  expect(scripted.requests.map(({ request }) => [request.tools, request.toolChoice])).toEqual([[undefined, undefined]])
})

const body = (text: Parsed): Parsed => ({ ...text, input: undefined })

test('a run builds every request alike: only the conversation grows', { tags: ['L07'] }, async () => {
  const { model, bodies, headers } = openaiModel([
    responsesAnswer('r1', [responsesCall('c1', 'weather', { city: 'A' })]),
    responsesAnswer('r2', [responsesCall('c2', 'weather', { city: 'B' })]),
    responsesAnswer('r3', [responsesText('{"ok":true}')]),
  ])
  const loop = new StepLoop({
    model,
    tools: { weather },
    instructions: 'Be brief.',
    toolChoice: 'auto',
    temperature: 0.3,
    topP: 0.9,
    maxOutputTokens: 99,
    output: { schema: z.object({ ok: z.boolean() }) },
    headers: { 'x-tenant': 'a' },
    providerOptions: { openai: { metadata: { a: '1' } } },
  })
  await loop.generate('x')
  expect(bodies).toHaveLength(3)
  expect(body(bodies[0])).toMatchObject({ temperature: 0.3, top_p: 0.9, max_output_tokens: 99, tool_choice: 'auto' })
  expect(bodies[0]).toMatchObject({ instructions: 'Be brief.', text: { format: { type: 'json_schema' } } })
  expect(body(bodies[1])).toEqual(body(bodies[0]))
  expect(body(bodies[2])).toEqual(body(bodies[0]))
  expect(headers.map((sent) => sent.get('x-tenant'))).toEqual(['a', 'a', 'a'])
  expect(bodies[2].input.slice(0, bodies[1].input.length)).toEqual(bodies[1].input)
})

test('a run sends the options of the provider in every request', { tags: ['L08'] }, async () => {
  const answers = [chatAnswer(null, [zurich]), chatAnswer(null, [{ ...zurich, id: 'c2' }]), chatAnswer('Done.')]
  const { model, bodies } = chatModel(answers)
  const providerOptions = { [model.provider]: { user: 'kunde-7' }, another: { user: 'x' } }
  await new StepLoop({ model, tools: { weather }, providerOptions }).generate('x')
  expect(bodies.map(({ user: sent }) => sent)).toEqual(['kunde-7', 'kunde-7', 'kunde-7'])
})

test('a run ends at an empty answer, or asks again where the policy wants it', { tags: ['L09'] }, async () => {
  const empty = responsesAnswer('r1', [])
  const plain = openaiModel([empty])
  const ended = await new StepLoop({ model: plain.model, tools: { weather } }).generate('x')
  expect([ended.text, ended.status, plain.bodies.length]).toEqual(['', 'completed', 1])
  const patient = openaiModel([empty, responsesAnswer('r2', [responsesText('Hallo.')])])
  const asked = await new StepLoop({ model: patient.model, policies: [retryEmpty()] }).generate('x')
  expect([asked.text, patient.bodies.length]).toEqual(['Hallo.', 2])
})

test('a run answers with the text of its last turn only', { tags: ['L11'] }, async () => {
  const result = await play([[say('Let me see.'), call('weather', { city: 'A' })], 'Sunny.']).loop.generate('x')
  expect(result.text).toBe('Sunny.')
  expect(result.steps.map(({ text }) => text)).toEqual(['Let me see.', 'Sunny.'])
})

test('a run of one tool, then another, then an answer makes three requests', { tags: ['L12'] }, async () => {
  const { loop, requests } = play([[call('weather', { city: 'A' })], [call('time', { tz: 'B' })], 'Done.'])
  const result = await loop.generate('x')
  expect(requests).toHaveLength(3)
  expect(result.toolCalls.map(({ toolName }) => toolName)).toEqual(['weather', 'time'])
})

test('a run takes a text or messages, which open every later request', { tags: ['L13'] }, async () => {
  const parts = { role: 'user', content: [{ type: 'text', text: 'Weather?' }] } as const
  for (const input of ['Weather?', { messages: [user] }, { messages: [parts] }]) {
    const { model, bodies } = openaiModel([
      responsesAnswer('r1', [responsesCall('c1', 'weather', { city: 'A' })]),
      responsesAnswer('r2', [responsesText('Sunny.')]),
    ])
    await new StepLoop({ model, tools: { weather } }).generate(input)
    expect(JSON.stringify(bodies[0].input)).toContain('Weather?')
    expect(bodies[1].input[0]).toEqual(bodies[0].input[0])
    expect(bodies[1].input.map(({ type }: Parsed) => type).slice(-2)).toEqual(['function_call', 'function_call_output'])
  }
})

test('a run takes an answer of the model as a text', { tags: ['L13'] }, async () => {
  const { loop, requests } = play(['c'])
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
  ] as const
  await loop.generate({ messages, prompt: 'more' })
  expect(requests[0]?.request.messages[1]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'b' }] })
})

test('a run begins with outputs of tools and no word of the user', { tags: ['L14'] }, async () => {
  const asking = play([[call('ask', { question: 'Sure?' }, 'c1')]])
  const { transcript } = await asking.loop.generate('x')
  const { model, bodies } = openaiModel([responsesAnswer('r1', [responsesText('Thanks.')])])
  const answered = await new StepLoop({ model, tools: { ask } }).generate({
    transcript,
    toolOutputs: { c1: { output: 'yes' } },
  })
  expect(answered.text).toBe('Thanks.')
  expect(bodies[0].input.map(({ type, role }: Parsed) => role ?? type)).toEqual([
    'user',
    'function_call',
    'function_call_output',
  ])
  expect(bodies[0].input[2]).toMatchObject({ call_id: bodies[0].input[1].call_id, output: 'yes' })
  const bare = openaiModel([responsesAnswer('r1', [responsesText('Thanks.')])])
  const pair = { ...transcript, messages: transcript.messages.slice(1) }
  await new StepLoop({ model: bare.model, tools: { ask } }).generate({
    transcript: pair,
    toolOutputs: { c1: { output: 'no' } },
  })
  expect(bare.bodies[0].input.map(({ type }: Parsed) => type)).toEqual(['function_call', 'function_call_output'])
})

test('a run keeps the text that came with a call', { tags: ['L15'] }, async () => {
  const { model, bodies } = chatModel([chatAnswer('Let me see.', [zurich]), chatAnswer('Sunny.')])
  const result = await new StepLoop({ model, tools: { weather } }).generate('x')
  expect(result.toolResults).toHaveLength(1)
  expect(bodies[1].messages[1]).toMatchObject({ content: 'Let me see.', tool_calls: [{ id: 'c1' }] })
})

test('a run appends the message of the model, with its calls, before their results', { tags: ['L16'] }, async () => {
  const { model, bodies } = chatModel([chatAnswer(null, [zurich]), chatAnswer('Sunny.')])
  await new StepLoop({ model, tools: { weather } }).generate('x')
  expect(bodies[1].messages.map(({ role }: Parsed) => role)).toEqual(['user', 'assistant', 'tool'])
  expect(bodies[1].messages[1].tool_calls[0].id).toBe(bodies[1].messages[2].tool_call_id)
})

test('a run pairs results with calls by id, whatever order the tools finish in', { tags: ['L17'] }, async () => {
  const gates: (() => void)[] = []
  const slow = tool({
    inputSchema: z.object({ n: z.number() }),
    execute: ({ n }) => new Promise((resolve) => gates.push(() => resolve(`result ${n}`))),
  })
  const { loop, requests } = play([[call('slow', { n: 1 }, 'a'), call('slow', { n: 2 }, 'b')], 'Done.'], {
    tools: { slow },
  })
  const run = loop.generate('x')
  await idle()
  expect(gates).toHaveLength(2)
  gates[1]?.()
  await Promise.resolve()
  gates[0]?.()
  await run
  expect(requests[1]?.request.messages.at(-1)?.content).toMatchObject([
    { toolCallId: 'a', output: { value: 'result 1' } },
    { toolCallId: 'b', output: { value: 'result 2' } },
  ])
})

test('a run refuses two tools of one name, and a tool without any, when the loop is made', { tags: ['L18'] }, () => {
  const model = scriptedAdapter([])
  const search = { type: 'provider', provider: 'scripted', name: 'weather', definition: {} } as const
  const make = (tools: Parsed) => () => new StepLoop({ model, tools })
  expect(make({ weather, search })).toThrow(expect.objectContaining({ code: 'duplicate-tool' }))
  expect(make({ '': weather })).toThrow(expect.objectContaining({ code: 'invalid-options' }))
})

test('a stream that fails ends with its error, and with nothing after it', { tags: ['L10'] }, async () => {
  const { model } = chatModel([new Response('{"error":{"message":"oops"}}', { status: 500 })])
  const events = await eventsOf(new StepLoop({ model, maxRetries: 0 }).stream('x'))
  expect(events.at(-1)).toMatchObject({ type: 'run-error', error: { code: 'turn-failed' } })
})
