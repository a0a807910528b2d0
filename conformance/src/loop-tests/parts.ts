import { LoopError, type Clock, type StepLoopOptions } from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import { expect } from 'vitest'
import type { MakeWholeLoop } from '../loop.ts'

/** A call in a script. */
export const call = (toolName: string, input: Record<string, unknown> | string = {}, id?: string) =>
  ({ type: 'call', toolName, input, ...(id !== undefined && { id }) }) as const

/** A loop whose model answers so, and the model. */
export const playingWith =
  (makeLoop: MakeWholeLoop) =>
  (script: readonly ScriptedTurn[], options: Partial<StepLoopOptions> = {}) => {
    const model = scriptedAdapter(script)
    return { model, loop: makeLoop({ model, ...options }) }
  }

/** Gives up its turn until all that can go on has done so. */
export const idle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Never settles. */
export const hang = (): Promise<never> => new Promise(() => undefined)

/** Rings as soon as it can, whatever it was asked for. */
export const hasty: Clock = { now: () => 0, after: (_ms, ring) => (queueMicrotask(ring), () => undefined) }

/** Throws this. */
export const throws = (cause: unknown) => (): never => {
  throw cause
}

/** An error with this code, and with these words in its message. */
export const failing = (code: string, words: string | RegExp): unknown =>
  expect.objectContaining({
    code,
    message: typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words),
  })

/** How the run failed. */
export async function failureOf(run: Promise<unknown>): Promise<LoopError> {
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (LoopError.isInstance(error)) return error
  throw new Error('The run did not fail as a run does.', { cause: error })
}

/** Some libraries give what is no promise, such as a query that begins when it is waited for. */
export function thenable(
  executor: (resolve: (value: unknown) => void, reject: (error: Error) => void) => void,
): object {
  const made = Object.create(null) as Record<string, unknown>
  made[['th', 'en'].join('')] = executor
  return made
}
