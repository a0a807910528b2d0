import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { scenarios } from '@steploop/conformance'
import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import config from '../steploop.config.ts'
import vitestConfig from '../vitest.config.ts'
import type { Parsed } from './testing.ts'

const ids = scenarios.map(({ id }) => id)

/** Recorded modes of a scenario of a subject. */
function recorded(subject: string, scenario: string): readonly string[] {
  const folder = config.subjects.find(({ name }) => name === subject)?.cassettes ?? ''
  const path = folder instanceof URL ? fileURLToPath(folder) : folder
  return ['generate', 'stream'].filter((mode) => existsSync(join(path, `${scenario}.${mode}.yaml`)))
}

const required = ['parallel-calls', 'three-turn', 'five-turn', 'branch', 'tool-output-only']

test('cassettes of OpenAI and of a compatible server are in the repository', { tags: ['X01'] }, () => {
  expect(required.map((scenario) => recorded('openai', scenario))).toEqual(required.map(() => ['generate', 'stream']))
  expect(config.subjects.map(({ name }) => name)).toEqual(expect.arrayContaining(['openai', 'openai-compatible']))
})

test('parallel calls, more turns, a branch and outputs alone are scenarios', { tags: ['X02'] }, () => {
  expect(ids).toEqual(expect.arrayContaining(required))
  const streamed = required.filter((scenario) => recorded('openai-compatible', scenario).includes('stream'))
  expect(streamed).toEqual(required)
})

test('the happy path, a tool that fails and the step limit are scenarios', { tags: ['X03'] }, () => {
  const wanted = ['single-call', 'tool-throws', 'max-steps-finalize', 'max-steps-incomplete', 'max-steps-throw']
  expect(ids).toEqual(expect.arrayContaining(wanted))
})

test('the policies are covered by four fifths at least, or CI fails', { tags: ['X04'] }, () => {
  const { test: options }: Parsed = vitestConfig
  expect(options.coverage.include).toContain('packages/*/src/**')
  const { lines, functions } = options.coverage.thresholds['packages/core/src/policies/**']
  expect(Math.min(lines, functions)).toBeGreaterThanOrEqual(80)
  expect(readFileSync(new URL('../.ci/run', import.meta.url), 'utf8')).toMatch(/^  '.*' 'pnpm coverage:policies /m)
  expect(manifest.scripts['coverage:policies']).toContain('--coverage --coverage.include=packages/core/src/policies/**')
})
