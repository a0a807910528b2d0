import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { killMatrixSchema } from '@steploop/conformance/cli'
import { expect, test, vi } from 'vitest'
import { registerMutants } from './mutants.ts'
import { runSteploop, scratchFolder } from '../testing.ts'

// Correct adapters are run first, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const config = fileURLToPath(new URL('../../../../steploop.config.ts', import.meta.url))

const mutants = (...words: readonly string[]) => runSteploop([registerMutants], ['mutants', ...words])

/** A config with one correct subject and one scenario, so that few cases are run. */
function smallConfig(folder: string): string {
  const file = join(folder, 'steploop.config.ts')
  const text = `import config from ${JSON.stringify(config)}
const [first] = config.subjects
export default { subjects: [{ ...first, scenarios: ['parallel-calls'] }] }\n`
  writeFileSync(file, text)
  return file
}

test('a mutant that is killed is shown with the case and the checks that noticed it', async () => {
  const folder = scratchFolder()
  const json = join(folder, 'mutants.json')
  const words = [smallConfig(folder), '--only', 'duplicate-result', '--json', json]
  const { out } = await mutants(...words)
  expect(out).toMatch(/✓ duplicate-result +openai\/parallel-calls\/generate.*#paired/)
  expect(out).toContain('1 of 1 mutants killed')
  const report: unknown = JSON.parse(readFileSync(json, 'utf8'))
  expect(report).toMatchObject({ version: 1, level: 'quick', mutants: 1, killed: 1 })
  expect(report).toHaveProperty('checks')
  expect(report).toHaveProperty('idleChecks')
})

test('without a matrix of kills, or with a stale one, the run is red and says what to do', async () => {
  const folder = scratchFolder()
  const matrix = join(folder, 'matrix.json')
  const words = [smallConfig(folder), '--complete', '--only', 'duplicate-result', '--matrix', matrix]
  const without = await mutants(...words)
  expect(without.status).toBe(1)
  expect(without.out).toMatch(/There is no matrix of kills.*steploop mutants --full/)
  const stale = { version: 1, hash: 'of another time', idleChecks: [], checks: ['of-old'], mutants: [] }
  writeFileSync(matrix, JSON.stringify(killMatrixSchema.parse(stale)))
  const old = await mutants(...words)
  expect(old.status).toBe(1)
  expect(old.out).toMatch(/The matrix of kills is stale: .*new check 'golden'.*check 'of-old' is gone/)
})

test('a matrix that cannot be read is an error of the caller', async () => {
  const folder = scratchFolder()
  const matrix = join(folder, 'matrix.json')
  writeFileSync(matrix, '{')
  const { status, err } = await mutants(smallConfig(folder), '--only', 'duplicate-result', '--matrix', matrix)
  expect(status).toBe(2)
  expect(err).toMatch(/matrix\.json is no matrix of kills\. Write it anew/)
})

test('a place for the matrix is none of a run that writes no matrix', async () => {
  const folder = scratchFolder()
  const small = smallConfig(folder)
  const matrix = join(small, 'matrix.json')
  const whole = await mutants(small, '--full', '--matrix', matrix)
  expect(whole).toMatchObject({ status: 2, err: expect.stringMatching(/--matrix '.*' lies in .*, which is a file/) })
  const one = await mutants(small, '--full', '--only', 'duplicate-result', '--matrix', matrix)
  expect(one.out).toContain('1 of 1 mutants killed')
})

test('a mutant that nobody knows is an error of the caller, with those that there are', async () => {
  const { status, err } = await mutants('--only', 'no-such-mutant')
  expect(status).toBe(2)
  expect(err).toMatch(/There is no mutant 'no-such-mutant'\. There are: .*lose-second-call/)
})

test('a suite that is red for correct adapters proves nothing: exit code 70', async () => {
  const folder = scratchFolder()
  const file = join(folder, 'steploop.config.ts')
  const text = `import config from ${JSON.stringify(config)}
const [first] = config.subjects
export default { subjects: [{ ...first, cassettes: ${JSON.stringify(folder)} }] }\n`
  writeFileSync(file, text)
  const { status, err } = await mutants(file, '--only', 'duplicate-result')
  expect(status).toBe(70)
  expect(err).toMatch(/red without any mutant: openai\/text-only\/generate#cassette.* and \d+ more/)
})

test('help tells the exit codes', async () => {
  const { status, out } = await mutants('--help')
  expect(status).toBe(0)
  expect(out).toMatch(/Exit codes: 0 every mutant is killed; 1 .*2 .*70/s)
})
