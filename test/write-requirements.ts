/**
 * `pnpm requirements`: when the suite asks for something else than its newest requirement set, writes the set of today. A set of today is
 * replaced; those of past days are never touched, for claims name them.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { requirementChanges, requirementsFolder, requirementsNow, shippedRequirements } from '@steploop/conformance'

mkdirSync(requirementsFolder, { recursive: true })
const today = new Date().toISOString().slice(0, 10)
const now = requirementsNow(today)
const newest = shippedRequirements().at(-1)?.set
const changes = newest === undefined ? ['the first set'] : requirementChanges(newest, now)
if (newest !== undefined && newest.date > today) {
  console.error(`The newest requirement set is of ${newest.date}, and today is ${today}. Set the clock right.`)
  process.exitCode = 1
} else if (changes.length === 0) {
  console.log(`The requirement set ${newest?.date} is what the suite asks for.`)
} else {
  writeFileSync(new URL(`${today}.json`, requirementsFolder), `${JSON.stringify(now, undefined, 2)}\n`)
  console.log(`Wrote conformance/requirements/${today}.json: ${changes.join(', ')}.`)
}
