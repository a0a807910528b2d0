import { StepLoop, toServerSentEvents } from '@steploop/core'
import { collectTurn, type TurnEvent } from '@steploop/core/adapter'
import { createOllama } from '@steploop/ollama'
import { createOpenRouter } from '@steploop/openrouter'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  broken,
  call,
  chatAnswer,
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
  type Answer,
} from './testing.ts'

const tools = [{ type: 'function', name: 'weather', inputSchema: { type: 'object' } }] as const

/** One streamed turn of Chat Completions: its events and its calls. */
async function turnOf(answer: Answer, mode: 'stream' | 'generate' = 'stream') {
  const { model } = chatModel([answer])
  const events: TurnEvent[] = []
  async function* noted(): AsyncGenerator<readonly TurnEvent[]> {
    for await (const batch of model.turn({ messages: [{ role: 'user', content: 'x' }], tools, turn: 0 }, { mode })) {
      events.push(...batch)
      yield batch
    }
  }
  const turn = await collectTurn(noted())
  const calls = turn.message.content.flatMap((part) =>
    part.type === 'tool-call' ? [[part.toolCallId, part.toolName, part.input]] : [],
  )
  return { turn, events, calls }
}

const fragment = (
  index: number | undefined,
  fields: { id?: string | null; name?: string | null; text?: string; type?: null },
) => {
  const { id, name, text, type } = fields
  const made = {
    ...(index !== undefined && { index }),
    ...(id !== undefined && { id }),
    ...(type !== undefined && { type }),
    function: { ...(name !== undefined && { name }), ...(text !== undefined && { arguments: text }) },
  }
  return { tool_calls: [made] }
}
const zurich = ['a', 'weather', { city: 'Zürich' }]
const tokyo = ['b', 'weather', { city: '東京' }]

describe('calls in a stream', () => {
  test('are told apart by the provider’s index, each with its start and deltas', { tags: ['S01'] }, async () => {
    const { calls, events } = await turnOf(
      chatStream([
        fragment(0, { id: 'a', name: 'weather', text: '' }),
        fragment(0, { text: '{"city":' }),
        fragment(1, { id: 'b', name: 'weather', text: '' }),
        fragment(1, { text: '{"city":"東' }),
        fragment(0, { text: '"Zürich"}' }),
        fragment(1, { text: '京"}' }),
      ]),
    )
    expect(calls).toEqual([zurich, tokyo])
    for (const id of ['a', 'b']) {
      const own = events.filter((event) => 'toolCallId' in event && event.toolCallId === id).map(({ type }) => type)
      expect(own).toEqual(['tool-call-start', 'tool-call-delta', 'tool-call-delta', 'tool-call'])
    }
  })

  test('go on in fragments whose id, type and name are null', { tags: ['S02'] }, async () => {
    const { calls } = await turnOf(
      chatStream([
        fragment(0, { id: 'a', name: 'weather', text: '' }),
        fragment(0, { id: null, name: null, type: null, text: '{"city":' }),
        fragment(0, { id: null, name: null, type: null, text: '"Zürich"}' }),
      ]),
    )
    expect(calls).toEqual([zurich])
  })

  test('may bring arguments before their id and name', { tags: ['S03'] }, async () => {
    const { calls, events } = await turnOf(
      chatStream([
        fragment(0, { text: '{"city":' }),
        fragment(0, { text: '"Zür' }),
        fragment(0, { id: 'a', name: 'weather' }),
        fragment(0, { text: 'ich"}' }),
      ]),
    )
    expect(calls).toEqual([zurich])
    expect(events.find(({ type }) => type === 'tool-call-start')).toMatchObject({
      toolCallId: 'a',
      toolName: 'weather',
    })
  })

  test('are one when there is one', { tags: ['S04'] }, async () => {
    const { calls, turn } = await turnOf(
      chatStream([fragment(0, { id: 'a', name: 'weather', text: '{"city":' }), fragment(0, { text: '"Zürich"}' })]),
    )
    expect([calls, turn.finishReason]).toEqual([[zurich], 'tool-calls'])
  })

  test('are the same as in an answer that comes whole', { tags: ['S05'] }, async () => {
    const both = [
      { id: 'a', name: 'weather', input: { city: 'Zürich' } },
      { id: 'b', name: 'weather', input: { city: '東京' } },
    ]
    const whole = await turnOf(chatAnswer(null, both), 'generate')
    expect([whole.calls, whole.turn.finishReason]).toEqual([[zurich, tokyo], 'tool-calls'])
  })

  const whole = '{"city":"Zürich"}'
  test.each([
    [
      'an empty id on continuations',
      [
        fragment(0, { id: 'a', name: 'weather', text: '{"city":' }),
        fragment(0, { id: '', name: '', text: '"Zürich"}' }),
      ],
    ],
    [
      'the same id in every chunk',
      [fragment(0, { id: 'a', name: 'weather', text: '{"city":' }), fragment(0, { id: 'a', text: '"Zürich"}' })],
    ],
    [
      'no index',
      [fragment(undefined, { id: 'a', name: 'weather', text: '{"city":' }), fragment(undefined, { text: '"Zürich"}' })],
    ],
    [
      'a name in pieces',
      [fragment(0, { id: 'a', name: 'wea' }), fragment(0, { name: 'ther' }), fragment(0, { text: whole })],
    ],
  ])('survive %s', { tags: ['S06'] }, async (_what, deltas) => {
    expect((await turnOf(chatStream(deltas))).calls).toEqual([zurich])
  })

  test('may share a chunk, with the finish reason in the last one and usage after it', { tags: ['S06'] }, async () => {
    const both = {
      tool_calls: [
        { index: 0, id: 'a', function: { name: 'weather', arguments: whole } },
        { index: 1, id: 'b', function: { name: 'weather', arguments: '{"city":"東京"}' } },
      ],
    }
    const usage = { prompt_tokens: 7, completion_tokens: 3 }
    const chunks = [{ choices: [{ index: 0, delta: both, finish_reason: 'tool_calls' }] }, { choices: [], usage }]
    const { calls, turn } = await turnOf(streamOf([...chunks, '[DONE]']))
    expect(calls).toEqual([zurich, tokyo])
    expect(turn.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 })
  })

  test('of a stream without its end never run', { tags: ['S06'] }, async () => {
    const { model } = chatModel([
      streamOf([{ choices: [{ index: 0, delta: fragment(0, { id: 'a', name: 'weather', text: whole }) }] }]),
    ])
    const failed = await new StepLoop({ model, tools: { weather }, maxRetries: 0 })
      .stream('x')
      .result.catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'turn-failed', cause: { code: 'incomplete-stream' } })
  })
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

