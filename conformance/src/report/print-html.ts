import { sep } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import type { CaseReport, Report, Verdict } from '../report-schema.ts'
import { briefly, failureGroups, type FailureGroup } from './failure-groups.ts'
import { withoutSecrets } from './withhold.ts'

/**
 * What the page reads. Packed: JSON, deflated (RFC 1951), as base64; a browser spends most of the time to open a page on reading its text.
 * Details are apart from the report, so that only those of cases that are looked at are unpacked.
 */
export interface PageData {
  /** `PageReport`, packed. */
  readonly report: string
  /** `CaseDetails` by address of the case, packed. */
  readonly details: Readonly<Record<string, string>>
}

/** A report without details, and what is unexpected in it, each failure once. */
export interface PageReport extends Report {
  readonly findings: readonly PageFinding[]
}

export interface PageFinding {
  readonly check: string
  readonly verdict: Verdict
  /** The first line. */
  readonly message: string
  /** Addresses of the cases that show it, in the order of the report. */
  readonly cases: readonly string[]
}

/** Where the data goes in the template that `conformance/page` is built into. */
const dataSlot = '"data of the report"'

/**
 * The report as one page that needs nothing else: no network, no other file.
 *
 * @param template what `pageTemplate` gives
 */
export function printHtml(report: Report, template: string): string {
  // A function, because a text would have its `$` signs read as patterns.
  return template.replace(dataSlot, () => pageJson(pageData(report)))
}

function pageData(report: Report): PageData {
  const details = report.cases.flatMap(({ address, details: one }): [string, string][] => {
    return one === undefined ? [] : [[address, packed(one)]]
  })
  const safe = withoutSecrets({ ...report, cases: report.cases.map(withoutDetails) })
  const page: PageReport = { ...safe, findings: failureGroups(safe.cases).map(findingOf) }
  return { report: packed(page), details: Object.fromEntries(details) }
}

function findingOf(group: FailureGroup): PageFinding {
  const { check, cases } = group
  return {
    check: check.id,
    verdict: check.verdict,
    message: briefly(group),
    cases: cases.map(({ address }) => address),
  }
}

/** Report of a case without what only its page shows. */
export function withoutDetails(one: CaseReport): CaseReport {
  return { ...one, details: undefined }
}

/** Paths below the current directory stand without it: whose machine it was is nobody's business, and the rest is what one looks for. */
function packed(value: unknown): string {
  const home = JSON.stringify(process.cwd() + sep).slice(1, -1)
  return deflateRawSync(JSON.stringify(value).replaceAll(home, '')).toString('base64')
}

/** JSON in which no parser of HTML finds the end of a script, or a comment. */
function pageJson(data: PageData): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c')
}
