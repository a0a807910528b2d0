import { AdapterError, LoopError } from '@steploop/core'
import { errorWords, type Trial } from './trial.ts'

/** What is wrong with how a trial went; nothing when it went well. */
export type Problems = readonly string[]

export function answered({ result, error }: Trial, text: string): readonly string[] {
  if (result?.text === text) return []
  return [
    result === undefined
      ? `it failed: ${errorWords(error)}`
      : `it answered ${JSON.stringify(result.text.slice(0, 120))}`,
  ]
}

export function failedWith({ error, result }: Trial, codes: readonly string[]): readonly string[] {
  if (!LoopError.isInstance(error))
    return [`it ended by ${result?.stopReason ?? String(error)}, and should have failed`]
  const { cause, transcript } = error
  const code = AdapterError.isInstance(cause) ? cause.code : 'no AdapterError'
  const problems = codes.includes(code)
    ? []
    : [`it failed with ${code}, expected was ${codes.join(' or ')}: ${error.message}`]
  return transcript === undefined ? [...problems, 'the error has no transcript'] : problems
}

export function oneTerminal({ events }: Trial): readonly string[] {
  const count = events.filter(({ type }) => type === 'run-end' || type === 'run-error').length
  return events.length === 0 || count === 1 ? [] : [`${count} terminal events`]
}
