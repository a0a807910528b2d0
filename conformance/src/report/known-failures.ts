import { z } from 'zod'
import { parse } from 'yaml'
import { HarnessError } from '../harness-error.ts'
import type { CaseReport, CheckReport } from '../report-schema.ts'
import { worstVerdict } from '../verdict.ts'

/** A check that fails and is known to: it still runs, and must still fail. */
export interface KnownFailure {
  /** `<subject>/<scenario>/<mode>#<check>`; `*` stands for any characters in one of the parts. */
  readonly check: string
  readonly reason: string
  /** Where it is being dealt with. */
  readonly issue: string
  /** The day after which the line is red, `YYYY-MM-DD`. */
  readonly expires: string
}

const text = z.string().trim().min(1)
const listSchema = z.array(z.strictObject({ check: text, reason: text, issue: text, expires: z.iso.date() }))

/** @throws HarnessError `unreadable-input` naming the line and the fix */
export function parseKnownFailures(yaml: string, file: string): readonly KnownFailure[] {
  const fix = 'Write a list of { check, reason, issue, expires: "YYYY-MM-DD" }.'
  let data: unknown
  try {
    data = parse(yaml) ?? []
  } catch (cause) {
    throw new HarnessError('unreadable-input', `${file} is no YAML: ${String(cause)}. ${fix}`, { file, cause })
  }
  const checked = listSchema.safeParse(data)
  if (checked.success) return checked.data
  const issue = checked.error.issues[0]
  const path = (issue?.path ?? [])
    .map((key, index) => (index === 0 ? `line ${Number(key) + 1} of the list` : String(key)))
    .join(', ')
  throw new HarnessError(
    'unreadable-input',
    `${file}: ${path || 'the list'}: ${issue?.message ?? 'is not readable'}. ${fix}`,
    { file },
  )
}

/** Turns failures that are known into `known-failure`, and known ones that pass into `unexpected-pass`. */
export function applyKnownFailures(report: CaseReport, known: readonly KnownFailure[], today: string): CaseReport {
  const lines = known.filter((line) => line.expires >= today)
  if (lines.length === 0 || report.verdict === 'not-applicable') return report
  const checks = report.checks.map((check) => applyTo(check, lines))
  return { ...report, checks, verdict: worstVerdict(checks) }
}

function applyTo(check: CheckReport, lines: readonly KnownFailure[]): CheckReport {
  const line = lines.find((candidate) => matches(candidate.check, check.address))
  if (line === undefined) return check
  const reason = `${line.reason} (${line.issue}, until ${line.expires})`
  if (check.verdict === 'fail') return { ...check, verdict: 'known-failure', reason }
  if (check.verdict !== 'pass') return check
  const message = `it passes, but is listed as a known failure: ${reason}. Remove the line.`
  return { ...check, verdict: 'unexpected-pass', failures: [{ message }], reason }
}

/** Whether a line of the list, not expired by `today`, names the check. */
export function isKnownFailure(address: string, known: readonly KnownFailure[], today: string): boolean {
  return known.some(({ check, expires }) => expires >= today && matches(check, address))
}

export interface RunFacts {
  readonly today: string
  /** Nothing was filtered out of the run. */
  readonly complete: boolean
  /** Checks that this kind of run does not make, by id: a line for one of them waits for the run that does. Default: none. */
  readonly leftOut?: readonly string[] | undefined
}

/** Lines that are expired, or that name no check that ran. */
export function knownFailureProblems(
  known: readonly KnownFailure[],
  cases: readonly CaseReport[],
  { today, complete, leftOut = [] }: RunFacts,
): readonly string[] {
  // A check that does not apply neither fails nor passes: a line for it would never go stale.
  const checks = cases.flatMap((one) => one.checks).filter(({ verdict }) => verdict !== 'not-applicable')
  const addresses = checks.map(({ address }) => address)
  return known.flatMap((line) => {
    const unknown = !addresses.some((address) => matches(line.check, address))
    const waits = leftOut.some((id) => matches(line.check.slice(line.check.indexOf('#') + 1), id))
    if (complete && unknown && !waits) {
      return [
        `known failure '${line.check}': no such check ran, or it does not apply. Correct the address, or remove the line.`,
      ]
    }
    if (line.expires >= today) return []
    return [`known failure '${line.check}' expired on ${line.expires}. Fix it, or set a new date with a reason.`]
  })
}

/** Every line of a list is held against every check: each of its patterns is compiled once. */
const expressions = new Map<string, RegExp>()

function matches(pattern: string, address: string): boolean {
  let expression = expressions.get(pattern)
  if (expression === undefined) {
    const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/#]*')
    expression = new RegExp(`^${escaped}$`)
    expressions.set(pattern, expression)
  }
  return expression.test(address)
}
