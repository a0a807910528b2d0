import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { commonChecks } from '../judge/common-checks.ts'
import { HarnessError } from '../harness-error.ts'
import type { Scenario } from '../scenario.ts'
import { scenarios as allScenarios } from '../scenarios/index.ts'
import { stressors } from '../stress/index.ts'

/**
 * What the suite asked for on a day. A claim is judged by the set that it names, so that scenarios and checks which came later do not break
 * it. Files of past days are never edited.
 */
export const requirementSetSchema = z.object({
  /** `YYYY-MM-DD`, also the file's name. */
  date: z.iso.date(),
  /** Ids, sorted. */
  scenarios: z.array(z.string()),
  /** Sorted: `<check>` for what is judged in every scenario, stressors included, `<scenario>#<check>` for what is a scenario's own. */
  checks: z.array(z.string()),
})

export type RequirementSet = z.infer<typeof requirementSetSchema>

/** A set as it is shipped. */
export interface ShippedRequirements {
  readonly set: RequirementSet
  /** Hash of the file's bytes, hexadecimal. */
  readonly sha256: string
}

/** `<date>.json` each, beside the sources of the suite and shipped with it. */
export const requirementsFolder = new URL('../../requirements/', import.meta.url)

/** Checks that the runner itself makes: before a case is played, by comparing its plays, and after it. */
const runnerChecks = [
  'adapter',
  'claims',
  'cassette',
  'golden',
  'usage-as-scripted',
  'warns-in-need',
  'front-ends',
  'modes',
  'no-unhandled-rejections',
  'no-leaked-timers',
  'quiet',
]

/** What the suite asks for now, as the set of `date`. */
export function requirementsNow(date: string, scenarios: readonly Scenario[] = allScenarios): RequirementSet {
  const everywhere = [...runnerChecks, ...commonChecks.map(({ id }) => id), ...stressors.map(({ id }) => id)]
  const own = scenarios.flatMap((scenario) => scenario.checks.map(({ id }) => `${scenario.id}#${id}`))
  return {
    date,
    scenarios: scenarios.map(({ id }) => id).toSorted(),
    checks: [...new Set([...everywhere, ...own])].toSorted(),
  }
}

/** Whether the set asks for the check in the scenario. */
export function asksFor({ scenarios, checks }: RequirementSet, scenario: string, check: string): boolean {
  return scenarios.includes(scenario) && (checks.includes(check) || checks.includes(`${scenario}#${check}`))
}

/** What differs between two sets, a line each, dates aside. */
export function requirementChanges(before: RequirementSet, after: RequirementSet): readonly string[] {
  return [...changes('scenario', before.scenarios, after.scenarios), ...changes('check', before.checks, after.checks)]
}

function changes(kind: string, before: readonly string[], after: readonly string[]): readonly string[] {
  return [
    ...after.filter((id) => !before.includes(id)).map((id) => `new ${kind} '${id}'`),
    ...before.filter((id) => !after.includes(id)).map((id) => `${kind} '${id}' is gone`),
  ]
}

/**
 * The shipped sets, oldest first.
 *
 * @throws HarnessError `unreadable-input` that names the file which is no requirement set of its date
 */
export function shippedRequirements(folder: URL = requirementsFolder): readonly ShippedRequirements[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return names.toSorted().map((name) => {
    const file = new URL(name, folder)
    const text = readFileSync(file, 'utf8')
    return { set: parseRequirements(text, name), sha256: createHash('sha256').update(text).digest('hex') }
  })
}

/** @throws HarnessError `unreadable-input` when the suite ships none */
export function newestRequirements(sets: readonly ShippedRequirements[]): ShippedRequirements {
  const newest = sets.at(-1)
  if (newest !== undefined) return newest
  throw new HarnessError('unreadable-input', 'The suite ships no requirement set. Install @steploop/conformance anew.')
}

function parseRequirements(text: string, name: string): RequirementSet {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (cause) {
    throw noSet(name, String(cause), cause)
  }
  const checked = requirementSetSchema.safeParse(data)
  if (!checked.success) throw noSet(name, checked.error.issues[0]?.message ?? 'it has another form')
  if (`${checked.data.date}.json` !== name) throw noSet(name, `its date is ${checked.data.date}`)
  return checked.data
}

function noSet(name: string, reason: string, cause?: unknown): HarnessError {
  const message = `requirements/${name} is no requirement set of its day: ${reason}. Restore it; sets of past days are never edited.`
  return new HarnessError('unreadable-input', message, { file: name, cause })
}
