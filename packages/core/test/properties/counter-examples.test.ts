import { expect, test, vi } from 'vitest'
import type { TurnEvent } from '../../src/contract/adapter.ts'
import {
  LoopError,
  StepLoop,
  tool,
  type Adapter,
  type Hooks,
  type LoopEvent,
  type RunInput,
  type Transcript,
  type LoopControl,
  type Message,
  type StepContext,
} from '../../src/index.ts'
import { fakeClock, scriptedAdapter } from '../../src/testing/index.ts'

// What the property test, or a reviewer, found: each was red before its fix.

const anything = { type: 'object' }
const echo = tool({ inputSchema: anything, execute: () => 'said' })
const call = (toolName: string, id?: string) => ({ type: 'call', toolName, input: {}, id }) as const

/** A model that never stops calling, each time something else; it gives up after 200 turns. */
function tireless(): Adapter & { readonly asked: number } {
  let asked = 0
  async function* turn(): AsyncGenerator<readonly TurnEvent[], undefined> {
    asked++
    if (asked > 200) throw new Error('asked 200 times')
    const inputText = JSON.stringify({ asked })
    const common = { part: 0, toolCallId: `c${asked}`, toolName: 'ghost', owner: 'client' } as const
    yield [{ type: 'turn-start' }, { type: 'tool-call', ...common, input: { asked }, inputText }]
    yield [{ type: 'turn-end', finishReason: 'stop' }]
  }
  return {
    provider: 'scripted',
    model: 'tireless',
    capabilities: {},
    turn,
    get asked() {
      return asked
    },
  }
}

async function eventsOf(stream: AsyncIterable<LoopEvent>): Promise<readonly LoopEvent[]> {
  const events: LoopEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

test('limits also end a run without tools whose model calls all the same', async () => {
  const model = tireless()
  const result = await new StepLoop({ model, maxSteps: 3 }).generate('x')
  expect([result.stopReason, result.steps.length, model.asked]).toEqual(['max-steps', 4, 4])
})

test('limits are not named by a run without tools that answered', async () => {
  const result = await new StepLoop({ model: scriptedAdapter(['hi']), maxSteps: 0 }).generate('x')
  expect(result.stopReason).toBe('answer')
})

test.each(['incomplete', 'throw'] as const)(
  'an object in the last turn is an answer, not a limit, with onLimit %s',
  async (onLimit) => {
    const model = scriptedAdapter([[{ type: 'call', toolName: 'output_structured_data', input: { a: 1 } }]])
    const loop = new StepLoop({ model, tools: { echo }, output: { schema: anything }, maxSteps: 0, onLimit })
    expect(await loop.generate('x')).toMatchObject({ status: 'completed', stopReason: 'answer', output: { a: 1 } })
  },
)

const read = (runs: string[]) =>
  tool({ inputSchema: anything, effect: 'read', execute: (_input, { toolCallId }) => runs.push(toolCallId) })

test('an eager tool does not start in the turn that a limit left for the answer', async () => {
  const runs: string[] = []
  const model = scriptedAdapter([[call('look', 'a')], [call('look', 'b'), call('look', 'c')]])
  await new StepLoop({ model, tools: { look: read(runs) }, eagerTools: true, maxSteps: 1 }).generate('x')
  expect(runs).toEqual(['a'])
})

test('an eager tool does not start beyond the calls that one step may run', async () => {
  const runs: string[] = []
  const model = scriptedAdapter([[call('echo', 'a'), call('look', 'b'), call('look', 'c'), call('echo', 'd')], 'done'])
  const options = { tools: { look: read(runs), echo }, eagerTools: true, maxToolCallsPerStep: 2 }
  await new StepLoop({ model, ...options }).generate('x')
  expect(runs).toEqual(['b'])
})

test('an eager tool does not start when calls before it may use up those of the run', async () => {
  const runs: string[] = []
  const model = scriptedAdapter([[call('echo', 'a'), call('look', 'b'), call('echo', 'c')], 'done'])
  const options = { tools: { look: read(runs), echo }, eagerTools: true, maxToolCalls: 1 }
  const result = await new StepLoop({ model, ...options }).generate('x')
  expect([runs, result.toolResults[0]?.output.value]).toEqual([[], 'said'])
})

test('an eager tool counts among those that run at the same time', async () => {
  let [running, most] = [0, 0]
  const execute = async (): Promise<void> => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    running--
  }
  const tools = {
    plain: tool({ inputSchema: anything, execute }),
    eager: tool({ inputSchema: anything, effect: 'read', execute }),
  }
  const calls = [call('plain', 'a'), call('eager', 'b'), call('plain', 'c')]
  const loop = new StepLoop({
    model: scriptedAdapter([calls, 'done']),
    tools,
    eagerTools: true,
    maxToolConcurrency: 1,
  })
  await loop.generate('x')
  expect(most).toBe(1)
})

