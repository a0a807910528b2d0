import { sep } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import type { CaseReport, Report } from './report-schema.ts'
import { withoutSecrets } from './withhold.ts'

/** What the page reads: the report without details, and the details apart, so that it opens fast however many there are. */
export interface PageData {
  readonly report: Report
  /** By address of the case: `CaseDetails` as JSON, deflated (RFC 1951), as base64. */
  readonly details: Readonly<Record<string, string>>
}

/** Where the data goes in the template that `conformance/page` is built into. */
export const dataPlace = '"data of the report"'

/**
 * The report as one page that needs nothing else: no network, no other file.
 *
 * @param template what `pageTemplate` gives
 */
export function printHtml(report: Report, template: string): string {
  // A function, because a text would have its `$` signs read as patterns.
  return template.replace(dataPlace, () => pageJson(pageData(report)))
}

function pageData(report: Report): PageData {
  const details = report.cases.flatMap(({ address, details: one }): [string, string][] => {
    return one === undefined ? [] : [[address, deflateRawSync(JSON.stringify(withoutHome(one))).toString('base64')]]
  })
  const safe = withoutSecrets({ ...report, cases: report.cases.map(withoutDetails) })
  return { report: withoutHome(safe), details: Object.fromEntries(details) }
}

/** The same report without what only its page shows. */
export function withoutDetails(one: CaseReport): CaseReport {
  return { ...one, details: undefined }
}

/** Paths below the current directory without it: whose machine it was is nobody's business, and the rest is what one looks for. */
function withoutHome<Value>(value: Value): Value {
  const home = JSON.stringify(process.cwd() + sep).slice(1, -1)
  // Plain data: what comes back has the type of what went in.
  return JSON.parse(JSON.stringify(value).replaceAll(home, '')) as Value
}

/** JSON in which no parser of HTML finds the end of a script, or a comment. */
function pageJson(data: PageData): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c')
}
