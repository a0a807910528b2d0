import { inflateRawSync } from 'node:zlib'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { caseDetailsSchema, type CaseDetails } from './details-schema.ts'
import { dataPlace, printHtml } from './print-html.ts'
import { reportSchema, type Report } from './report-schema.ts'
import { report } from './testing.ts'

const template = `<script type="application/json" id="report">${dataPlace}</script><p>rest</p>`
const details: CaseDetails = {
  cassette: { file: join(process.cwd(), 'cassettes/one.yaml'), wire: 'w', model: 'm', exchanges: 1 },
  runs: [],
  unused: [{ exchange: 1, method: 'POST', url: 'https://api.example.com', body: '東京' }],
}
const [first, ...others] = report.cases
const detailed: Report = { ...report, cases: [{ ...first!, details }, ...others] }

const pageSchema = z.object({ report: reportSchema, details: z.record(z.string(), z.string()) })

/** What a browser reads: the text up to the first end of a script. */
function dataOf(html: string) {
  const [, text = ''] = /<script[^>]*>([^]*?)<\/script/.exec(html) ?? []
  return pageSchema.parse(JSON.parse(text))
}

test('the page holds the report, and the details of each case apart, packed', () => {
  const data = dataOf(printHtml(detailed, template))
  expect(data.report.cases.map(({ address }) => address)).toEqual(report.cases.map(({ address }) => address))
  expect(data.report.cases.some((one) => one.details !== undefined)).toBe(false)
  expect(Object.keys(data.details)).toEqual([first!.address])
  const unpacked: unknown = JSON.parse(inflateRawSync(Buffer.from(data.details[first!.address]!, 'base64')).toString())
  expect(caseDetailsSchema.parse(unpacked).unused).toEqual(details.unused)
})

test('nothing in a message can end the script, open another one, or be taken for a place in the template', () => {
  const message = '</script><script>alert(1)</script><!-- $& $1'
  const html = printHtml({ ...report, problems: [{ message, harness: false }] }, template)
  expect(html.match(/<\/?script/g)).toEqual(['<script', '</script'])
  expect(html).toContain('<p>rest</p>')
  expect(dataOf(html).report.problems[0]?.message).toBe(message)
})

test('a text of the report in which a key shows is withheld, with the rule that found it', () => {
  const key = `sk-ant-${'a1B2'.repeat(8)}`
  const html = printHtml({ ...report, problems: [{ message: `sent ${key}`, harness: false }] }, template)
  expect(html).not.toContain(key)
  expect(dataOf(html).report.problems[0]?.message).toMatch(/withheld.*anthropic-key/)
})

test('paths of the machine are cut to what lies below the current directory', () => {
  const message = `${join(process.cwd(), 'cassettes/one.yaml')}: no`
  const html = printHtml({ ...detailed, problems: [{ message, harness: false }] }, template)
  expect(dataOf(html).report.problems[0]?.message).toBe('cassettes/one.yaml: no')
  const packed = dataOf(html).details[first!.address]!
  expect(inflateRawSync(Buffer.from(packed, 'base64')).toString()).toContain('"file":"cassettes/one.yaml"')
})
