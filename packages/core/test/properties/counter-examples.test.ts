import { assert, expect, test, vi } from 'vitest'
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

test('an eager tool does not start when the step does not offer it', async () => {
  const execute = vi.fn()
  const look = tool({ inputSchema: anything, effect: 'read', execute })
  const model = scriptedAdapter([[call('look'), call('echo')], 'done'])
  await new StepLoop({ model, tools: { look, echo }, eagerTools: true, activeTools: ['echo'] }).generate('x')
  expect(execute).not.toHaveBeenCalled()
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

test('a `stopWhen` that throws is a failed hook', async () => {
  const stopWhen = (): never => {
    throw new Error('mine')
  }
  const failed = new StepLoop({ model: scriptedAdapter([[call('echo')], 'done']), tools: { echo }, stopWhen }).generate(
    'x',
  )
  const problem = { code: 'hook-failed', message: expect.stringContaining('`stopWhen`') }
  await expect(failed).rejects.toMatchObject(problem)
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

const outputsOf = (transcript: Transcript | undefined): readonly unknown[] =>
  (transcript?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? message.content.map(({ output }) => output.value) : [],
  )

test('a transcript that goes on keeps its results, and what waits, when the run is aborted before it begins', async () => {
  const { transcript } = await new StepLoop({ model: scriptedAdapter([mixed]), tools: approvable }).generate('x')
  const loop = new StepLoop({ model: scriptedAdapter(['done']), tools: approvable })
  const options = { abortSignal: AbortSignal.abort() }
  for (const run of [() => loop.generate(transcript, options), () => loop.stream(transcript, options).result]) {
    const failure: unknown = await run().catch((error: unknown) => error)
    assert(LoopError.isInstance(failure))
    expect([failure.code, outputsOf(failure.transcript)]).toEqual(['aborted', ['said']])
    expect(failure.transcript?.pendingCalls).toEqual(transcript.pendingCalls)
  }
})

test('a transcript that goes on takes `null` for absent answers and prompt', async () => {
  const transcript = { version: 1, id: 't', messages: [{ role: 'user', content: 'x' }], pendingCalls: [] }
  const loop = new StepLoop({ model: scriptedAdapter(['done']) })
  const input: unknown = { transcript, toolOutputs: null, prompt: null }
  expect((await loop.generate(input as RunInput)).messages).toHaveLength(1)
})

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
