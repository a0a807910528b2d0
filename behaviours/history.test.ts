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
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  anthropicAnswer,
  anthropicCall,
  anthropicModel,
  call,
  eventsOf,
  namedStream,
  openaiModel,
  play,
  responsesAnswer,
  responsesCall,
  responsesText,
  time,
  type Parsed,
} from './testing.ts'

const user: Message = { role: 'user', content: 'Weather?' }
const done = responsesAnswer('r9', [responsesText('Done.')])

const answers = [responsesAnswer('resp_1', [responsesCall('c1', 'time', { tz: 'CET' })]), done]

test(
  'what the provider keeps is nothing for providers without such a thing, which get the whole history',
  { tags: ['H06'] },
  async () => {
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
  },
)

test('what the provider keeps is named in a stream too', { tags: ['H07'] }, async () => {
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

test(
  'what the provider keeps is left when the history was edited or another model asked',
  { tags: ['H08'] },
  async () => {
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
  },
)

test('a run writes into nothing that it was given; its transcript comes at the end', { tags: ['H04'] }, async () => {
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
})

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

test(
  'reasoning goes back with its signature, byte by byte, before the call that it led to',
  { tags: ['H09'] },
  async () => {
    const { model, bodies } = anthropicModel([turn, namedStream([{ type: 'message_start' }, { type: 'message_stop' }])])
    await new StepLoop({ model, tools: { time } }).stream('x').result
    expect(bodies[1].messages[1].content).toEqual([
      thought,
      { type: 'tool_use', id: 'c1', name: 'time', input: { tz: 'CET' } },
    ])
  },
)

test('reasoning survives being stored: the next request is the same as without', { tags: ['H10'] }, async () => {
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

test('a transcript tells its final message, its calls with results, its iterations', { tags: ['H12'] }, async () => {
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
})

test('a transcript tells what people may read: no hidden call, the object as JSON', { tags: ['H12'] }, async () => {
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
})
