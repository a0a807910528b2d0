import { AdapterError, LoopError, type AdapterErrorCode } from '@steploop/core'
import type { Check } from '../check.ts'
import { unless } from '../check.ts'
import type { SubjectFacts } from '../evidence.ts'

export interface ExpectedFailure {
  /** From 1. Default 1. */
  readonly run?: number | undefined
  readonly code: AdapterErrorCode
  /** The provider says something that has to be kept. Default true. */
  readonly worded?: boolean | undefined
}

/** The error of a failed run, as far as every provider agrees on it. */
export function typedFailure({ run: number = 1, code, worded = true }: ExpectedFailure): Check {
  const where = `run ${number}`
  return {
    id: 'typed',
    sentence: `The cause is an AdapterError \`${code}\` with what the provider said.`,
    judge: ({ runs }) => {
      const error = runs[number - 1]?.error
      if (!LoopError.isInstance(error)) return [{ message: 'the run did not reject with a LoopError', where }]
      const { cause } = error
      if (!AdapterError.isInstance(cause)) return [{ message: 'the cause is no AdapterError', where }]
      return [
        ...unless(cause.code === code, `the code is '${cause.code}', not '${code}'`, where),
        ...unless(!worded || (cause.providerMessage ?? '') !== '', 'the provider’s message is lost', where),
      ]
    },
  }
}

/** Asking again cannot help. */
export const notRetried: Check = {
  id: 'not-retried',
  sentence: 'A refused request is not sent again.',
  judge: ({ runs }) =>
    runs.flatMap(({ requests, number }) =>
      unless(requests.length === 1, `${requests.length} requests were made`, `run ${number}`),
    ),
}

/** How long the loop waited between attempts of the first run, in milliseconds. */
export function waits(sentence: string, holds: (waited: readonly number[], subject: SubjectFacts) => boolean): Check {
  return {
    id: 'waits',
    sentence,
    judge: ({ runs, subject }) => {
      const waited = runs[0]?.waits ?? []
      return unless(holds(waited, subject), `the waits are ${waited.join(', ') || 'none'} ms`, 'run 1')
    },
  }
}

export const waitsOnce: Check = waits(
  'The loop waits before it asks again.',
  (waited) => waited.length === 1 && (waited[0] ?? 0) > 0,
)
