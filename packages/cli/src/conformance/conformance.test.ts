import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reportSchema } from '@steploop/conformance/cli'
import { expect, test, vi } from 'vitest'
import { registerConformance } from './conformance.ts'
import { root, runSteploop, scratchFolder, spawnSteploop } from '../testing.ts'

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

/** The real program, and the command in this process. */
const steploop = (...words: readonly string[]) => spawnSteploop(['conformance', ...words])
const conformance = (...words: readonly string[]) => runSteploop([registerConformance], ['conformance', ...words])

const one = ['--only', 'anthropic', '--scenario', 'single-call'] as const

test('a green run prints the matrix, writes JSON and JUnit, and exits with 0', () => {
  const folder = scratchFolder()
  const [json, junit] = [join(folder, 'report.json'), join(folder, 'report.xml')]
  const { status, stdout } = steploop(...one, '--json', json, '--junit', junit)
  expect(status).toBe(0)
  expect(stdout).toContain('single-call  ✓ ✓')
  expect(stdout).toContain('through msw and fetch')
  expect(stdout).not.toContain('\u001B')
  const report = reportSchema.parse(JSON.parse(readFileSync(json, 'utf8')))
  const compared = report.cases.map(({ mode, verdict, checks }) => [
    mode,
    verdict,
    checks.some(({ id }) => id === 'front-ends'),
  ])
  expect(compared).toEqual([
    ['generate', 'pass', false],
    ['stream', 'pass', true],
  ])
  expect(readFileSync(junit, 'utf8')).toContain('<testsuite name="anthropic"')
})

test('a run for readers writes a page and a summary; only --details puts what happened into the JSON', async () => {
  const folder = scratchFolder()
  const [html, markdown, json] = ['report.html', 'report.md', 'report.json'].map((name) => join(folder, name))
  const generate = [...one, '--mode', 'generate', '--front-end', 'fetch', '--json', json!] as const
  const { status, err } = await conformance(...generate, '--html', html!, '--markdown', markdown!)
  expect(status).toBe(0)
  expect(readFileSync(html!, 'utf8')).toMatch(/^<!doctype html>[^]*anthropic\/single-call\/generate/)
  expect(readFileSync(markdown!, 'utf8')).toContain('## ✅ Conformance: 1 pass')
  expect(err).toMatch(/^0 of 1, \d+ s: anthropic\/single-call\/generate$/m)
  expect(reportSchema.parse(JSON.parse(readFileSync(json!, 'utf8'))).cases[0]?.details).toBeUndefined()
  await conformance(...generate, '--details')
  const [detailed] = reportSchema.parse(JSON.parse(readFileSync(json!, 'utf8'))).cases
  expect(detailed?.details?.runs[0]?.steps).toHaveLength(2)
})

test('a report on stdout is nothing but the report', () => {
  const { stdout } = steploop(...one, '--mode', 'generate', '--front-end', 'fetch', '--json', '-')
  expect(reportSchema.parse(JSON.parse(stdout)).frontEnds).toEqual(['fetch'])
})

test('a finding exits with 1 and names the command that repeats it', () => {
  const folder = scratchFolder()
  const config = join(folder, 'steploop.config.ts')
  writeFileSync(
    config,
    `import config from ${JSON.stringify(join(root, 'steploop.config.ts'))}
export default { subjects: config.subjects.map((subject) => ({ ...subject, cassettes: ${JSON.stringify(folder)} })) }\n`,
  )
  const { status, stdout } = steploop(config, ...one, '--mode', 'stream')
  expect(status).toBe(1)
  expect(stdout).toContain('there is no cassette')
  expect(stdout).toContain(
    `repeat: steploop conformance ${config} --only anthropic --scenario single-call --mode stream`,
  )
})

test.each([
  [['--only', 'nobody'], /no subject 'nobody'/],
  [['--scenario', 'nothing'], /no scenario 'nothing'/],
  [['--mode', 'loud'], /no mode 'loud'/],
  [['--front-end', 'pigeon'], /no front-end 'pigeon'/],
  [['--shard', '3/2'], /not I\/N/],
  [['--unknown'], /unknown option/],
  [['no-such-config.ts'], /no-such-config\.ts does not exist/],
])('conformance %j is a wrong use: exit 2, with what there is', async (words, message) => {
  const { status, err } = await conformance(...words)
  expect(err).toMatch(message)
  expect(status).toBe(2)
})

const shared = ['--only', 'anthropic', '--scenario', 'text-only', '--scenario', 'single-call', '--front-end', 'fetch']

/** The report of a run in so many processes, as text, without how long things took. */
async function reportOf(...words: readonly string[]): Promise<string> {
  const { out } = await conformance(...shared, '--json', '-', ...words)
  const report: unknown = JSON.parse(out)
  return JSON.stringify(report, (key, value: unknown) => {
    if (key === 'times') return {}
    return key === 'durationMs' ? 0 : value
  })
}

test('processes that share a subject find what one process finds', async () => {
  const together = await reportOf('--workers', '2')
  expect(reportSchema.parse(JSON.parse(together)).variants).toBeGreaterThan(100)
  expect(together).toBe(await reportOf('--workers', '1'))
})

test('a shard is the same in several processes', async () => {
  const both = ['--only', 'openai', '--shard', '2/2']
  const together = await reportOf(...both, '--workers', '2')
  const { shard, planned, subjects } = reportSchema.parse(JSON.parse(together))
  expect([shard, planned]).toEqual([{ index: 2, count: 2 }, 8])
  expect(subjects.map(({ name }) => name)).toEqual(['openai', 'anthropic'])
  expect(together).toBe(await reportOf(...both, '--workers', '1'))
})
