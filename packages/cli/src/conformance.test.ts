import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { reportSchema } from '@steploop/conformance'
import { expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

function steploop(...words: readonly string[]) {
  const main = join(root, 'packages/cli/src/main.ts')
  const environment = { ...process.env, NO_COLOR: '1', CI: undefined, npm_lifecycle_event: undefined }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--conditions=@steploop/source', main, ...words], {
    cwd: root,
    encoding: 'utf8',
    env: environment,
  })
  return { status, stdout, stderr }
}

function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'steploop-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const one = ['--only', 'anthropic', '--scenario', 'single-call'] as const

test('a green run prints the matrix, writes JSON and JUnit, and exits with 0', () => {
  const folder = scratchFolder()
  const [json, junit] = [join(folder, 'report.json'), join(folder, 'report.xml')]
  const { status, stdout } = steploop('conformance', ...one, '--json', json, '--junit', junit)
  expect(status).toBe(0)
  expect(stdout).toContain('single-call  ✓ ✓')
  expect(stdout).toContain('through fetch and msw')
  expect(stdout).not.toContain('\u001B')
  const report = reportSchema.parse(JSON.parse(readFileSync(json, 'utf8')))
  expect(report.cases.map(({ verdict }) => verdict)).toEqual(['pass', 'pass'])
  expect(readFileSync(junit, 'utf8')).toContain('<testsuite name="anthropic"')
})

test('a report on stdout is nothing but the report', () => {
  const { stdout } = steploop('conformance', ...one, '--mode', 'generate', '--front-end', 'fetch', '--json', '-')
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
  const { status, stdout } = steploop('conformance', config, ...one, '--mode', 'stream')
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
])('conformance %j is a wrong use: exit 2, with what there is', (words, message) => {
  const { status, stderr } = steploop('conformance', ...words)
  expect([status, message.test(stderr)]).toEqual([2, true])
})

test('shards together are the whole', () => {
  const shards = ['1/2', '2/2'].map((shard) => {
    const { stdout } = steploop(
      'conformance',
      '--only',
      'anthropic',
      '--scenario',
      'text-only',
      '--scenario',
      'bad-key',
      '--front-end',
      'fetch',
      '--shard',
      shard,
      '--json',
      '-',
    )
    return reportSchema.parse(JSON.parse(stdout)).cases.map(({ address }) => address)
  })
  expect(shards.flat().toSorted()).toEqual([
    'anthropic/bad-key/generate',
    'anthropic/bad-key/stream',
    'anthropic/text-only/generate',
    'anthropic/text-only/stream',
  ])
})
