import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claimSchema, type Claim } from '@steploop/lab'
import { expect, test, vi } from 'vitest'
import { registerConformance } from './conformance.ts'
import { root, runSteploop, scratchFolder } from '../testing.ts'
import { registerVerify } from './verify.ts'

// The suite is run several times, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

const steploop = (...words: readonly string[]) => runSteploop([registerConformance, registerVerify], words)

const scenarios = ['text-only', 'single-call']

interface Scratch {
  readonly folder: string
  readonly claim: string
  /** Writes a config with one small subject; `more` are members of it, as source text. */
  readonly config: (name: string, more?: string) => string
}

function scratch(): Scratch {
  const folder = scratchFolder()
  mkdirSync(join(folder, 'cassettes'))
  for (const name of scenarios.flatMap((id) => [`${id}.generate.yaml`, `${id}.stream.yaml`])) {
    cpSync(join(root, 'cassettes/ollama', name), join(folder, 'cassettes', name))
  }
  writeFileSync(join(folder, 'package.json'), '{"name":"steploop-small","version":"1.2.3"}')
  return {
    folder,
    claim: join(folder, 'claim.json'),
    config(name, more = '') {
      const file = join(folder, name)
      writeFileSync(
        file,
        `import config from ${JSON.stringify(join(root, 'steploop.config.ts'))}
const ollama = config.subjects.find(({ name }) => name === 'ollama')
const small = { scenarios: ${JSON.stringify(scenarios)}, cassettes: ${JSON.stringify(join(folder, 'cassettes'))}, package: undefined }
export default { subjects: [{ ...ollama, ...small, ${more} }] }\n`,
      )
      return file
    },
  }
}

/** An adapter that breaks each batch of events, as source text. */
function withEvents(changed: string): string {
  return `adapter: (options) => {
  const correct = ollama.adapter(options)
  const { provider, model, capabilities } = correct
  return { provider, model, capabilities, async *turn(...given) {
    for await (const batch of correct.turn(...given)) yield ${changed}
  } }
},`
}

const quick = ['--front-end', 'fetch'] as const

function readClaim(file: string): Claim {
  return claimSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
}

test('a claim says what was run on what, verify repeats it, and a badge comes out', async () => {
  const { folder, claim, config } = scratch()
  const file = config('steploop.config.ts')
  const run = await steploop('conformance', file, ...quick, '--seed', '7', '--claim', claim)
  expect([run.status, run.err]).toEqual([0, expect.not.stringContaining('steploop:')])
  const written = readClaim(claim)
  expect(written).toMatchObject({ frontEnds: ['fetch'], seed: 7, full: false, knownFailures: [] })
  expect(written.subjects).toHaveLength(1)
  expect(written.subjects[0]).toMatchObject({
    name: 'ollama',
    package: { name: 'steploop-small', version: '1.2.3' },
    wire: 'ollama-chat',
    cases: { 'single-call/generate': 'pass', 'text-only/stream': 'pass' },
  })
  expect(Object.keys(written.subjects[0]?.cassettes.files ?? {})).toHaveLength(4)

  const badge = join(folder, 'badge.json')
  const repeated = await steploop('verify', claim, file, '--badge', badge)
  expect(repeated.status).toBe(0)
  expect(repeated.out).toMatch(
    /ollama +steploop-small 1\.2\.3 +4 same, 2 scenarios only +4 simulated, of \d{4}-\d\d-\d\d \(.*\)/,
  )
  expect(repeated.out).toContain('through fetch, seed 7')
  expect(repeated.out).toContain('the claim holds: 4 of 4 cases are the same')
  expect(JSON.parse(readFileSync(badge, 'utf8'))).toEqual({
    schemaVersion: 1,
    label: 'steploop',
    message: `${written.requirements.date}, 4 pass, 2 scenarios only, simulated`,
    color: 'green',
  })
})

test('a claim on stdout is nothing but the claim', async () => {
  const { out } = await steploop('conformance', scratch().config('steploop.config.ts'), ...quick, '--claim', '-')
  expect(Object.values(claimSchema.parse(JSON.parse(out)).subjects[0]?.cases ?? {})).toHaveLength(4)
})

test('a cassette that was changed is named, nothing is run, and the badge is red', async () => {
  const { folder, claim, config } = scratch()
  const file = config('steploop.config.ts')
  await steploop('conformance', file, ...quick, '--claim', claim)
  const cassette = join(folder, 'cassettes/text-only.stream.yaml')
  writeFileSync(cassette, `${readFileSync(cassette, 'utf8')}\n`)
  const { status, out } = await steploop('verify', claim, file)
  expect(status).toBe(1)
  expect(out).toContain(`✗ ollama: ${cassette} was changed`)
  expect(out).toContain('so nothing was run')
  const badge = await steploop('verify', claim, file, '--badge', '-')
  expect(JSON.parse(badge.out)).toMatchObject({ message: 'claim does not hold', color: 'red', isError: true })
})

