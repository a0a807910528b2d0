import {
  tool,
  type Hooks,
  type LoopControl,
  type Message,
  type StepContext,
  type StepLoopOptions,
} from '@steploop/core'
import { fakeClock } from '@steploop/core/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, play, say } from './testing.ts'

const noon = call('time', { tz: 'CET' }, 't1')
const script = [[say('Let me see.'), noon, call('weather', { city: 'A' }, 'w1')], 'Done.']
const names = ['onStepStart', 'onResponse', 'onToolExecuted', 'onStepEnd'] as const

function once(name: keyof Hooks, control: LoopControl): Partial<StepLoopOptions> {
  return { [name]: () => control }
}

test(
  'hooks may let the run go on, stop it, or give an answer of their own, each of them',
  { tags: ['K02'] },
  async () => {
    for (const name of names) {
      const on = await play(script, once(name, { type: 'continue' })).loop.generate('x')
      expect([on.text, on.stopReason]).toEqual(['Done.', 'answer'])
      const stopped = await play(script, once(name, { type: 'stop', reason: 'enough' })).loop.generate('x')
      expect([name, stopped.stopReason, stopped.stopDetail]).toEqual([name, 'hook', 'enough'])
      const own = await play(script, once(name, { type: 'override', response: 'Mine.' })).loop.generate('x')
      expect([own.text, own.messages.at(-1)]).toMatchObject([
        'Mine.',
        { role: 'assistant', content: [{ text: 'Mine.' }] },
      ])
      const paired = own.transcript.messages.flatMap(({ role, content }) => (role === 'tool' ? content : []))
      expect(paired).toHaveLength(name === 'onStepStart' ? 0 : 2)
    }
  },
)

test('hooks see the step as a copy that later steps leave alone', { tags: ['K03'] }, async () => {
  const seen: { context: StepContext; messages: readonly Message[] }[] = []
  await play(script, {
    onStepEnd: (context) => {
      const { messages } = context
      seen.push({ context, messages })
      Reflect.apply(Array.prototype.push, context.messages, [{ role: 'user', content: 'Smuggled in.' }])
    },
  }).loop.generate('x')
  const [first, second] = seen
  expect(first?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  expect(second?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(first?.context).toMatchObject({
    request: { tools: expect.arrayContaining([expect.objectContaining({ name: 'time' })]) },
    response: { role: 'assistant' },
    transcript: { version: 1 },
    model: { model: 'scripted-1' },
    tools: { time: { type: 'function' } },
  })
  expect(first?.context.steps[0]?.toolResults).toHaveLength(2)
})

test('hooks of a tool see what the model was asked and answered, too', { tags: ['K03'] }, async () => {
  const seen: (readonly [string, number | undefined, string | undefined])[] = []
  const note = (name: string) => (context: StepContext) =>
    void seen.push([name, context.request?.messages.length, context.response?.role])
  await play(script, { onToolStart: note('start'), onToolExecuted: note('end') }).loop.generate('x')
  expect(seen).toEqual(
    expect.arrayContaining([
      ['start', 1, 'assistant'],
      ['end', 1, 'assistant'],
    ]),
  )
  expect(seen).toHaveLength(4)
})

test('hooks are all that metrics need: usage, time and outcome of every step', { tags: ['K05'] }, async () => {
  const clock = fakeClock(0)
  const lines: unknown[] = []
  const slow = tool({ inputSchema: z.object({}), execute: () => clock.advance(40) })
  let started = 0
  const usage = { inputTokens: 5, outputTokens: 2 }
  await play(
    [
      { parts: [call('slow')], usage },
      { parts: [say('Done.')], usage },
    ],
    {
      tools: { slow },
      clock,
      onStepStart: () => {
        started = clock.now()
      },
      onStepEnd: ({ step, steps }) =>
        void lines.push([step, clock.now() - started, steps.at(-1)?.usage, steps.at(-1)?.finishReason]),
    },
  ).loop.generate('x')
  expect(lines).toEqual([
    [1, 40, usage, 'tool-calls'],
    [2, 0, usage, 'stop'],
  ])
})

test('a run can be left anywhere: by a hook, amid an iteration, between steps', { tags: ['K06'] }, async () => {
  const early = play(script, { onStepStart: () => ({ type: 'stop', reason: 'closed' }) })
  expect((await early.loop.generate('x')).stopReason).toBe('hook')
  expect(early.requests).toHaveLength(0)
  const iterated = play(script)
  const stream = iterated.loop.stream('x')
  for await (const event of stream) if (event.type === 'tool-call-start') break
  await expect(stream.result).rejects.toMatchObject({ code: 'aborted' })
  const stepped = play(script)
  for await (const step of stepped.loop.steps('x')) if (step.number === 0) break
  expect([iterated.requests.length, stepped.requests.length]).toEqual([1, 1])
})

const ran: unknown[] = []
const restart = tool({
  inputSchema: z.object({ job: z.string(), gb: z.number() }),
  needsApproval: ({ gb }) => gb > 128,
  execute: (input) => {
    ran.push(input)
    return 'restarted'
  },
})
const big = (id: string) => call('restart', { job: id, gb: 256 }, id)

/** A run that waits for the approval of two calls, and the loop that it goes on with. */
async function waiting() {
  ran.length = 0
  const { loop } = play([[big('a'), big('b'), call('restart', { job: 'c', gb: 1 }, 'c')], 'Done.'], {
    tools: { restart },
  })
  const { transcript, status, stopReason } = await loop.generate('x')
  return { loop, transcript, status, stopReason }
}

test('an approval is given per call, with other arguments too, or for all by `*`', { tags: ['K04'] }, async () => {
  const { loop, transcript } = await waiting()
  const toolOutputs = { b: { approved: true, input: { job: 'b', gb: 64 } }, '*': { approved: true } } as const
  const result = await loop.generate({ transcript, toolOutputs })
  expect([result.text, ran.slice(1)]).toEqual([
    'Done.',
    [
      { job: 'a', gb: 256 },
      { job: 'b', gb: 64 },
    ],
  ])
})
