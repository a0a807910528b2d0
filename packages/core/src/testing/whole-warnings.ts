import type { Warning } from '../contract/events.ts'

/**
 * Gives the warnings of an encoder back as they are: each says of which kind it is, where something was lost, and what.
 *
 * @throws TypeError for one that leaves any of it out
 */
export function wholeWarnings(warnings: readonly Warning[]): readonly Warning[] {
  const torn = warnings.find(({ type, path, message }) => !type || !path || !message)
  if (torn !== undefined) throw new TypeError(`This warning is not whole: ${JSON.stringify(torn)}`)
  return warnings
}
