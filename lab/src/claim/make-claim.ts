import { existsSync, readFileSync } from 'node:fs'
import { HarnessError, type Report, type KnownFailure, type Subject } from '@steploop/conformance'
import {
  killMatrixFile,
  isKnownFailure,
  coreVersion,
  newestRequirements,
  shippedRequirements,
  type ShippedRequirements,
} from '@steploop/conformance/cli'
import type { AdapterPackage } from './adapter-package.ts'
import { cassetteHashes, sha256 } from './cassette-hashes.ts'
import { claimSchema, type Claim, type ClaimedSubject } from './claim-schema.ts'
import { originFacts } from '@steploop/conformance/cli'
import { requiredCases } from './required-cases.ts'

export interface ClaimFacts {
  /** Subjects of the config; those of the report are claimed. */
  readonly subjects: readonly Subject[]
  /** By name of the subject: see `adapterPackage`. */
  readonly packages: ReadonlyMap<string, AdapterPackage>
  readonly knownFailures: readonly KnownFailure[]
  /** Whether the run was a `--full` one. */
  readonly full: boolean
  /** What the claim is judged by. Default: the newest set of the suite. */
  readonly requirements?: ShippedRequirements | undefined
}

/**
 * What an unfiltered run found, as a claim. Reads the cassettes for their hashes.
 *
 * @throws HarnessError `usage` for a report that is not as expected, of a part of a run, or without any case that the set asks for
 */
export function makeClaim(report: Report, facts: ClaimFacts): Claim {
  const { set, sha256: setHash } = facts.requirements ?? newestRequirements(shippedRequirements())
  if (!report.ok) throw refused('The run is not as expected', 'Fix what is red, or list it in known-failures.yaml.')
  if (report.shard !== undefined) throw refused('The run is a part of one', 'Run it without --shard.')
  if (report.cases.every(({ scenario }) => !set.scenarios.includes(scenario)))
    throw refused(`No case of the requirement set ${set.date} ran`, 'Install a newer suite.')
  const date = report.date ?? new Date().toISOString().slice(0, 10)
  // Checked once more, so that nothing is written that `verify` could not read.
  return claimSchema.parse({
    version: 1,
    date,
    suite: report.suite,
    core: coreVersion,
    requirements: { date: set.date, sha256: setHash },
    mutants: hashOf(killMatrixFile),
    frontEnds: report.frontEnds,
    seed: report.seed ?? 1,
    full: facts.full,
    subjects: report.subjects.map(({ name }) => claimedSubject(name, report, { ...facts, set })),
    handOverTo: facts.subjects.map(({ name }) => name),
    knownFailures: usedLines(report, facts.knownFailures, date),
  })
}

function refused(what: string, fix: string): HarnessError {
  return new HarnessError('usage', `${what}, so there is nothing to claim. ${fix}`)
}

/** `undefined` where there is no such file. */
export function hashOf(file: URL): string | undefined {
  return existsSync(file) ? sha256(readFileSync(file, 'utf8')) : undefined
}

type SubjectFacts = ClaimFacts & { readonly set: ShippedRequirements['set'] }

function claimedSubject(name: string, report: Report, { subjects, packages, set }: SubjectFacts): ClaimedSubject {
  const subject = subjects.find((one) => one.name === name)
  const published = packages.get(name)
  if (subject === undefined || published === undefined)
    throw new HarnessError('usage', `The report names the subject '${name}', and the config has none. Give its config.`)
  const cases = requiredCases(report.cases, name, set)
  const files = cassetteHashes(
    subject,
    cases.map((one) => one.report),
  )
  const { wire, model, unverified, scenarios } = subject
  return {
    name,
    package: { ...published },
    wire,
    model,
    ...(unverified !== undefined && { unverified }),
    ...(scenarios !== undefined && { scenarios: [...scenarios] }),
    cassettes: { files, ...originFacts(cases.map((one) => one.report)) },
    cases: Object.fromEntries(cases.map(({ id, verdict }) => [id, verdict])),
  }
}

function usedLines(report: Report, lines: readonly KnownFailure[], today: string): KnownFailure[] {
  const excused = report.cases.flatMap(({ checks }) =>
    checks.filter(({ verdict }) => verdict === 'known-failure').map(({ address }) => address),
  )
  return lines.filter((line) => excused.some((address) => isKnownFailure(address, [line], today)))
}
