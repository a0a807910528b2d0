import { isDeepStrictEqual } from 'node:util'
import type { Simulator } from '@steploop/conformance/simulator'
import { z } from 'zod'
import { celsius, city, finalText, type Task } from './task.ts'

const answerSchema = z.union([
  z.object({ error: z.string() }),
  z.object({
    /** `navigator.userAgent`, in which each of the runtimes names itself. */
    agent: z.string(),
    text: z.string(),
    status: z.string(),
    steps: z.number(),
    /** Inputs that the tool ran with, in order. */
    executions: z.array(z.unknown()),
    /** Events of the loop; 0 in `generate`. */
    events: z.number(),
    textDeltas: z.number(),
  }),
])

/** What the driver saw inside the runtime. */
export type Answer = z.infer<typeof answerSchema>

export interface DrivenTask {
  readonly mode: Task['mode']
  /** What the runtime answered, unchecked. */
  readonly answer: unknown
  readonly agent: RegExp
  readonly simulator: Pick<Simulator, 'requests' | 'remaining'>
}

/** What is wrong with one task, joined; empty when the loop ran as it should, and in the runtime that was meant. */
export function judge({ mode, answer, agent, simulator }: DrivenTask): string {
  const driven = answerSchema.parse(answer)
  if ('error' in driven) return driven.error
  const facts: readonly (readonly [name: string, actual: unknown, expected: unknown])[] = [
    ['text', driven.text, finalText],
    ['status', driven.status, 'completed'],
    ['steps', driven.steps, 2],
    ['tool executions', driven.executions, [{ city }]],
    ['requests', simulator.requests.length, 2],
    ['turns that were not asked for', simulator.remaining, 0],
    ['tool result in the second request', simulator.requests[1]?.text.includes(String(celsius)), true],
    ['text in several deltas', driven.textDeltas > 1, mode === 'stream'],
    [`runtime is ${String(agent)}`, agent.test(driven.agent) || driven.agent, true],
  ]
  const wrong = facts.filter(([, actual, expected]) => !isDeepStrictEqual(actual, expected))
  return wrong.map(([name, actual, expected]) => `${name}: ${print(actual)} instead of ${print(expected)}`).join('; ')
}

function print(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}
