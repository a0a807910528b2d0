import {
  finalMessage,
  iterations,
  StepLoop,
  toolInvocations,
  visibleMessages,
  type Message,
  type Transcript,
} from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import { createXai } from '@steploop/xai'
import { describe, expect, test } from 'vitest'
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
  namedStream,
  openaiModel,
  play,
  responsesAnswer,
  responsesCall,
  responsesText,
  serverOf,
  time,
  weather,
  type Parsed,
} from './testing.ts'

const user: Message = { role: 'user', content: 'Weather?' }
const done = responsesAnswer('r9', [responsesText('Done.')])

/** Ids of the calls and of the outputs in a body of the Responses API. */
function pairsIn(body: Parsed): { calls: string[]; outputs: string[] } {
  const ids = (type: string): string[] =>
    body.input.filter((item: Parsed) => item.type === type).map((item: Parsed) => item.call_id)
  return { calls: ids('function_call'), outputs: ids('function_call_output') }
}

describe('calls and results', () => {
  test('go out in pairs, whatever the history was that came in', { tags: ['H01'] }, async () => {
    const made = (id: string) =>
      ({ type: 'tool-call', toolCallId: id, toolName: 'weather', input: {}, inputText: '{}', owner: 'client' }) as const
    const got = (id: string) =>
      ({ type: 'tool-result', toolCallId: id, toolName: 'weather', output: { type: 'text', value: 'ok' } }) as const
    const messages: readonly Message[] = [
      user,
      { role: 'assistant', content: [made('a'), made('b')] },
      { role: 'tool', content: [got('stranger'), got('b')] },
      user,
    ]
    const { model, bodies } = openaiModel([done])
    const result = await new StepLoop({ model, tools: { weather } }).generate({ messages })
    const { calls, outputs } = pairsIn(bodies[0])
    expect(calls).toHaveLength(2)
    expect(outputs).toEqual(calls)
    expect(result.warnings.filter(({ type }) => type === 'repaired')).toHaveLength(2)
  })

  test('of a mixed batch stay together when the caller answers its part', { tags: ['H01'] }, async () => {
    const both = [responsesCall('c1', 'ask', { question: '?' }), responsesCall('c2', 'time', { tz: 'CET' })]
    const { model, bodies } = openaiModel([responsesAnswer('r1', both), done])
    const loop = new StepLoop({ model, tools: { ask, time } })
    const { transcript } = await loop.generate('x')
    await loop.generate({ transcript, toolOutputs: { c1: { output: 'yes' } } })
    expect(pairsIn(bodies[1])).toEqual({ calls: ['c1', 'c2'], outputs: ['c1', 'c2'] })
  })

  test(
    'calls of a suspended run that the user left are answered with a placeholder when they go on',
    { tags: ['H02'] },
    async () => {
      const { loop, requests } = play([[call('ask', { question: '?' }, 'q')], 'Done.'])
      const { transcript } = await loop.generate('x')
      const result = await loop.generate({ transcript, prompt: 'Never mind.' })
      expect([result.status, result.text]).toEqual(['completed', 'Done.'])
      const sent = requests[1]?.request.messages.slice(-2)
      expect(sent).toMatchObject([
        { role: 'tool', content: [{ toolCallId: 'q', output: { value: { code: 'not-executed' } } }] },
        { role: 'user', content: 'Never mind.' },
      ])
    },
  )

  test(
    'have a message of their own per result in Chat Completions, and the message of the calls has no text',
    { tags: ['H13'] },
    async () => {
      const calls = [
        { id: 'c1', name: 'weather', input: { city: 'A' } },
        { id: 'c2', name: 'time', input: { tz: 'B' } },
      ]
      const { model, bodies } = chatModel([chatAnswer(null, calls), chatAnswer('Done.')])
      await new StepLoop({ model, tools: { weather, time } }).generate('x')
      const [, assistant, ...results] = bodies[1].messages
      expect(assistant.content).toBeNull()
      expect(results.map(({ role, tool_call_id: id }: Parsed) => [role, id])).toEqual([
        ['tool', 'c1'],
        ['tool', 'c2'],
      ])
    },
  )
})