describe('the events of a stream', () => {
  const script = [
    [{ type: 'reasoning', text: 'hm' } as const, say('ok'), call('time', { tz: 'CET' }), call('broken')],
    'Done.',
  ]

  test(
    'come in one order, and each call goes from queued by running to completed or failed',
    { tags: ['S08'] },
    async () => {
      const events = await eventsOf(play(script, { maxToolConcurrency: 1 }).loop.stream('x'))
      const seen = events.map((event) =>
        event.type === 'tool-state' ? `${event.toolName} ${event.state}` : event.type,
      )
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

  async function page(turns = script): Promise<string[]> {
    const text = await new Response(toServerSentEvents(play(turns).loop.stream('x'))).text()
    const names = text
      .trim()
      .split('\n\n')
      .map((event) => /^data: \{"type":"(\w+)"/.exec(event)?.[1] ?? '')
    return names.filter((name, index) => name !== names[index - 1])
  }

  test(
    'reach a page as tool_calls, then tool_executing and tool_result, then content, then done',
    { tags: ['S09'] },
    async () => {
      const names = await page([[call('time', { tz: 'CET' })], 'Done.'])
      expect(names).toEqual(['tool_calls', 'tool_executing', 'tool_result', 'content', 'done'])
    },
  )

  test('have reasoning before content and calls', { tags: ['S11'] }, async () => {
    const answer = chatStream([
      { reasoning_content: 'Zürich …' },
      { content: 'Let me see.' },
      fragment(0, { id: 'a', name: 'weather', text: '{}' }),
    ])
    const types = (await turnOf(answer)).events.map(({ type }) => type)
    const order = ['reasoning-delta', 'text-delta', 'tool-call'].map((type) => types.indexOf(type as TurnEvent['type']))
    expect(order.every((place) => place > 0)).toBe(true)
    expect(order).toEqual(order.toSorted((left, right) => left - right))
    expect((await page()).slice(0, 3)).toEqual(['reasoning', 'content', 'tool_calls'])
  })

  test('have deltas for those who stream; nobody else is bothered with them', { tags: ['S12'] }, async () => {
    const { loop, requests } = play(['Grüezi mitenand', 'Grüezi'])
    const pieces: string[] = []
    for await (const piece of loop.stream('x').textStream) pieces.push(piece)
    expect([pieces.length > 1, pieces.join('')]).toEqual([true, 'Grüezi mitenand'])
    expect((await loop.generate('x')).text).toBe('Grüezi')
    expect(requests.map(({ mode }) => mode)).toEqual(['stream', 'generate'])
  })

  test(
    'tell the results of a step before the next one begins, whatever the finish reason says',
    { tags: ['S13'] },
    async () => {
      const turns = [{ parts: [call('time', { tz: 'CET' })], finishReason: 'stop' } as const, 'Done.']
      const types = (await eventsOf(play(turns).loop.stream('x'))).map(({ type }) => type)
      const result = types.indexOf('tool-result')
      expect(result).toBeGreaterThan(types.indexOf('tool-call'))
      expect(result).toBeLessThan(types.lastIndexOf('step-start'))
    },
  )

  test('do not show the synthetic tool of a structured answer', { tags: ['S15'] }, async () => {
    const turns = [[call('time', { tz: 'CET' })], [call('output_structured_data', { ok: true })]]
    const { loop } = play(turns, { output: { schema: z.object({ ok: z.boolean() }) } })
    const events = await eventsOf(loop.stream('x'))
    expect(JSON.stringify(events.filter(({ type }) => type.startsWith('tool')))).not.toContain('output_structured_data')
    expect(events.filter(({ type }) => type === 'tool-call')).toHaveLength(1)
    const last = events.at(-1)
    expect(last?.type === 'run-end' && last.result.output).toEqual({ ok: true })
  })
})

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

test(
  'a connection that breaks amid a stream gives an error and the end, and the steps before it are kept',
  { tags: ['S14'] },
  async () => {
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
  },
)
