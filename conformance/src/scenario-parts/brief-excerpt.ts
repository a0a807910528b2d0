import { AdapterError } from '@steploop/core'
import type { Check, Failure } from '../check.ts'
import { unless } from '../check.ts'

/** In characters. */
const longestExcerpt = 200
const longestMessage = 600

/** What could not be read is shown, but not all of it: a page may have megabytes. `runs` from 1; `held`: a text that each excerpt has to hold. */
export function briefExcerpt(held: string, ...runs: readonly number[]): Check {
  return {
    id: 'brief-excerpt',
    sentence: `The error shows the beginning of what came, at most ${longestExcerpt} characters of it, and its message is no longer than ${longestMessage}.`,
    judge: (evidence) =>
      runs.flatMap((number) => excerptFailures(evidence.runs[number - 1]?.error, held, `run ${number}`)),
  }
}

function excerptFailures(error: unknown, held: string, where: string): readonly Failure[] {
  const cause = error instanceof Error ? error.cause : undefined
  if (!AdapterError.isInstance(cause)) return [{ message: 'the cause is no AdapterError', where }]
  const { excerpt = '', message } = cause
  return [
    ...unless(excerpt.includes(held), `the excerpt is '${excerpt}', without '${held}'`, where),
    ...unless(excerpt.length <= longestExcerpt, `the excerpt has ${excerpt.length} characters`, where),
    ...unless(message.length <= longestMessage, `the message has ${message.length} characters`, where),
  ]
}