describe('what the provider keeps', () => {
  const answers = [responsesAnswer('resp_1', [responsesCall('c1', 'time', { tz: 'CET' })]), done]

  test('is named by its id, and only what is new is sent', { tags: ['H05'] }, async () => {
    const xai = serverOf(answers)
    const openai = openaiModel(answers, { store: true })
    const models = [openai.model, createXai({ apiKey: 'k-1234', fetch: xai.fetch, store: true })('grok-4')]
    for (const model of models) await new StepLoop({ model, tools: { time } }).generate('x')
    for (const [, body] of [openai.bodies, xai.bodies]) {
      expect(body.previous_response_id).toBe('resp_1')
      expect(body.input).toMatchObject([{ type: 'function_call_output', call_id: 'c1', output: 'noon in CET' }])
    }
  })

  test('is nothing for providers without such a thing, which get the whole history', { tags: ['H06'] }, async () => {
    const { model, bodies } = anthropicModel([
      anthropicAnswer([anthropicCall('c1', 'time', { tz: 'CET' })], 'tool_use'),
      anthropicAnswer([{ type: 'text', text: 'Noon.' }]),
    ])
    await new StepLoop({ model, tools: { time } }).generate('x')
    expect(bodies[1].messages.map(({ role }: Parsed) => role)).toEqual(['user', 'assistant', 'user'])
    const stateless = scriptedAdapter([{ parts: [call('time', { tz: 'CET' })], responseId: 'r1' }, 'Noon.'])
    await new StepLoop({ model: stateless, tools: { time } }).generate('x')
    expect(stateless.requests[1]?.request.continuation).toBeUndefined()
    expect(stateless.requests[1]?.request.messages).toHaveLength(3)
  })

  test('is named in a stream too', { tags: ['H07'] }, async () => {
    const item = {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'c1',
      name: 'time',
      arguments: '{"tz":"CET"}',
      status: 'completed',
    }
    const stream = namedStream([
      { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } } as { type: string },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } } as { type: string },
      {
        type: 'response.function_call_arguments.done',
        output_index: 0,
        item_id: 'fc_1',
        arguments: item.arguments,
      } as { type: string },
      { type: 'response.output_item.done', output_index: 0, item } as { type: string },
      { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [item] } } as {
        type: string
      },
    ])
    const text = { type: 'response.completed', response: { id: 'resp_2', status: 'completed', output: [] } }
    const { model, bodies } = openaiModel([stream, namedStream([text])], { store: true })
    const events = await eventsOf(new StepLoop({ model, tools: { time } }).stream('x'))
    const ids = events.flatMap((event) => (event.type === 'step-end' ? [event.step.responseId] : []))
    expect(ids).toEqual(['resp_1', 'resp_2'])
    expect(bodies[1].previous_response_id).toBe('resp_1')
  })

  test('is left when the history was edited or another model asked', { tags: ['H08'] }, async () => {
    const capabilities = { tools: true, continuation: true }
    const script = [{ parts: [call('time', { tz: 'CET' })], responseId: 'r1' }, 'Noon.']
    const asked = async (edit: (messages: readonly Message[]) => object) => {
      const model = scriptedAdapter(script, { capabilities })
      const other = scriptedAdapter(['Noon.'], { capabilities, model: 'other' })
      const loop = new StepLoop({
        model,
        tools: { time },
        prepareStep: ({ step, messages }) =>
          step === 1 ? { ...edit(messages), ...('model' in edit(messages) && { model: other }) } : undefined,
      })
      await loop.generate('x')
      return [...model.requests.slice(1), ...other.requests].map(({ request }) => [
        request.continuation?.from,
        request.messages.length,
      ])
    }
    expect(await asked(() => ({}))).toEqual([[2, 3]])
    expect(await asked((messages) => ({ messages: messages.slice() }))).toEqual([[undefined, 3]])
    expect(await asked(() => ({ model: 'other' }))).toEqual([[undefined, 3]])
    const unstored = openaiModel(answers, { store: false })
    await new StepLoop({ model: unstored.model, tools: { time } }).generate('x')
    expect(unstored.bodies[1].input).toHaveLength(3)
  })
})

test(
  'a run writes nothing, not even into what it was given; its transcript comes once, at the end',
  { tags: ['H04'] },
  async () => {
    const { loop } = play([[call('time', { tz: 'CET' })], 'Noon.', 'Evening.'])
    const given: Message[] = [{ ...user }]
    const events = await eventsOf(loop.stream({ messages: given }))
    expect(given).toEqual([user])
    const kept = events.flatMap((event) => (event.type === 'run-end' ? [event.result.transcript] : []))
    expect(kept).toHaveLength(1)
    const [transcript] = kept
    const before = JSON.stringify(transcript)
    await loop.generate({ transcript: transcript!, prompt: 'And later?' })
    expect(JSON.stringify(transcript)).toBe(before)
  },
)

