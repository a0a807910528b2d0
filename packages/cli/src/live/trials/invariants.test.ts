import { LoopError, StepLoop, type LoopEvent, type RunResult } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import { expect, test } from 'vitest'
import { brokenInvariants, type RanCall } from './invariants.ts'
import { trialTools, tryRun, type Trial } from './trial.ts'

const call = { type: 'call', toolName: 'get_weather', input: { city: 'Chur' }, id: 'a' } as const

async function goodTrial(): Promise<{ readonly trial: Trial; readonly ran: readonly RanCall[] }> {
  const { tools } = trialTools()
  const model = scriptedAdapter([[call], 'Done.'])
  const trial = await tryRun({ model, tools, mode: 'stream', prompt: 'x' })
  return { trial, ran: [{ toolCallId: 'a', toolName: 'get_weather' }] }
}

const problemsOf = (trial: Trial, ran: readonly RanCall[] = []): string =>
  brokenInvariants(trial, ran, 60_000).join('; ')

test('a run that is right breaks none', async () => {
  const { trial, ran } = await goodTrial()
  expect(problemsOf(trial, ran)).toBe('')
})

test('each invariant is noticed when it is broken', async () => {
  const { trial, ran } = await goodTrial()
  const { result, events } = trial
  if (result === undefined) throw new Error('the run failed')
  const withMessages = (change: (message: RunResult['transcript']['messages'][number]) => unknown): Trial => {
    const messages = result.transcript.messages.map(change) as RunResult['transcript']['messages']
    return { ...trial, result: { ...result, transcript: { ...result.transcript, messages } } }
  }
  const cut = result.steps.map((step) => ({ ...step, finishReason: 'length' as const }))
  const invalid = withMessages((message) =>
    message.role === 'assistant'
      ? {
          ...message,
          content: message.content.map((part) =>
            part.type === 'tool-call' ? { ...part, invalid: 'truncated' } : part,
          ),
        }
      : message,
  )
  expect(problemsOf({ ...trial, took: 70_000 }, ran)).toContain('70000 ms')
  expect(problemsOf({ ...trial, events: [...events, ...events.slice(-1)] }, ran)).toContain('2 terminal events')
  expect(problemsOf({ ...trial, events: events.filter(({ type }) => type !== 'text-delta') }, ran)).toContain(
    'streamed was',
  )
  expect(
    problemsOf(
      withMessages((message) => (message.role === 'tool' ? { ...message, content: [] } : message)),
      ran,
    ),
  ).toContain('answered as')
  expect(problemsOf(trial, [...ran, ...ran])).toContain('ran twice')
  expect(problemsOf(invalid, ran)).toContain('is truncated, yet it ran')
  expect(problemsOf({ ...trial, result: { ...result, steps: cut } }, ran)).toContain('was cut, yet its last call ran')
})

test('a failure has to be a LoopError, and one of a turn an AdapterError inside', async () => {
  const failed = (error: unknown): Trial => ({ result: undefined, error, events: [] as readonly LoopEvent[], took: 1 })
  expect(problemsOf(failed(new Error('oops')))).toContain('no LoopError')
  expect(problemsOf(failed(new LoopError('turn-failed', 'x', { cause: new Error('oops') })))).toContain(
    'no AdapterError',
  )
  const aborted = await new StepLoop({ model: scriptedAdapter(['x']), maxSteps: 1 })
    .generate('x', { abortSignal: AbortSignal.abort() })
    .catch((error: unknown) => error)
  expect(problemsOf(failed(aborted))).toBe('')
})
