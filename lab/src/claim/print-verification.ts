import { alignRows, paint, printOrigins } from '@steploop/conformance/cli'
import type { Claim, ClaimedSubject } from './claim-schema.ts'
import type { ClaimVerification, VerifiedSubject } from './compare-claim.ts'

export interface PrintVerificationOptions {
  /** `YYYY-MM-DD`: ages count up to it. */
  readonly today: string
  /** Default: false. */
  readonly colours?: boolean | undefined
}

/** For a terminal: what was claimed, a row per subject, what differs, and the sum. */
export function printVerification(
  verification: ClaimVerification,
  { today, colours }: PrintVerificationOptions,
): string {
  const ink = paint(colours)
  const { claim, subjects, differences, notes, holds } = verification
  return [
    ...heading(claim, today),
    '',
    ...table(subjects.length === 0 ? claim.subjects.map(unrun) : subjects.map((one) => row(one)), today),
    '',
    ...differences.map((text) => ink.bad(`✗ ${text}`)),
    ...notes.map((text) => ink.faint(`· ${text}`)),
    holds ? ink.good(sum(verification)) : ink.bad(sum(verification)),
  ].join('\n')
}

function heading(
  { date, requirements, suite, core, frontEnds, seed, full, knownFailures }: Claim,
  today: string,
): readonly string[] {
  const how = [`through ${frontEnds.join(' and ')}`, `seed ${seed}`, full ? 'all stressors' : 'the fast stressors']
  return [
    `claim of ${dated(date, today)}: requirements ${requirements.date}, ${suite.name} ${suite.version}, @steploop/core ${core}`,
    how.join(', '),
    ...knownFailures.map(({ check, reason, expires }) => {
      const expired = expires < today ? `expired on ${expires}` : `until ${expires}`
      return `~ ${check}: ${reason} (${expired})`
    }),
  ]
}

interface Row {
  readonly claimed: ClaimedSubject
  readonly verdicts: string
}

function unrun(claimed: ClaimedSubject): Row {
  return { claimed, verdicts: 'not run' }
}

function row({ claimed, same, different, gone }: VerifiedSubject): Row {
  const words = [
    `${same} same`,
    ...(different === 0 ? [] : [`${different} differ`]),
    ...(gone === 0 ? [] : [`${gone} gone`]),
  ]
  return { claimed, verdicts: words.join(', ') }
}

function table(rows: readonly Row[], today: string): readonly string[] {
  const cells = rows.map(({ claimed, verdicts }) => [
    claimed.unverified === undefined ? claimed.name : `${claimed.name}*`,
    `${claimed.package.name} ${claimed.package.version}`,
    [verdicts, ...confinedTo(claimed)].join(', '),
    cassettesOf(claimed, today),
  ])
  const all = [['subject', 'package', 'cases', 'cassettes'], ...cells]
  const lines = alignRows(all, () => false).map((line) => line.join('  ').trimEnd())
  const isUnverified = rows.some(({ claimed }) => claimed.unverified !== undefined)
  return isUnverified ? [...lines, '* unverified by traffic'] : lines
}

/** Few cases that pass are less than they seem. */
function confinedTo({ scenarios }: ClaimedSubject): readonly string[] {
  return scenarios === undefined
    ? []
    : [`${scenarios.length} ${scenarios.length === 1 ? 'scenario' : 'scenarios'} only`]
}

function cassettesOf({ cassettes }: ClaimedSubject, today: string): string {
  const { oldest, newest } = cassettes
  const mix = printOrigins(cassettes)
  if (oldest === undefined || newest === undefined) return 'none'
  const days = oldest === newest ? dated(oldest, today) : `${dated(oldest, today)} to ${dated(newest, today)}`
  return `${mix.join(', ')}, of ${days}`
}

const dayMs = 86_400_000

/** The day with its age. */
function dated(day: string, today: string): string {
  const age = Math.round((Date.parse(today) - Date.parse(day)) / dayMs)
  if (Number.isNaN(age)) return day
  if (age === 0) return `${day} (today)`
  if (age < 0) return `${day} (to come)`
  return `${day} (${age} ${age === 1 ? 'day' : 'days'} old)`
}

function sum({ holds, subjects, differences }: ClaimVerification): string {
  const same = subjects.reduce((total, one) => total + one.same, 0)
  if (holds) return `the claim holds: ${same} of ${same} cases are the same`
  const what =
    subjects.length === 0 ? 'its inputs are other ones now, so nothing was run' : `${same} cases are the same`
  const fix = 'Go back to what was claimed, or write a new claim with `steploop conformance --claim FILE`.'
  return `the claim does not hold: ${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}; ${what}. ${fix}`
}