test('an eager tool does not start when the step does not offer it', async () => {
  const runs: string[] = []
  const model = scriptedAdapter([[call('look'), call('echo')], 'done'])
  const options = { tools: { look: read(runs), echo }, eagerTools: true, activeTools: ['echo'] } as const
  await new StepLoop({ model, ...options }).generate('x')
  expect(runs).toEqual([])
})

test('arguments that are nested too deep for JSON are answered, and do not end the run', async () => {
  const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  const model = scriptedAdapter([[{ type: 'call', toolName: 'echo', input: deep }], 'done'])
  const running = new StepLoop({ model, tools: { echo } }).generate('x')
  const outcome = await running.then(
    ({ text, toolResults }) => [text, toolResults[0]?.output.value],
    (error: unknown) => String(error),
  )
  expect(outcome).toMatchObject(['done', { code: 'unparsable-input' }])
})

test.each(['costOf', 'denyCall', 'stopWhen'] as const)('a `%s` that throws is a failed hook', async (name) => {
  const fail = (): never => {
    throw new Error('mine')
  }
  const usage = { inputTokens: 1 }
  const model = scriptedAdapter([{ parts: [call('echo')], usage }, 'done'])
  const failed = new StepLoop({ model, tools: { echo }, [name]: fail }).generate('x')
  await expect(failed).rejects.toMatchObject({ code: 'hook-failed', message: expect.stringContaining(`\`${name}\``) })
})

test('messages of a hook are made legal before they are sent', async () => {
  const model = scriptedAdapter(['a', 'b'])
  const unanswered = {
    type: 'tool-call',
    toolCallId: 'q',
    toolName: 'echo',
    input: {},
    inputText: '{}',
    owner: 'loop',
  } as const
  const messages = [{ role: 'assistant', content: [unanswered] }] as const
  const onStepEnd = ({ steps }: StepContext): LoopControl | undefined =>
    steps.length === 1 ? { type: 'continue', messages } : undefined
  const result = await new StepLoop({ model, tools: { echo }, onStepEnd }).generate('x')
  expect(model.requests[1]?.request.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'assistant',
    'tool',
  ])
  expect(result.warnings).toMatchObject([{ type: 'repaired' }])
})

test.each(['prepareStep', 'onStepEnd'] as const)(
  'messages of `%s` that are none end the run with a name',
  async (name) => {
    // What a program without types gives.
    const messages = [null] as unknown as readonly Message[]
    const given = name === 'prepareStep' ? { messages } : { type: 'continue', messages }
    const loop = new StepLoop({ model: scriptedAdapter(['a', 'b']), [name]: () => given })
    const problem = { code: 'invalid-history', message: expect.stringMatching(`\`${name}\`.*messages\\[0\\]`) }
    await expect(loop.generate('x')).rejects.toMatchObject(problem)
  },
)

test('a `generateId` or an output schema that throws is a failed hook', async () => {
  const fail = (): never => {
    throw new Error('mine')
  }
  const model = scriptedAdapter(['{"a":1}'], { capabilities: { structured: true } })
  await expect(new StepLoop({ model, generateId: fail }).generate('x')).rejects.toMatchObject({ code: 'hook-failed' })
  const standard = { version: 1, vendor: 'test', validate: fail, jsonSchema: { input: () => anything } } as const
  const loop = new StepLoop({ model, output: { schema: { '~standard': standard } } })
  const problem = { code: 'hook-failed', message: expect.stringContaining('`output.schema`') }
  await expect(loop.generate('x')).rejects.toMatchObject(problem)
})

