import {
  HarnessError,
  scenarios as allScenarios,
  type Scenario,
  type Subject,
  type ConformanceOptions,
} from '@steploop/conformance'
import {
  killMatrixFile,
  coreVersion,
  suiteVersion,
  requirementsNow,
  shippedRequirements,
  type RequirementSet,
  type ShippedRequirements,
} from '@steploop/conformance/cli'
import type { AdapterPackage } from './adapter-package.ts'
import { changedCassettes } from './cassette-hashes.ts'
import type { Claim, ClaimedSubject } from './claim-schema.ts'
import { hashOf } from './make-claim.ts'

export interface VerificationFacts {
  /** Subjects of the config. */
  readonly subjects: readonly Subject[]
  /** By name of the subject, of those that the claim names: see `adapterPackage`. */
  readonly packages: ReadonlyMap<string, AdapterPackage>
  /** Sets that the suite ships. Default: those of this copy. */
  readonly shipped?: readonly ShippedRequirements[] | undefined
  /** Scenarios of the suite. Default: all. */
  readonly scenarios?: readonly Scenario[] | undefined
}

/** What is known before anything runs, and how to run it. */
export interface Preparation {
  readonly set: RequirementSet
  /** The run that the claim speaks of, as options of `runConformance`. */
  readonly options: Pick<
    ConformanceOptions,
    'only' | 'frontEnds' | 'seed' | 'full' | 'knownFailures' | 'today' | 'requirements' | 'handOverTo'
  >
  /** Inputs that are other ones than the claim's: with one of them, a run says nothing of it. */
  readonly changed: readonly string[]
  /** What is worth knowing, and breaks no claim. */
  readonly notes: readonly string[]
}

/**
 * Holds the inputs of a claim against what there is now: cassettes by their hashes, versions of adapters, the requirement set.
 *
 * @throws HarnessError `usage` for a subject that the config has not, or a requirement set that this suite does not ship as the claim knows it
 */
export function prepareVerification(claim: Claim, facts: VerificationFacts): Preparation {
  const set = claimedSet(claim, facts.shipped ?? shippedRequirements())
  const changed = claim.subjects.flatMap((claimed) => {
    const subject = subjectNamed(claimed.name, facts.subjects)
    const published = facts.packages.get(claimed.name)
    const now = [`${published?.name}@${published?.version}`, subject.wire, subject.model]
    const then = [`${claimed.package.name}@${claimed.package.version}`, claimed.wire, claimed.model]
    const what = ['is the package', 'has the wire format', 'has the model']
    return [
      ...changedCassettes(subject, claimed.cassettes.files).map((message) => `${claimed.name}: ${message}`),
      ...unsaid(claimed, subject, set),
      ...what.flatMap((words, index) =>
        now[index] === then[index] ? [] : [`${claimed.name} ${words} ${now[index]}, the claim is of ${then[index]}`],
      ),
    ]
  })
  const { frontEnds, seed, full, knownFailures, date, handOverTo } = claim
  const only = claim.subjects.map(({ name }) => name)
  return {
    set,
    options: { only, frontEnds, seed, full, knownFailures, today: date, requirements: set, handOverTo },
    changed,
    notes: [...versionNotes(claim, facts.subjects), ...goneNotes(set, facts.scenarios ?? allScenarios)],
  }
}

/** What would make a claim better than it is: limits of the subject that it does not tell, cases that nothing asks for. */
function unsaid(
  { name, scenarios, unverified, cases }: ClaimedSubject,
  subject: Subject,
  set: RequirementSet,
): readonly string[] {
  const { scenarios: picked } = subject
  const more = picked === undefined ? [] : (scenarios ?? ['all']).filter((id) => !picked.includes(id))
  const foreign = Object.keys(cases).filter((id) => !set.scenarios.includes(id.slice(0, id.lastIndexOf('/'))))
  return [
    ...(more.length === 0
      ? []
      : [
          `${name} runs ${picked?.join(', ')} only, the claim is of ${scenarios === undefined ? 'all scenarios' : scenarios.join(', ')}`,
        ]),
    ...(subject.unverified === undefined || unverified !== undefined
      ? []
      : [`${name} is unverified by traffic, which the claim does not say`]),
    ...foreign.map((id) => `${name}: the requirement set ${set.date} has no case ${id}`),
  ]
}

function claimedSet({ requirements, suite }: Claim, shipped: readonly ShippedRequirements[]): RequirementSet {
  const found = shipped.find(({ set }) => set.date === requirements.date)
  if (found === undefined) {
    const dates = shipped.map(({ set }) => set.date).join(', ')
    throw new HarnessError(
      'usage',
      `The claim is judged by the requirement set ${requirements.date}, and this suite (${suiteVersion}) ships ${dates}. Install a newer @steploop/conformance.`,
    )
  }
  if (found.sha256 === requirements.sha256) return found.set
  throw new HarnessError(
    'usage',
    `The requirement set ${requirements.date} of this suite (${suiteVersion}) is another one than the claim's. Install ${suite.name} ${suite.version}, which wrote it, or write a new claim.`,
  )
}

function subjectNamed(name: string, subjects: readonly Subject[]): Subject {
  const found = subjects.find((subject) => subject.name === name)
  if (found !== undefined) return found
  const names = subjects.map((subject) => subject.name).join(', ')
  throw new HarnessError('usage', `The claim is of '${name}', and the config has ${names}. Give the right config.`)
}

function versionNotes({ suite, core, mutants, handOverTo }: Claim, subjects: readonly Subject[]): readonly string[] {
  const notes: string[] = []
  if (suite.version !== suiteVersion)
    notes.push(`written with version ${suite.version} of the suite, repeated with ${suiteVersion}`)
  if (core !== coreVersion) notes.push(`written with version ${core} of @steploop/core, repeated with ${coreVersion}`)
  if (mutants !== hashOf(killMatrixFile))
    notes.push('the matrix of kills is another one since: the suite has other mutants or checks')
  const missing = handOverTo.filter((name) => !subjects.some((subject) => subject.name === name))
  if (missing.length > 0)
    notes.push(`histories are no more handed over to ${missing.join(', ')}: the config has them no more`)
  const untried = subjects.filter(({ name }) => !handOverTo.includes(name)).map(({ name }) => name)
  if (untried.length > 0) notes.push(`histories are not handed over to ${untried.join(', ')}, as in the claim`)
  return notes
}

function goneNotes(set: RequirementSet, scenarios: readonly Scenario[]): readonly string[] {
  const notes: string[] = []
  const now = requirementsNow(set.date, scenarios)
  for (const id of set.scenarios)
    if (!now.scenarios.includes(id)) notes.push(`the scenario '${id}' is gone from the suite`)
  for (const id of set.checks) {
    const [scenario = '', own] = id.split('#')
    // That the scenario is gone was said, and a check that holds everywhere now is none that is gone.
    const isCovered = own !== undefined && (!now.scenarios.includes(scenario) || now.checks.includes(own))
    if (!now.checks.includes(id) && !isCovered)
      notes.push(`the check '#${own ?? id}'${own === undefined ? '' : ` of '${scenario}'`} is gone from the suite`)
  }
  return notes
}
