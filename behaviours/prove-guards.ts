import { relative } from 'node:path'
import { repository } from './catalogue.ts'
import { guardMutants } from './guards.ts'
import { apply, openBench, runTests } from './prove.ts'

/** Takes each guard of the store and the server away, in memory, and runs its tests. Exit code 1: they stay green. */
const wanted = process.argv[2] ?? ''
const mutants = guardMutants().filter(({ guard }) => guard.includes(wanted))
// One SQL for all databases: the quick ones are enough.
const bench = await openBench({ testNamePattern: /^(?!Postgres)/ })

async function redTests(files: readonly string[]): Promise<readonly string[]> {
  const run = await runTests(bench, files)
  return run.filter((test) => test.result().state === 'failed').map(({ name }) => name)
}

const red = await redTests([...new Set(mutants.flatMap(({ tests }) => tests))])
if (red.length > 0) throw new Error(`Red as it is: ${red.join(', ')}`)
let missed = 0
for (const { guard, line, tests, ...change } of mutants) {
  apply(bench, change)
  const [noticed] = await redTests(tests)
  if (noticed === undefined) missed++
  const location = `${relative(repository, change.file)}:${line}`
  console.log(`${noticed === undefined ? 'NOT NOTICED' : 'noticed'}  ${guard}  ${location}  ${noticed ?? ''}`)
}
console.log(`${mutants.length - missed} of ${mutants.length} are noticed.`)
await bench.vitest.close()
process.exitCode = missed === 0 ? 0 : 1