describe('reasoning', () => {
  const thought = { type: 'thinking', thinking: 'Zürich, 東京 …', signature: 'c2lnbmF0dXJl/+==' }
  const turn = namedStream(
    [
      {
        type: 'message_start',
        message: { id: 'm1', role: 'assistant', model: 'claude-1', content: [], usage: { input_tokens: 3 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Zürich, ' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: '東京 …' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: thought.signature } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'c1', name: 'time', input: {} } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"tz":"CET"}' } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ].map((event): { type: string } => event),
  )
  const end = anthropicAnswer([{ type: 'text', text: 'Noon.' }])

  test('goes back with its signature, byte by byte, before the call that it led to', { tags: ['H09'] }, async () => {
    const { model, bodies } = anthropicModel([turn, namedStream([{ type: 'message_start' }, { type: 'message_stop' }])])
    await new StepLoop({ model, tools: { time } }).stream('x').result
    expect(bodies[1].messages[1].content).toEqual([
      thought,
      { type: 'tool_use', id: 'c1', name: 'time', input: { tz: 'CET' } },
    ])
  })

  test('survives being stored: the next request is the same as without', { tags: ['H10'] }, async () => {
    const whole = anthropicModel([turn, namedStream([{ type: 'message_start' }, { type: 'message_stop' }])])
    await new StepLoop({ model: whole.model, tools: { time } }).stream('x').result
    const { execute: _execute, ...waiting } = time
    const paused = anthropicModel([turn, end])
    const loop = new StepLoop({ model: paused.model, tools: { time: waiting } })
    const { transcript } = await loop.stream('x').result
    const stored: Transcript = JSON.parse(JSON.stringify(transcript))
    await loop.generate({ transcript: stored, toolOutputs: { c1: { output: 'noon in CET' } } })
    expect(paused.bodies[1].messages).toEqual(whole.bodies[1].messages)
    expect(JSON.stringify(paused.bodies[1].messages)).toContain(thought.signature)
  })
})

test('a run with tools can be streamed', { tags: ['H11'] }, async () => {
  const delta = {
    tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'time', arguments: '{"tz":"CET"}' } }],
  }
  const chunk = (fields: object, finish: string | null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })}\n\n`
  const { model, bodies } = chatModel([
    chunk(delta, 'tool_calls') + 'data: [DONE]\n\n',
    chunk({ content: 'Noon.' }, 'stop'),
  ])
  const result = await new StepLoop({ model, tools: { time } }).stream('x').result
  expect([result.text, result.toolResults.length]).toEqual(['Noon.', 1])
  expect(bodies.map(({ stream }) => stream)).toEqual([true, true])
})

test('the record of a run is frozen: messages, calls and steps stay as they are', { tags: ['H12'] }, async () => {
  const { loop } = play([[call('time', { tz: 'CET' })], 'Noon.'])
  const { transcript, steps, messages } = await loop.generate('x')
  const things = [
    transcript,
    ...transcript.messages,
    ...messages.map(({ content }) => content),
    steps,
    ...steps,
    messages,
  ]
  expect(things.every((thing) => Object.isFrozen(thing))).toBe(true)
  const add = (): void => void (transcript.messages as Message[]).push(user)
  expect(add).toThrow(TypeError)
  expect(transcript.messages.at(-1)).toMatchObject({ role: 'assistant', content: [{ text: 'Noon.' }] })
  expect(steps.flatMap(({ toolCalls }) => toolCalls)).toHaveLength(1)
})

test(
  'a transcript tells its final message, its calls with what came of them, and its iterations',
  { tags: ['H12'] },
  async () => {
    const { loop } = play([[call('time', { tz: 'CET' })], 'Noon.', [call('ask', { question: '?' })]])
    const first = await loop.generate('x')
    const { transcript } = await loop.generate({ transcript: first.transcript, prompt: 'Ask me.' })
    const stored = JSON.parse(JSON.stringify(transcript))
    expect(finalMessage(first.transcript)).toEqual(first.messages.at(-1))
    expect(toolInvocations(stored)).toMatchObject([
      { call: { toolName: 'time', input: { tz: 'CET' } }, result: { output: { value: 'noon in CET' } } },
      { call: { toolName: 'ask' }, result: undefined },
    ])
    expect([iterations(first.transcript), iterations(stored)]).toEqual([2, 3])
    const typed = play([[call('output_structured_data', { city: 'Paris' })]], {
      output: { schema: { type: 'object' } },
    })
    expect(toolInvocations((await typed.loop.generate('x')).transcript)).toEqual([])
  },
)

test(
  'a transcript tells what people may read: no hidden call, none of the loop’s own words, the object as JSON',
  { tags: ['H12'] },
  async () => {
    const give = (city: unknown) => call('output_structured_data', { city })
    const output = { schema: z.object({ city: z.string() }) }
    const { loop } = play(
      [[{ type: 'text', text: 'Let me see.' }, call('time', { tz: 'CET' })], [give(1)], 'Hm.', [give('Paris')]],
      {
        output: { ...output, maxRepairs: 2 },
      },
    )
    const stored: Transcript = JSON.parse(JSON.stringify((await loop.generate('Where?')).transcript))
    const shown = visibleMessages(stored)
    expect(shown.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'assistant'])
    expect(JSON.stringify(shown)).not.toContain('output_structured_data')
    expect(shown.at(-1)).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: '{"city":"Paris"}' }] })
    expect(shown.slice(0, 3)).toEqual(stored.messages.slice(0, 3))
  },
)
