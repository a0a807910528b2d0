import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { repository } from './source-files.ts'
import { readPackage, readWorkspace } from './workspace.ts'

const Plan = z.object({
  globalCacheInputs: z.object({ files: z.record(z.string(), z.string()) }),
  tasks: z.array(
    z.object({
      taskId: z.string(),
      dependencies: z.array(z.string()),
      inputs: z.record(z.string(), z.string()),
    }),
  ),
})
type Task = z.infer<typeof Plan>['tasks'][number]

const rootTasks = [
  'format',
  'lint',
  'test',
  'deadcode',
  'packages',
  'conformance',
  'behaviours',
  'mutants',
  'cassettes',
  'footprint',
  'reference',
  'conformance:local',
  'conformance:ai-sdk',
]
const tasks = new Map<string, Task>()
const sharedInputs = new Set<string>()
const published = readWorkspace().filter((found) => !found.private)
const names = new Set(published.map(({ name }) => name))

beforeAll(async () => {
  const turbo = join(repository, 'node_modules/.bin/turbo')
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1' }
  const planned = ['run', 'build', ...rootTasks, '--dry=json']
  const { stdout } = await promisify(execFile)(turbo, planned, { cwd: repository, env, maxBuffer: 2 ** 26 })
  const plan = Plan.parse(JSON.parse(stdout))
  for (const task of plan.tasks) tasks.set(task.taskId, task)
  for (const path of Object.keys(plan.globalCacheInputs.files)) sharedInputs.add(path)
})

/** Every task that has to run again when this one does. */
function upstream(id: string, seen = new Set<string>()): Set<string> {
  for (const next of tasks.get(id)?.dependencies ?? []) {
    if (seen.has(next)) continue
    seen.add(next)
    upstream(next, seen)
  }
  return seen
}

test.for(published)('a change in a package that $name uses builds $name again', (found) => {
  const used = Object.keys({ ...found.dependencies, ...found.peerDependencies, ...found.devDependencies })
  const expected = used.filter((name) => names.has(name)).map((name) => `${name}#build`)
  expect([...upstream(`${found.name}#build`)]).toEqual(expect.arrayContaining(expected))
})

test('a source, a manifest and the compiler settings are inputs of a build, a test is not', () => {
  const inputs = Object.keys(tasks.get('@steploop/core#build')?.inputs ?? {})
  expect(inputs).toEqual(expect.arrayContaining(['package.json', 'src/index.ts', 'tsconfig.json']))
  expect([...sharedInputs]).toEqual(expect.arrayContaining(['tsconfig.base.json', 'tsconfig.build.json']))
  expect(inputs.filter((path) => path.endsWith('.test.ts'))).toEqual([])
})

test('no change rebuilds everything: the root manifest names no package of ours', () => {
  // Turbo hashes the root's own workspace dependencies into every task; pnpm-workspace.yaml hoists them instead.
  const manifest = readPackage('package.json')
  const named = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  expect(named).toContain('turbo')
  expect(named.filter((name) => names.has(name))).toEqual([])
})

/** Files of which each kind is read by some tasks only: what they read has to be an input, or a change of it is not checked. */
const reads: readonly (readonly [path: string, tasks: readonly string[]])[] = [
  ['packages/core/src/index.ts', rootTasks],
  ['packages/core/src/wire/framing.test.ts', ['format', 'lint', 'test', 'deadcode', 'packages', 'behaviours']],
  ['docs/providers.md', ['format', 'test', 'packages', 'behaviours', 'reference']],
  [
    'cassettes/openai/text-only.stream.yaml',
    ['test', 'conformance', 'mutants', 'cassettes', 'conformance:local', 'conformance:ai-sdk'],
  ],
  ['packages/adapters/ai-sdk/known-failures.yaml', rootTasks],
  ['pnpm-lock.yaml', rootTasks],
  ['.oxlintrc.json', rootTasks],
]

test.for(reads)(
  'a change of %s repeats the tasks of the root that read such files, and no others',
  ([path, readers]) => {
    const repeated = rootTasks.filter((name) => tasks.get(`//#${name}`)?.inputs[path] !== undefined)
    expect(repeated).toEqual(readers)
  },
)

test('CI takes nothing from a cache', () => {
  expect(readFileSync(join(repository, '.ci/run'), 'utf8')).toMatch(/^export .*\bTURBO_FORCE=true$/m)
})
