import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A config with the same subjects, whose cassettes go into a folder of this test. */
function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'steploop-record-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const config = join(folder, 'steploop.config.ts')
  writeFileSync(
    config,
    `import config from ${JSON.stringify(join(root, 'steploop.config.ts'))}
export default { subjects: config.subjects.map((subject) => ({ ...subject, cassettes: ${JSON.stringify(folder)} + '/' + subject.name })) }\n`,
  )
  return { folder, config }
}

function record(environment: Record<string, string>, ...words: readonly string[]) {
  const main = join(root, 'packages/cli/src/main.ts')
  const { CI: _ci, ...inherited } = process.env
  const env = { ...inherited, ...environment }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@steploop/source', main, 'record', ...words],
    { cwd: root, encoding: 'utf8', env },
  )
  return { status, stdout, stderr }
}

const one = ['--only', 'anthropic', '--scenario', 'single-call', '--mode', 'stream'] as const

test('recording from the simulator writes an honest cassette, and again changes nothing', () => {
  const { folder, config } = setUp()
  const first = record({}, ...one, '--simulator', '--config', config, '--date', '2026-11-21')
  expect([first.status, first.stdout]).toEqual([0, expect.stringContaining('1 written, 0 unchanged, 0 refused')])
  const file = join(folder, 'anthropic', 'single-call.stream.yaml')
  const text = readFileSync(file, 'utf8')
  expect(text).toMatch(/kind: "simulated"\n {2}by: "@steploop\/conformance .* simulator"\n {2}date: "2026-11-21"/)
  expect(text).not.toContain('127.0.0.1')
  const second = record({}, ...one, '--simulator', '--config', config, '--date', '2027-01-01')
  expect(second.stdout).toContain('0 written, 1 unchanged, 0 refused')
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('a server that is not there leaves no file behind, and says what failed', () => {
  const { folder, config } = setUp()
  const { status, stderr } = record({}, ...one, '--base-url', 'http://127.0.0.1:9/v1', '--config', config)
  expect(status).toBe(1)
  expect(stderr).toMatch(/golden|settles/)
  expect(existsSync(join(folder, 'anthropic')) ? readdirSync(join(folder, 'anthropic')) : []).toEqual([])
})

test.each([
  [{}, [], /Name one subject with --only/],
  [{}, ['--only', 'nobody', '--simulator'], /no subject 'nobody'/],
  [{}, [...one, '--simulator', '--base-url', 'http://127.0.0.1:9'], /exclude each other/],
  [{}, [...one, '--base-url', 'localhost'], /is no URL/],
  [{}, [...one, '--simulator', '--date', 'today'], /is no day/],
  [{ ANTHROPIC_API_KEY: '' }, [...one], /Set ANTHROPIC_API_KEY/],
  [{ CI: '1' }, [...one, '--base-url', 'http://127.0.0.1:9'], /Under CI nothing is recorded/],
])('record with %j %j is a wrong use: exit 2, with the mend', (environment, words, message) => {
  const { status, stderr } = record(environment, ...words)
  expect([status, message.test(stderr)]).toEqual([2, true])
})
