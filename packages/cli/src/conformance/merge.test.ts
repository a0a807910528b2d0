import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from '@steploop/conformance'
import { reportSchema } from '@steploop/conformance/cli'
import { expect, test, vi } from 'vitest'
import { registerConformance } from './conformance.ts'
import { registerMerge } from './merge.ts'
import { root, runSteploop, scratchFolder, spawnSteploop } from '../testing.ts'

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

/** In this process. */
const steploop = (...words: readonly string[]) => runSteploop([registerConformance, registerMerge], words)
const scratchFile = (name: string) => join(scratchFolder(), name)

const chosen = ['--only', 'groq', '--only', 'openai', '--scenario', 'single-call', '--scenario', 'text-only']

/** Without what differs from run to run. */
function comparable(file: string): unknown {
  const report: Report = reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  return JSON.parse(
    JSON.stringify(report, (key, value: unknown) => (['durationMs', 'times'].includes(key) ? 0 : value)),
  )
}

/** Bodies that cases share are swept in the first that has them, so shards sweep some twice. */
function verdicts(file: string): unknown {
  const { cases, counts, subjects, scenarios, ok } = reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  return { cases: cases.map(({ address, verdict }) => [address, verdict]), counts, subjects, scenarios, ok }
}

test('shards merge into the verdicts of one run; processes that share the subjects give the very same report', async () => {
  const [whole, shared, merged] = [scratchFile('whole.json'), scratchFile('shared.json'), scratchFile('merged.json')]
  const parts = ['1/2', '2/2'].map((shard) => [shard, scratchFile('part.json')] as const)
  for (const [shard, file] of parts)
    expect((await steploop('conformance', ...chosen, '--shard', shard, '--json', file)).status).toBe(0)
  expect((await steploop('conformance', ...chosen, '--workers', '1', '--json', whole)).status).toBe(0)
  expect((await steploop('conformance', ...chosen, '--workers', '2', '--json', shared)).status).toBe(0)
  const files = parts.map(([, file]) => file).toReversed()
  const { status, stdout } = spawnSteploop(['merge', ...files, '--json', merged])
  expect([status, stdout]).toEqual([0, expect.stringContaining('8 cases: 8 pass')])
  expect(verdicts(merged)).toEqual(verdicts(whole))
  expect(comparable(shared)).toEqual(comparable(whole))
})

test('what is no report is refused with the name of the file and the fix', async () => {
  const file = scratchFile('other.json')
  writeFileSync(file, '{"version":1}')
  const { status, err } = await steploop('merge', file)
  expect(status).toBe(2)
  expect(err).toContain(`${file} is no report of this version: suite`)
  expect((await steploop('merge', join(root, 'README.md'))).status).toBe(2)
})

test('numbers that are none are refused', async () => {
  const { status, err } = await steploop('conformance', ...chosen, '--workers', 'many')
  expect([status, err]).toEqual([2, expect.stringContaining("--workers 'many' is no whole number from 1.")])
})
