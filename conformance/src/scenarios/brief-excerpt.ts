import { AdapterError } from '@steploop/core'
import type { Check } from '../check.ts'
import { unless } from '../check.ts'

export interface ExpectedExcerpt {
  /** From 1. */
  readonly run: number
  /** A text that the excerpt has to hold. */
  readonly begins: string
}

/** In characters. */
const longestExcerpt = 200
const longestMessage = 600

/** What could not be read is shown, but not all of it: a page may have megabytes. */
export function briefExcerpt({ run: number, begins }: ExpectedExcerpt): Check {
  const where = `run ${number}`
  return {
    id: `excerpt-of-run-${number}`,
    sentence: `The error shows the beginning of what came, at most ${longestExcerpt} characters of it, and so does its message.`,
    judge: ({ runs }) => {
      const error: unknown = runs[number - 1]?.error
      const cause = error instanceof Error ? error.cause : undefined
      if (!AdapterError.isInstance(cause)) return [{ message: 'the cause is no AdapterError', where }]
      const { excerpt = '', message } = cause
      return [
        ...unless(excerpt.includes(begins), `the excerpt is '${excerpt}', without '${begins}'`, where),
        ...unless(excerpt.length <= longestExcerpt, `the excerpt has ${excerpt.length} characters`, where),
        ...unless(message.length <= longestMessage, `the message has ${message.length} characters`, where),
      ]
    },
  }
}
