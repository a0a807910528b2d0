import type { Failure } from '../check.ts'
import type { StressCase, StressFailure, StressOutcome } from './stressor.ts'

/** More would say the same again. */
const failuresShown = 3

/** One stressor going through its variants. */
export interface VariantSearch {
  /** Whether to try this variant, which is counted then. Not when another one was asked for, nor when enough was found. */
  readonly tries: (variant: string) => boolean
  /** What a variant has shown; nothing is fine. */
  readonly found: (variant: string, failures: readonly Failure[]) => void
  /** A part of the stressor, of which nothing could be tried. */
  readonly idle: (part: string, reason: string) => void
  /** @param nothing why there was nothing to try; default: it was tried in a case before */
  readonly outcome: (nothing?: string) => StressOutcome
}

export function openSearch({ only }: Pick<StressCase, 'only'>): VariantSearch {
  const failures: StressFailure[] = []
  const idle: (readonly [part: string, reason: string])[] = []
  let variants = 0
  return {
    tries(variant) {
      if ((only !== undefined && only !== variant) || failures.length >= failuresShown) return false
      variants++
      return true
    },
    found(variant, found) {
      failures.push(...found.map((failure) => ({ ...failure, variant })))
    },
    idle: (part, reason) => void idle.push([part, reason]),
    outcome: (nothing) => ({ failures: failures.slice(0, failuresShown), variants, nothing, idle }),
  }
}
