import { relative, resolve } from 'node:path'
import { createVitest, type Vitest } from 'vitest/node'
import { guardMutants, type GuardMutant } from './guards.ts'

/** Takes each guard of the store and the server away, in memory, and runs its tests. Exit code 1: they stay green. */
const root = resolve(import.meta.dirname, '..')
const longest = 60_000
let mutant: GuardMutant | undefined
const transform = (code: string, id: string): string | undefined => {
  if (mutant === undefined || id.split('?')[0] !== mutant.file) return undefined
  return code.slice(0, mutant.start) + mutant.becomes + code.slice(mutant.end)
}
async function open(): Promise<Vitest> {
  const opened = await createVitest(
    {
      root,
      watch: true,
      reporters: [{}],
      coverage: { enabled: false },
      fsModuleCache: false,
      pool: 'threads',
      bail: 1,
      testTimeout: 10_000,
      // One SQL for all databases: the quick ones are enough.
      testNamePattern: /^(?!Postgres)/,
    },
    { plugins: [{ name: 'steploop:guards', enforce: 'pre', transform }], server: { watch: null } },
  )
  await opened.standalone()
  return opened
}
let vitest = await open()

/** Titles of tests that are red; none where they never ended, which says nothing. */
async function redTests(tests: readonly string[]): Promise<readonly string[]> {
  const project = vitest.getRootProject()
  const run = vitest.runTestSpecifications(tests.map((file) => project.createSpecification(resolve(root, file))))
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((done) => {
    timer = setTimeout(() => done(undefined), longest)
  })
  const ended = await Promise.race([run, late])
  clearTimeout(timer)
  if (ended === undefined) {
    await vitest.close()
    vitest = await open()
    return []
  }
  const own = new Set(tests.map((file) => resolve(root, file)))
  return ended.testModules
    .filter(({ moduleId }) => own.has(moduleId))
    .flatMap((module) => [...module.children.allTests('failed')].map(({ name }) => name))
}

const wanted = process.argv[2] ?? ''
const mutants = guardMutants().filter(({ guard }) => guard.includes(wanted))
const files = [...new Set(mutants.flatMap(({ tests }) => tests))]
const red = await redTests(files)
if (red.length > 0) throw new Error(`Red as it is: ${red.join(', ')}`)
let missed = 0
for (const one of mutants) {
  mutant = one
  vitest.invalidateFile(one.file)
  const [noticed] = await redTests(one.tests)
  vitest.invalidateFile(one.file)
  mutant = undefined
  if (noticed === undefined) missed++
  const location = `${relative(root, one.file)}:${one.line}`
  console.log(`${noticed === undefined ? 'NOT NOTICED' : 'noticed'}  ${one.guard}  ${location}  ${noticed ?? ''}`)
}
console.log(`${mutants.length - missed} of ${mutants.length} are noticed.`)
await vitest.close()
process.exitCode = missed === 0 ? 0 : 1