test('a hook that looks at nothing costs no copy of the history', async () => {
  const copiesOf = async (hooks: Hooks): Promise<number> => {
    const copies = vi.spyOn(Array.prototype, 'slice')
    const model = scriptedAdapter([[call('echo')], [call('echo')], 'done'])
    await new StepLoop({ model, tools: { echo }, ...hooks }).generate('x')
    const { contexts } = copies.mock
    const ofHistory = contexts.filter((array: unknown) => Array.isArray(array) && array[0]?.role === 'user')
    copies.mockRestore()
    return ofHistory.length
  }
  const looksAtNothing = (): undefined => undefined
  expect(await copiesOf({ onToolExecuted: looksAtNothing, onStepStart: looksAtNothing })).toBe(await copiesOf({}))
})

test('the events of a stream open no step that a hook stopped before its request', async () => {
  const model = scriptedAdapter([[call('echo')], 'done'])
  const loop = new StepLoop({
    model,
    tools: { echo },
    onStepStart: ({ step }) => (step === 1 ? { type: 'stop', reason: 'enough' } : undefined),
  })
  const types = (await eventsOf(loop.stream('x'))).map((event) => event.type)
  expect(types.filter((type) => type.startsWith('step-'))).toEqual(['step-start', 'step-end'])
})

const risky = tool({ inputSchema: anything, needsApproval: true, execute: () => 'done' })
const approvable = { echo, risky, ask: tool({ inputSchema: anything }) }
const mixed = [call('echo', 'e'), call('risky', 'r'), call('ask', 'a')]

async function suspendedRun(): Promise<Transcript> {
  const { transcript } = await new StepLoop({ model: scriptedAdapter([mixed]), tools: approvable }).generate('x')
  return JSON.parse(JSON.stringify(transcript))
}

interface FailureOptions {
  readonly signal?: AbortSignal
  readonly stream?: boolean
}

async function failureOf(given: unknown, { signal, stream }: FailureOptions = {}): Promise<LoopError> {
  const loop = new StepLoop({ model: scriptedAdapter(['done']), tools: approvable })
  // What a program without types gives.
  const input = given as RunInput
  const options = { abortSignal: signal }
  const running = stream ? loop.stream(input, options).result : loop.generate(input, options)
  const failed = await running.catch((error: unknown) => error)
  if (!LoopError.isInstance(failed)) throw new Error(`No LoopError, but ${JSON.stringify(failed)}`)
  return failed
}

const outputsOf = (transcript: Transcript | undefined): readonly unknown[] =>
  (transcript?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? message.content.map(({ output }) => output.value) : [],
  )

test('a transcript that goes on keeps its results, and what waits, when the run is aborted before it begins', async () => {
  const transcript = await suspendedRun()
  const signal = AbortSignal.abort()
  for (const failure of [
    await failureOf(transcript, { signal }),
    await failureOf(transcript, { signal, stream: true }),
  ]) {
    expect(failure.code).toBe('aborted')
    expect(outputsOf(failure.transcript)).toEqual(['said'])
    expect(failure.transcript?.pendingCalls).toEqual(transcript.pendingCalls)
  }
})

test('a transcript that goes on comes back untouched with an answer that does not fit', async () => {
  const transcript = await suspendedRun()
  const wrong = [{ a: { approved: true } }, { r: {} }, { r: null }, { r: { approved: 'yes' } }, { a: { error: 7 } }]
  for (const toolOutputs of wrong) {
    const failure = await failureOf({ transcript, toolOutputs })
    expect([failure.code, failure.transcript]).toEqual(['invalid-input', transcript])
  }
})

