import type { Verdict } from '@steploop/conformance/cli'

export interface VerdictWords {
  readonly sign: string
  /** Word as the reader says it. */
  readonly word: string
  readonly meaning: string
  /** Whether it is unexpected. */
  readonly unexpected: boolean
}

/** In the order in which they are listed. */
export const verdictWords: Readonly<Record<Verdict, VerdictWords>> = {
  fail: { sign: '✗', word: 'fail', meaning: 'a check does not hold', unexpected: true },
  'harness-error': { sign: '‼', word: 'harness error', meaning: 'the suite itself failed', unexpected: true },
  'unexpected-pass': {
    sign: '!',
    word: 'unexpected pass',
    meaning: 'listed as failing, but it passes',
    unexpected: true,
  },
  'known-failure': {
    sign: '~',
    word: 'known failure',
    meaning: 'it fails, as known-failures.yaml says',
    unexpected: false,
  },
  pass: { sign: '✓', word: 'pass', meaning: 'every check holds, under all stressors', unexpected: false },
  'not-applicable': { sign: '–', word: 'not applicable', meaning: 'a declared capability says no', unexpected: false },
}

const verdictNames: readonly Verdict[] = [
  'fail',
  'harness-error',
  'unexpected-pass',
  'known-failure',
  'pass',
  'not-applicable',
]

/** Every verdict, the worst first. */
export const verdicts = verdictNames

const numbers = new Intl.NumberFormat('en')

/** `1 case`, `2 cases`, `1,234 cases`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${numbers.format(count)} ${count === 1 ? one : many}`
}

/** `987`, `1.2k`, `12k`: for narrow columns. */
export function brief(count: number): string {
  if (count < 1000) return String(count)
  return `${(count / 1000).toFixed(count < 10_000 ? 1 : 0).replace('.0', '')}k`
}

export function bytesText(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`
}

export function secondsText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** `today`, `1 day old`, `90 days old`: how old something was at the day of the report; `''` when a date is missing. */
export function ageText(date: string, today: string | undefined): string {
  const days = Math.round((Date.parse(today ?? '') - Date.parse(date)) / 86_400_000)
  if (Number.isNaN(days)) return ''
  return days <= 0 ? 'of the same day' : `${counted(days, 'day')} old`
}