test('a case with another verdict is reported with its check and the command that repeats it', async () => {
  const { claim, config } = scratch()
  await steploop('conformance', config('steploop.config.ts'), ...quick, '--claim', claim)
  const lossy = config(
    'lossy.config.ts',
    withEvents(`batch.filter(({ type, toolName }) => type !== 'tool-call' || !toolName.startsWith('get_'))`),
  )
  const { status, out } = await steploop('verify', claim, lossy)
  expect(status).toBe(1)
  expect(out).toMatch(/✗ ollama\/single-call\/generate: claimed pass, is fail:\n.*#\w/)
  expect(out).toContain(`conformance ${lossy} --only ollama --scenario single-call --mode generate`)
  expect(out).toContain('the claim does not hold: 2 differences; 2 cases are the same.')
})

test('known failures are claimed with their lines, and hold although the list has gone', async () => {
  const { folder, claim, config } = scratch()
  const silent = config(
    'silent.config.ts',
    withEvents(`batch.map((event) => (event.type === 'turn-end' ? { ...event, usage: {} } : event))`),
  )
  const list = join(folder, 'known-failures.yaml')
  const line = { check: 'ollama/*/*#usage-adds-up', reason: 'a reason', issue: 'one', expires: '9999-12-31' }
  writeFileSync(list, JSON.stringify([line]))
  const run = await steploop('conformance', silent, ...quick, '--claim', claim)
  expect([run.status, run.err]).toEqual([0, expect.not.stringContaining('steploop:')])
  expect(readClaim(claim).knownFailures).toEqual([line])
  rmSync(list)
  const { status, out } = await steploop('verify', claim, silent)
  expect([status, out]).toEqual([0, expect.stringContaining('~ ollama/*/*#usage-adds-up: a reason (until 9999-12-31)')])
})

test('a run that is not as expected is no claim: nothing is written, in words', async () => {
  const { folder, claim, config } = scratch()
  rmSync(join(folder, 'cassettes/text-only.stream.yaml'))
  const { status, err } = await steploop('conformance', config('steploop.config.ts'), ...quick, '--claim', claim)
  expect([status, existsSync(claim)]).toEqual([1, false])
  expect(err).toContain('no claim was written: the run is not as expected')
})

test.each([
  ['--scenario', 'text-only'],
  ['--mode', 'stream'],
  ['--stress', 'stable'],
  ['--shard', '1/2'],
])('a run that %s %s leaves a part out of is refused before it starts', async (option, value) => {
  const { claim, config } = scratch()
  const { status, err } = await steploop('conformance', config('c.config.ts'), option, value, '--claim', claim)
  expect([status, existsSync(claim)]).toEqual([2, false])
  expect(err).toContain(`${option} would leave a part out`)
  expect(err).not.toContain('0 of')
})

test('what is no claim, a claim of another subject, and a newer requirement set are refused with the fix', async () => {
  const { folder, claim, config } = scratch()
  const file = config('steploop.config.ts')
  const other = join(folder, 'other.json')
  writeFileSync(other, '{"version":2}')
  expect(await steploop('verify', other, file)).toMatchObject({
    status: 2,
    err: expect.stringMatching(/other\.json is no claim of version 1: version/),
  })
  expect(await steploop('verify', join(folder, 'none.json'), file)).toMatchObject({
    status: 2,
    err: expect.stringContaining('none.json cannot be read'),
  })
  await steploop('conformance', file, ...quick, '--claim', claim)
  expect(await steploop('verify', claim, config('b.config.ts', `name: 'else',`))).toMatchObject({
    status: 2,
    err: expect.stringContaining("The claim is of 'ollama', and the config has else"),
  })
  const written = readClaim(claim)
  writeFileSync(claim, JSON.stringify({ ...written, requirements: { ...written.requirements, date: '9999-01-01' } }))
  expect(await steploop('verify', claim, file)).toMatchObject({
    status: 2,
    err: expect.stringContaining('Install a newer @steploop/conformance'),
  })
})

test('another version of the adapter is another adapter', async () => {
  const { folder, claim, config } = scratch()
  const file = config('steploop.config.ts')
  await steploop('conformance', file, ...quick, '--claim', claim)
  writeFileSync(join(folder, 'package.json'), '{"name":"steploop-small","version":"1.3.0"}')
  const { status, out } = await steploop('verify', claim, file)
  expect(status).toBe(1)
  expect(out).toContain('ollama is the package steploop-small@1.3.0, the claim is of steploop-small@1.2.3')
})