test('a transcript that goes on comes back untouched when an approval is for other arguments than the call has', async () => {
  const transcript = await suspendedRun()
  const pendingCalls = transcript.pendingCalls.map((pending) => ({ ...pending, input: { harmless: true } }))
  const failure = await failureOf({
    transcript: { ...transcript, pendingCalls },
    toolOutputs: { r: { approved: true } },
  })
  expect([failure.code, failure.transcript?.messages]).toEqual(['invalid-transcript', transcript.messages])
})

test('a transcript that goes on is refused when a call that has its result is pending again: it must not run twice', async () => {
  const transcript = await suspendedRun()
  const again = { toolCallId: 'e', toolName: 'echo', input: {}, reason: 'approval' } as const
  const failure = await failureOf({ ...transcript, pendingCalls: [...transcript.pendingCalls, again] })
  expect([failure.code, failure.message]).toEqual(['invalid-transcript', expect.stringContaining("'e'")])
})

test.each([null, {}, { toolCallId: 'r' }, { toolCallId: 'r', toolName: 'risky', reason: 'whim' }])(
  'a transcript that goes on is refused with a pending call that is none: %j',
  async (pending) => {
    const failure = await failureOf({ ...(await suspendedRun()), pendingCalls: [pending] })
    expect([failure.code, failure.message]).toEqual(['invalid-transcript', expect.stringContaining('pendingCalls[0]')])
  },
)

test('a transcript that goes on answers calls that are neither pending nor answered, and says so', async () => {
  const transcript = await suspendedRun()
  const model = scriptedAdapter(['done'])
  const input = { ...transcript, pendingCalls: transcript.pendingCalls.slice(1) }
  const toolOutputs = { a: { output: 'me' } }
  const result = await new StepLoop({ model, tools: approvable }).generate({ transcript: input, toolOutputs })
  expect(outputsOf(result.transcript)).toMatchObject(['said', { code: 'not-executed' }, 'me'])
  expect(result.warnings).toMatchObject([{ type: 'repaired' }])
})

test('a transcript that goes on takes `null` for absent answers and prompt', async () => {
  const transcript = { version: 1, id: 't', messages: [{ role: 'user', content: 'x' }], pendingCalls: [] }
  const loop = new StepLoop({ model: scriptedAdapter(['done']) })
  const input: unknown = { transcript, toolOutputs: null, prompt: null }
  expect((await loop.generate(input as RunInput)).messages).toHaveLength(1)
})

test.each([{ messages: [null] }, { messages: [{ role: 'tool', content: 'x' }] }, { transcript: undefined }, 7])(
  'input that is none is refused with a LoopError: %j',
  async (input) => {
    const { code, message } = await failureOf(input)
    expect([code.startsWith('invalid-'), message]).toEqual([true, expect.stringMatching(/messages\[0\]|object|number/)])
  },
)

test('the new messages of a run that ran out of time answer all calls', async () => {
  const clock = fakeClock()
  const model = scriptedAdapter([[call('echo')]])
  const onResponse = (): Promise<undefined> =>
    new Promise(() => {
      clock.advance(100)
    })
  const result = await new StepLoop({ model, tools: { echo }, clock, timeout: 100, onResponse }).generate('x')
  expect(result).toMatchObject({ status: 'incomplete', stopReason: 'timeout' })
  expect(result.messages).toEqual(result.transcript.messages.slice(1))
  expect(result.messages.at(-1)).toMatchObject({ role: 'tool', content: [{ output: { value: { code: 'aborted' } } }] })
})

test('calls that were approved with other arguments have other idempotency keys', async () => {
  const keys: string[] = []
  const keyed = tool({
    inputSchema: anything,
    needsApproval: true,
    execute: (_input, { idempotencyKey }) => keys.push(idempotencyKey),
  })
  const loop = new StepLoop({ model: scriptedAdapter([[call('keyed', 'k')], 'a', 'b', 'c']), tools: { keyed } })
  const { transcript } = await loop.generate('x')
  for (const amount of [1, 2, 2]) {
    await loop.generate({ transcript, toolOutputs: { k: { approved: true, input: { amount } } } })
  }
  expect([keys[0] === keys[1], keys[1] === keys[2]]).toEqual([false, true])
})
