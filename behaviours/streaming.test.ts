import { StepLoop, toServerSentEvents } from '@steploop/core'
import { createOllama } from '@steploop/ollama'
import { createOpenRouter } from '@steploop/openrouter'
import { expect, test } from 'vitest'
import {
  broken,
  call,
  chatModel,
  chatStream,
  eventsOf,
  outcomes,
  play,
  say,
  serverOf,
  streamOf,
  time,
  weather,
} from './testing.ts'

const fragment = (index: number, { id, name, text }: { id: string; name: string; text: string }) => ({
  tool_calls: [{ index, id, function: { name, arguments: text } }],
})

test('calls are calls although the finish reason says `stop`', { tags: ['S07'] }, async () => {
  const message = {
    role: 'assistant',
    content: '',
    tool_calls: [{ function: { name: 'time', arguments: { tz: 'CET' } } }],
  }
  const answer = { model: 'm', done: true, done_reason: 'stop' }
  const { fetch } = serverOf([
    { ...answer, message },
    { ...answer, message: { role: 'assistant', content: 'Noon.' } },
  ])
  const result = await new StepLoop({ model: createOllama({ fetch })('qwen3'), tools: { time } }).generate('x')
  expect(result.steps.map(({ finishReason, rawFinishReason }) => [finishReason, rawFinishReason])).toEqual([
    ['tool-calls', 'stop'],
    ['stop', 'stop'],
  ])
  expect(outcomes(result.toolResults)).toEqual(['noon in CET'])
})

const script = [
  [{ type: 'reasoning', text: 'hm' } as const, say('ok'), call('time', { tz: 'CET' }), call('broken')],
  'Done.',
]

test(
  'the events of a stream come in one order: queued, running, completed or failed',
  { tags: ['S08', 'D18'] },
  async () => {
    const events = await eventsOf(play(script, { maxToolConcurrency: 1 }).loop.stream('x'))
    const seen = events.map((event) => (event.type === 'tool-state' ? `${event.toolName} ${event.state}` : event.type))
    const unique = seen.filter((name, index) => name !== seen[index - 1])
    expect(unique).toEqual([
      'run-start',
      'step-start',
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-end',
      'tool-call-start',
      'tool-call-delta',
      'tool-call',
      'tool-call-start',
      'tool-call-delta',
      'tool-call',
      'time queued',
      'broken queued',
      'time running',
      'time completed',
      'tool-result',
      'broken running',
      'broken failed',
      'tool-result',
      'step-end',
      'step-start',
      'text-start',
      'text-delta',
      'text-end',
      'step-end',
      'run-end',
    ])
  },
)

test(
  'the events of a stream have deltas for those who stream; nobody else is bothered with them',
  { tags: ['S12'] },
  async () => {
    const { loop, requests } = play(['Grüezi mitenand', 'Grüezi'])
    const pieces: string[] = []
    for await (const piece of loop.stream('x').textStream) pieces.push(piece)
    expect([pieces.length > 1, pieces.join('')]).toEqual([true, 'Grüezi mitenand'])
    expect((await loop.generate('x')).text).toBe('Grüezi')
    expect(requests.map(({ mode }) => mode)).toEqual(['stream', 'generate'])
  },
)

test('an error that OpenRouter puts into the last chunk of a stream is an error', { tags: ['S10'] }, async () => {
  const error = { code: 502, message: 'Provider disconnected' }
  const chunks = [
    { id: 'g', choices: [{ index: 0, delta: { content: 'Zür' }, finish_reason: null }] },
    { id: 'g', error, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] },
  ]
  const { fetch } = serverOf([streamOf(chunks)])
  const model = createOpenRouter({ apiKey: 'k-1234', fetch })('some/model')
  const events = await eventsOf(new StepLoop({ model, maxRetries: 0 }).stream('x'))
  expect(events.at(-1)).toMatchObject({
    type: 'run-error',
    error: { cause: { providerMessage: 'Provider disconnected' } },
  })
  expect(events.filter(({ type }) => type === 'run-error' || type === 'run-end')).toHaveLength(1)
})

test('a stream that breaks gives an error and the end, and keeps its steps', { tags: ['S14'] }, async () => {
  const cut = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(streamOf([{ choices: [{ index: 0, delta: { content: 'Zür' } }] }])))
    },
    pull(controller) {
      controller.error(new TypeError('terminated'))
    },
  })
  const calls = chatStream([fragment(0, { id: 'a', name: 'weather', text: '{"city":"Zürich"}' })])
  const broke = (): Response => new Response(cut, { headers: { 'content-type': 'text/event-stream' } })
  const { model } = chatModel([calls, broke()])
  const stream = new StepLoop({ model, tools: { weather, broken }, maxRetries: 0 }).stream('x')
  const names = (await new Response(toServerSentEvents(stream)).text()).match(/(?<=^data: \{"type":")\w+/gm)
  expect(names?.slice(-3)).toEqual(['content', 'error', 'done'])
  const error = await stream.result.catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    cause: { code: 'incomplete-stream', cause: new TypeError('terminated') },
    transcript: { messages: [{}, {}, { role: 'tool' }] },
  })
})
