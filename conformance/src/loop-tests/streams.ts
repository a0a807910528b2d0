import { expect, test } from 'vitest'
import {
  AdapterError,
  readServerSentEvents,
  tool,
  type Adapter,
  type LoopEvent,
  type Message,
  type Middleware,
} from '@steploop/core'
import { scriptedAdapter, type ScriptedPart } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { call, failing, hasty, idle } from './parts.ts'

export function testStreams(makeLoop: MakeWholeLoop): void {
  const silent: Adapter = { ...scriptedAdapter([]), turn: () => never() }

  function never(): AsyncIterable<never> {
    return { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) }
  }

  const failure = (running: Promise<unknown>): Promise<unknown> =>
    running.then(
      () => 'no failure',
      (error: unknown) => error,
    )

  test('several `next()` at once get the events in order', async () => {
    const stream = makeLoop({ model: scriptedAdapter(['hello']) }).stream('x')
    const iterator = stream[Symbol.asyncIterator]()
    const all = await Promise.all(Array.from({ length: 12 }, () => iterator.next()))
    const types = all.map((next): LoopEvent['type'] | undefined => next.value?.type)
    expect(types.slice(0, 3)).toEqual(['run-start', 'step-start', 'text-start'])
    expect(types.slice(5)).toEqual(['text-end', 'step-end', 'run-end', ...Array.from({ length: 4 }, () => undefined)])
  })

  test('a `next()` that is called while others wait comes after them', async () => {
    const stream = makeLoop({ model: scriptedAdapter(['hello']) }).stream('x')
    const iterator = stream[Symbol.asyncIterator]()
    await iterator.next()
    const first = iterator.next()
    const third = first.then(() => iterator.next())
    const second = iterator.next()
    const types = (await Promise.all([second, third])).map((next): LoopEvent['type'] | undefined => next.value?.type)
    expect(types).toEqual(['text-start', 'text-delta'])
  })

  test('an iteration gives what a generator gives: promises, of results that say whether it is done', async () => {
    const stream = makeLoop({ model: scriptedAdapter(['hello']) }).stream('x')
    const iterator = stream[Symbol.asyncIterator]()
    const over = { done: true, value: undefined }
    for (const type of ['run-start', 'step-start', 'text-start', 'text-delta']) {
      const asked = iterator.next()
      expect(asked).toBeInstanceOf(Promise)
      expect(await asked).toStrictEqual({ done: false, value: expect.objectContaining({ type }) })
    }
    const left = iterator.return?.()
    expect(left).toBeInstanceOf(Promise)
    // There was more of the text, which had come already.
    expect([await left, await iterator.next()]).toStrictEqual([over, over])
  })

  const open = { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {}, inputText: '{}' } as const
  const unanswered: readonly Message[] = [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: [{ ...open, owner: 'loop' }] },
    { role: 'user', content: 'y' },
  ]

  test.each<[string, LoopEvent['type'], object, readonly string[]]>([
    ['a warning about its input', 'warning', {}, []],
    ['a warning about an edit', 'warning', { prepareStep: () => ({ messages: unanswered }) }, []],
    ['a warning of the model', 'warning', {}, ['onStepStart', 'turn']],
    ['the end of a step', 'step-end', {}, ['onStepStart', 'turn', 'onResponse']],
  ])('a run whose reader has %s goes on when the next event is asked for', async (what, last, options, expected) => {
    const log: string[] = []
    const warnings = [{ type: 'dropped', path: 'topK', message: 'not supported' }] as const
    const model: Adapter = {
      ...scriptedAdapter([]),
      async *turn() {
        log.push('turn')
        yield [{ type: 'turn-start', ...(what === 'a warning of the model' && { warnings }) }]
        yield [{ type: 'turn-end', finishReason: 'stop' }]
      },
    }
    const names = ['onStepStart', 'onResponse', 'onStepEnd']
    const hooks = Object.fromEntries(names.map((name) => [name, () => void log.push(name)]))
    const messages = what === 'a warning about its input' ? unanswered : unanswered.slice(0, 1)
    const stream = makeLoop({ model, ...hooks, ...options }).stream({ messages })
    const iterator = stream[Symbol.asyncIterator]()
    for (let next = await iterator.next(); next.value?.type !== last; next = await iterator.next());
    await idle()
    expect(log).toEqual(expected)
    await iterator.next()
    await iterator.next()
    await idle()
    expect(log.length).toBeGreaterThan(expected.length)
  })

  test('a stream is read once', async () => {
    const stream = makeLoop({ model: scriptedAdapter(['hello']) }).stream('x')
    const iterator = stream[Symbol.asyncIterator]()
    expect(() => stream[Symbol.asyncIterator]()).toThrow(failing('invalid-input', 'Call `stream()` again'))
    while (!(await iterator.next()).done);
  })

  test('a stream has one result, however often it is asked for', async () => {
    const model = scriptedAdapter(['hello'])
    const stream = makeLoop({ model }).stream('x')
    expect(stream.result).toBe(stream.result)
    await stream.result
    expect(model.requests).toHaveLength(1)
  })

  test('a web stream begins its run when it is read, and ends with it', async () => {
    let begun = 0
    const generateId = (): string => `run-${++begun}`
    const stream = makeLoop({ model: scriptedAdapter(['hello']), generateId })
      .stream('x')
      .toReadableStream()
    await idle()
    expect(begun).toBe(0)
    const reader = stream.getReader()
    const types: string[] = []
    for (let read = await reader.read(); !read.done; read = await reader.read()) types.push(read.value.type)
    expect([types.at(0), types.at(-1)]).toEqual(['run-start', 'run-end'])
  })

  test('a web stream that is cancelled ends the run', async () => {
    const stream = makeLoop({ model: scriptedAdapter(['hello']) }).stream('x')
    const reader = stream.toReadableStream().getReader()
    await reader.read()
    await reader.cancel()
    expect(await failure(stream.result)).toMatchObject({ code: 'aborted' })
  })

  test('`steps()` asks the model as `generate()` does', async () => {
    const model = scriptedAdapter(['hello'])
    await makeLoop({ model }).steps('x').next()
    expect(model.requests.map(({ mode }) => mode)).toEqual(['generate'])
  })

  test('after an abort no further delta is reported, nor one that had come already', async () => {
    const controller = new AbortController()
    const events: LoopEvent[] = []
    const model: Adapter = {
      ...scriptedAdapter([]),
      async *turn() {
        const delta = { type: 'text-delta', part: 0, text: 'x' } as const
        yield [{ type: 'turn-start' }, { type: 'text-start', part: 0 }, ...Array.from({ length: 7 }, () => delta)]
        yield never() as never
      },
    }
    for await (const event of makeLoop({ model }).stream('x', { abortSignal: controller.signal })) {
      events.push(event)
      if (event.type === 'text-delta') controller.abort()
    }
    expect(events.map(({ type }) => type)).toEqual(['run-start', 'step-start', 'text-start', 'text-delta', 'run-error'])
  })

  test.each(['reasoning', 'tool-call'] as const)('after an abort no %s delta is reported either', async (kind) => {
    const controller = new AbortController()
    const types: string[] = []
    const parts = {
      reasoning: { type: 'reasoning', text: 'so' },
      'tool-call': { type: 'call', toolName: 'a', input: '{}' },
    }
    const model = scriptedAdapter([{ parts: [parts[kind] as ScriptedPart], hang: true }])
    for await (const { type } of makeLoop({ model }).stream('x', { abortSignal: controller.signal })) {
      types.push(type)
      if (type.endsWith('-delta')) controller.abort()
    }
    expect(types.filter((type) => type.endsWith('-delta'))).toEqual([`${kind}-delta`])
    expect(types.at(-1)).toBe('run-error')
  })

  test('a step ends with what it was, as the result has it', async () => {
    const stream = makeLoop({ model: scriptedAdapter(['hello']) }).stream('x')
    const steps: unknown[] = []
    for await (const event of stream) if (event.type === 'step-end') steps.push(event.step)
    expect(steps).toEqual((await stream.result).steps)
  })

  test('a stream of text ends with the error of the run, once its text was read', async () => {
    const error = new AdapterError({ provider: 'scripted', model: 'm', code: 'bad-request', message: 'no' })
    const model = scriptedAdapter([{ parts: [{ type: 'text', text: 'hi' }], error }])
    const stream = makeLoop({ model }).stream('x')
    const read = async (): Promise<void> => {
      for await (const _ of stream.textStream);
    }
    await expect(read()).rejects.toMatchObject({ code: 'turn-failed', cause: error, step: 0 })
  })

  test('`return()` while the next event is awaited ends the run and both promises', async () => {
    const stream = makeLoop({ model: silent }).stream('x')
    const iterator = stream[Symbol.asyncIterator]()
    for (let seen = 0; seen < 2; seen++) await iterator.next()
    const pending = iterator.next()
    await idle()
    await iterator.return?.()
    expect((await pending).done).toBe(true)
    const cause = { message: 'The consumer left the run.' }
    expect(await failure(stream.result)).toMatchObject({ code: 'aborted', cause })
  })

  test('`return()` while the next event is awaited does not wait for middleware of the run', async () => {
    const middleware: Middleware = {
      async run(_, next) {
        await next().catch(() => undefined)
        return new Promise<never>(() => undefined)
      },
    }
    const iterator = makeLoop({ model: silent, middleware }).stream('x')[Symbol.asyncIterator]()
    for (let seen = 0; seen < 2; seen++) await iterator.next()
    const pending = iterator.next()
    await idle()
    await iterator.return?.()
    expect((await pending).done).toBe(true)
  })

  test('`return()` while the next text is awaited ends the run and both promises', async () => {
    const stream = makeLoop({ model: silent }).stream('x')
    const iterator = stream.textStream[Symbol.asyncIterator]()
    const pending = iterator.next()
    await idle()
    await iterator.return?.()
    expect((await pending).done).toBe(true)
    expect(await failure(stream.result)).toMatchObject({ code: 'aborted' })
  })

  test('`return()` while the next step is awaited ends the run and both promises', async () => {
    const steps = makeLoop({ model: silent }).steps('x')
    const pending = failure(steps.next())
    await idle()
    const result = makeLoop({ model: scriptedAdapter(['x']) }).generate('x')
    expect((await steps.return(result)).done).toBe(true)
    expect(await pending).toMatchObject({ code: 'aborted' })
  })

  test('a run whose stream was left before it began makes no request', async () => {
    const model = scriptedAdapter(['hello'])
    const stream = makeLoop({ model }).stream('x')
    await stream[Symbol.asyncIterator]().return?.()
    expect(await failure(stream.result)).toMatchObject({ code: 'aborted' })
    expect(model.requests).toHaveLength(0)
  })

  test.each(['generate', 'stream', 'steps'] as const)(
    'a signal that is aborted already lets %s make no request',
    async (way) => {
      const model = scriptedAdapter(['hello'])
      let prepared = 0
      const loop = makeLoop({ model, prepareStep: () => void prepared++ })
      const options = { abortSignal: AbortSignal.abort() }
      const running = { generate: () => loop.generate('x', options), stream: () => loop.stream('x', options).result }
      const failed = await failure(way === 'steps' ? loop.steps('x', options).next() : running[way]())
      expect(failed).toMatchObject({ code: 'aborted' })
      expect([model.requests.length, prepared]).toEqual([0, 0])
    },
  )

  test('a stream of text ends with an error when text that it gave is to be forgotten', async () => {
    const error = new AdapterError({ provider: 'scripted', model: 'm', code: 'incomplete-stream' })
    const model = scriptedAdapter([{ parts: [{ type: 'text', text: 'half' }], error }, 'whole'])
    const stream = makeLoop({ model, clock: hasty }).stream('x')
    const texts: string[] = []
    const read = async (): Promise<void> => {
      for await (const text of stream.textStream) texts.push(text)
    }
    const failed = await failure(read())
    expect(texts.join('')).toBe('half')
    expect(failed).toMatchObject({ code: 'turn-failed', step: 0, cause: error })
    expect(await failure(stream.result)).toMatchObject({ code: 'aborted' })
  })

  test('throwing into a stream of text ends the run, and is what comes out', async () => {
    const stream = makeLoop({ model: silent }).stream('x')
    const texts = stream.textStream[Symbol.asyncIterator]()
    const thrown = new Error('enough')
    expect(await failure(Promise.resolve(texts.throw?.(thrown)))).toBe(thrown)
    expect(await failure(stream.result)).toMatchObject({ code: 'aborted' })
  })

  test('a stream of text goes on after a failure before the first text of a later step', async () => {
    const error = new AdapterError({ provider: 'scripted', model: 'm', code: 'overloaded' })
    const clock = { now: () => 0, after: (_ms: number, callback: () => void) => (callback(), () => undefined) }
    const look = tool({ inputSchema: { type: 'object' }, execute: () => 'seen' })
    const first = [
      { type: 'text', text: 'let me see, ' } as const,
      { type: 'call', toolName: 'look', input: {} } as const,
    ]
    const model = scriptedAdapter([first, error, 'done'])
    const stream = makeLoop({ model, tools: { look }, clock, toolTimeout: 0 }).stream('x')
    let text = ''
    for await (const piece of stream.textStream) text += piece
    expect(text).toBe('let me see, done')
  })

  test('a stream of text goes on after a failure before the first text', async () => {
    const error = new AdapterError({ provider: 'scripted', model: 'm', code: 'overloaded' })
    const stream = makeLoop({ model: scriptedAdapter([error, 'whole']), clock: hasty }).stream('x')
    let text = ''
    for await (const piece of stream.textStream) text += piece
    expect(text).toBe('whole')
  })

  test('what an adapter does after `turn-end` neither counts nor holds the loop, and it learns that the run is over', async () => {
    const signals: (AbortSignal | undefined)[] = []
    const talkative: Adapter['turn'] = async function* (_request, { signal }) {
      signals.push(signal)
      const events: unknown = [
        { type: 'turn-start' },
        { type: 'text-delta', part: 0, text: 'a' },
        { type: 'turn-end', finishReason: 'stop' },
      ]
      yield events as readonly never[]
      await new Promise(() => undefined)
    }
    const model = { ...silent, turn: talkative }
    expect((await makeLoop({ model }).generate('x')).text).toBe('a')
    expect(signals[0]?.aborted).toBe(true)
  })

  test('an aborted run ends without its reader, who is told what became of its calls before its last event', async () => {
    const controller = new AbortController()
    const hang = tool({ inputSchema: { type: 'object' }, execute: () => new Promise(() => undefined) })
    const ask = tool({ inputSchema: { type: 'object' } })
    const loop = makeLoop({ model: scriptedAdapter([[call('hang'), call('ask')]]), tools: { hang, ask } })
    const stream = loop.stream('x', { abortSignal: controller.signal })
    const reported: string[] = []
    for await (const event of stream) {
      if (event.type === 'tool-state') reported.push(`${event.toolName} ${event.state}`)
      if (event.type === 'tool-result' && event.output.type === 'error')
        reported.push(`${event.toolName} ${event.output.value.code}`)
      if (event.type === 'run-error') reported.push(event.error.code)
      if (reported.at(-1) !== 'hang running') continue
      controller.abort()
      await failure(stream.result)
    }
    const begun = ['hang queued', 'ask queued', 'hang running']
    // `ask` was not touched: it goes on waiting for the caller.
    expect(reported).toEqual([...begun, 'hang failed', 'hang aborted', 'aborted'])
    const late = loop.stream('x', { abortSignal: controller.signal })
    await late[Symbol.asyncIterator]().next()
    expect(await Promise.race([failure(late.result), idle()])).toMatchObject({ code: 'aborted' })
  })

  test('a call that a hook keeps from beginning has its result among the events', async () => {
    const look = tool({ inputSchema: { type: 'object' }, execute: () => 'seen' })
    const calls = ['a', 'b'].map((id) => call('look', {}, id))
    const stream = makeLoop({
      model: scriptedAdapter([calls]),
      tools: { look },
      maxToolConcurrency: 1,
      onToolExecuted: () => ({ type: 'stop', reason: 'enough' }),
    }).stream('x')
    const told: unknown[] = []
    for await (const event of stream) if (event.type === 'tool-result') told.push([event.toolCallId, event.output])
    const { toolResults } = await stream.result
    expect(told).toEqual(toolResults.map(({ toolCallId, output }) => [toolCallId, output]))
    expect(told).toMatchObject([
      ['a', { type: 'text' }],
      ['b', { value: { code: 'not-executed' } }],
    ])
  })

  test.each([
    ['an error page', new Response('<html>', { status: 502 }), 'bad-response'],
    ['another content type', Response.json({ error: 'no' }), 'bad-response'],
    ['no content type', new Response(new Uint8Array([1])), 'bad-response'],
    ['no body', new Response(null, { headers: { 'content-type': 'text/event-stream' } }), 'bad-response'],
    [
      'events of a failed response',
      new Response('', { status: 500, headers: { 'content-type': 'text/event-stream' } }),
      'bad-response',
    ],
    ['a connection that ends early', eventStream('data: {"type":"content","content":"a"}\n\n'), 'incomplete-stream'],
    ['what is no event', eventStream('data: hello\n\n'), 'malformed-response'],
    ['JSON that is no event', eventStream('data: 5\n\n'), 'malformed-response'],
  ])('the reader of a page throws for %s', async (_, response, code) => {
    const reading = async (): Promise<void> => {
      for await (const event of readServerSentEvents(response)) expect(event.type).toBe('content')
    }
    await expect(reading()).rejects.toMatchObject({ code })
  })

  function eventStream(text: string): Response {
    return new Response(text, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
  }
}
