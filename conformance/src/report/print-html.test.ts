import { inflateRawSync } from 'node:zlib'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { caseDetailsSchema, type CaseDetails } from '../details-schema.ts'
import { printHtml } from './print-html.ts'
import { reportSchema, type Report } from '../report-schema.ts'
import { report } from './testing.ts'

const template = `<script type="application/json" id="report">"data of the report"</script><p>rest</p>`
const details: CaseDetails = {
  cassette: { file: join(process.cwd(), 'cassettes/one.yaml'), wire: 'w', model: 'm', exchanges: 1 },
  runs: [],
  unused: [{ exchange: 1, method: 'POST', url: 'https://api.example.com', body: '東京' }],
}
const [first, ...others] = report.cases
const detailed: Report = { ...report, cases: [{ ...first!, details }, ...others] }

const pageSchema = z.object({ report: z.string(), details: z.record(z.string(), z.string()) })

function unpacked(packed: string): unknown {
  return JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString())
}

/** What a browser reads: the text up to the first end of a script. */
function dataOf(html: string) {
  const [, text = ''] = /<script[^>]*>([^]*?)<\/script/.exec(html) ?? []
  const { report: packed, details: apart } = pageSchema.parse(JSON.parse(text))
  return {
    report: reportSchema.parse(unpacked(packed)),
    details: Object.entries(apart).map(([address, one]) => ({
      address,
      details: caseDetailsSchema.parse(unpacked(one)),
    })),
  }
}

test('the page holds the report, and the details of each case apart, packed', () => {
  const data = dataOf(printHtml(detailed, template))
  expect(data.report.cases.map(({ address }) => address)).toEqual(report.cases.map(({ address }) => address))
  expect(data.report.cases.some((one) => one.details !== undefined)).toBe(false)
  expect(data.details).toMatchObject([{ address: first!.address, details: { unused: details.unused } }])
})

test('the page is told what is unexpected, each failure once with its cases', () => {
  const red = report.cases.find(({ verdict }) => verdict === 'fail')!
  const html = printHtml({ ...report, cases: [red, { ...red, address: 'one/other/stream' }] }, template)
  const [, text = ''] = /<script[^>]*>([^]*?)<\/script/.exec(html) ?? []
  expect(unpacked(pageSchema.parse(JSON.parse(text)).report)).toMatchObject({
    findings: [
      { check: 'golden', verdict: 'fail', message: 'it is <wrong> & bad', cases: [red.address, 'one/other/stream'] },
    ],
  })
})

test('nothing in a message can end the script, open another one, or be taken for a place in the template', () => {
  const message = '</script><script>alert(1)</script><!-- $& $1'
  const address = '</script><script>alert(2)</script>'
  const hostile = { ...detailed, problems: [{ message, harness: false }], cases: [{ ...detailed.cases[0]!, address }] }
  const html = printHtml(hostile, template)
  expect(html.match(/<\/?script/g)).toEqual(['<script', '</script'])
  expect(html).toContain('<p>rest</p>')
  expect(dataOf(html).report.problems[0]?.message).toBe(message)
})

test('a text of the report in which a key shows is withheld, with the rule that found it', () => {
  const key = `sk-ant-${'a1B2'.repeat(8)}`
  const html = printHtml({ ...report, problems: [{ message: `sent ${key}`, harness: false }] }, template)
  expect(dataOf(html).report.problems[0]?.message).toBe("[withheld: the rule 'anthropic-key' finds a secret here]")
})

test('paths of the machine are cut to what lies below the current directory', () => {
  const message = `${join(process.cwd(), 'cassettes/one.yaml')}: no`
  const html = printHtml({ ...detailed, problems: [{ message, harness: false }] }, template)
  expect(dataOf(html).report.problems[0]?.message).toBe('cassettes/one.yaml: no')
  expect(dataOf(html).details[0]?.details.cassette?.file).toBe('cassettes/one.yaml')
})
