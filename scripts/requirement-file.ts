import { mkdirSync, writeFileSync } from 'node:fs'
import { requirementChanges, requirementsNow, shippedRequirements } from '@steploop/conformance/cli'

/**
 * Writes the requirement set of `today` (`YYYY-MM-DD`) when the suite asks for something else than the newest one in the folder. A set of
 * today is replaced; those of past days are never touched, for claims name them.
 *
 * @returns what was done, in a sentence
 * @throws Error when the newest set is of a day to come: the clock is wrong
 */
export function writeRequirements(folder: URL, today: string): string {
  mkdirSync(folder, { recursive: true })
  const newest = shippedRequirements(folder).at(-1)?.set
  if (newest !== undefined && newest.date > today) {
    throw new Error(`The newest requirement set is of ${newest.date}, and today is ${today}. Set the clock right.`)
  }
  const now = requirementsNow(today)
  const changes = newest === undefined ? ['the first set'] : requirementChanges(newest, now)
  if (changes.length === 0) return `The requirement set ${newest?.date} is what the suite asks for.`
  writeFileSync(new URL(`${today}.json`, folder), `${JSON.stringify(now, undefined, 2)}\n`)
  return `Wrote the requirement set ${today}: ${changes.join(', ')}.`
}
