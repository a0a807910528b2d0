import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { registerRecord } from './record.ts'
import { root, runSteploop, scratchFolder, spawnSteploop } from '../testing.ts'

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

/** A config with the same subjects, whose cassettes go into a folder of this test. */
function setUp() {
  const folder = scratchFolder()
  const config = join(folder, 'steploop.config.ts')
  writeFileSync(
    config,
    `import config from ${JSON.stringify(join(root, 'steploop.config.ts'))}
export default { subjects: config.subjects.map((subject) => ({ ...subject, cassettes: ${JSON.stringify(folder)} + '/' + subject.name })) }\n`,
  )
  return { folder, config }
}

/** In this process. */
const record = (...words: readonly string[]) => runSteploop([registerRecord], ['record', ...words])

const one = ['--only', 'anthropic', '--scenario', 'single-call', '--mode', 'stream'] as const

test('recording from the simulator writes an honest cassette, and again changes nothing', async () => {
  const { folder, config } = setUp()
  const first = spawnSteploop(['record', ...one, '--simulator', '--config', config, '--date', '2026-11-21'])
  expect([first.status, first.stdout]).toEqual([0, expect.stringContaining('1 written, 0 unchanged, 0 refused')])
  const file = join(folder, 'anthropic', 'single-call.stream.yaml')
  const text = readFileSync(file, 'utf8')
  expect(text).toMatch(/kind: "simulated"\n {2}by: "@steploop\/conformance .* simulator"\n {2}date: "2026-11-21"/)
  expect(text).not.toContain('127.0.0.1')
  const second = await record(...one, '--simulator', '--config', config, '--date', '2027-01-01')
  expect(second.out).toContain('0 written, 1 unchanged, 0 refused')
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('a disk that takes no more ends a recording in one line, and nothing half-written stays', () => {
  const { folder, config } = setUp()
  const words = ['record', ...one, '--simulator', '--config', config]
  const node = [process.execPath, '--conditions=@steploop/source', join(root, 'packages/cli/src/main.ts'), ...words]
  // Files of at most 2 kB: the cassette is longer.
  const { status, stderr } = spawnSync('sh', ['-c', 'ulimit -f 4 && exec "$@"', 'sh', ...node], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, CI: undefined, NODE_COMPILE_CACHE: undefined },
  })
  expect(status).toBe(2)
  expect(stderr).toMatch(/^steploop: .*single-call\.stream\.yaml: The cassette cannot be written \(EFBIG\)/m)
  expect(readdirSync(join(folder, 'anthropic'))).toEqual([])
})

test('a server that is not there leaves no file behind, and says what failed', async () => {
  vi.stubEnv('CI', undefined)
  const { folder, config } = setUp()
  const { status, err } = await record(...one, '--base-url', 'http://127.0.0.1:9/v1', '--config', config)
  expect(status).toBe(1)
  expect(err).toMatch(/got no response: check the address/)
  expect(existsSync(join(folder, 'anthropic')) ? readdirSync(join(folder, 'anthropic')) : []).toEqual([])
})

test.each([
  [
    { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' },
    [],
    /Set OPENAI_API_KEY to record 'openai'.* live[^]*Set ANTHROPIC_API_KEY/,
  ],
  [{}, ['--base-url', 'http://127.0.0.1:9'], /Name one subject with --only/],
  [{}, ['--only', 'openai-compatible'], /'openai-compatible' has no address of its own/],
  [{ XAI_API_KEY: '' }, ['--only', 'xai', '--only', 'xai-chat'], /Set XAI_API_KEY to record 'xai' and 'xai-chat' live/],
  [{}, [...one, '--base-url', 'http://127.0.0.1:9', '--live', '--local'], /--live and --local exclude each other/],
  [{}, [...one, '--simulator', '--max-requests', 'few'], /is no count/],
  [{}, ['--only', 'nobody', '--simulator'], /no subject 'nobody'/],
  [{}, [...one, '--simulator', '--base-url', 'http://127.0.0.1:9'], /exclude each other/],
  [{}, [...one, '--simulator', '--simulated'], /--simulated says what answers at --base-url/],
  [{}, [...one, '--base-url', 'localhost'], /is no URL/],
  [{}, [...one, '--simulator', '--date', 'today'], /is no day/],
  [{ ANTHROPIC_API_KEY: '' }, [...one], /Set ANTHROPIC_API_KEY/],
  [{ CI: '1' }, [...one, '--base-url', 'http://127.0.0.1:9'], /Under CI nothing is recorded/],
])('record with %j %j is a wrong use: exit 2, with the fix', async (environment, words, message) => {
  vi.stubEnv('CI', undefined)
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  const { status, err } = await record(...words)
  expect(err).toMatch(message)
  expect(status).toBe(2)
})
