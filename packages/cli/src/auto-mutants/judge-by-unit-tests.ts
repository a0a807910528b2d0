import { dirname, extname, relative } from 'node:path'
import { HarnessError } from '@steploop/conformance'
import type { TestSpecification } from 'vitest/node'
import type { JudgeFinding, JudgeJob } from './judgement.ts'
import { mutate, type AppliedMutation } from './mutation.ts'

/** The tests that reach the mutated file, until one is red. */
export async function judgeByUnitTests(job: JudgeJob): Promise<JudgeFinding> {
  // What vitest is given are parts of paths; the whole project needs none.
  const folders = job.tests.map((folder) => relative(job.root, folder).replaceAll('\\', '/'))
  return runTests(job, folders.includes('') ? [] : folders.map((folder) => `${folder}/`))
}

/** What the suite asks of any loop, until one is red. */
export async function judgeByLoopTests(job: JudgeJob): Promise<JudgeFinding> {
  return runTests({ ...job, reached: [] }, job.loopTests)
}

/** Vitest finds its config from the config's folder. */
async function runTests({ root, reached, mutation }: JudgeJob, filters: readonly string[]): Promise<JudgeFinding> {
  const { createVitest, BaseSequencer } = await loadVitest()
  // The nearest tests first: most often they are the ones that notice.
  class NearestFirst extends BaseSequencer {
    override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
      const far = ({ moduleId }: TestSpecification): number => distance(moduleId, reached)
      return specifications.toSorted((left, right) => far(left) - far(right))
    }
  }
  const vitest = await createVitest(
    {
      root,
      watch: false,
      reporters: [{}],
      bail: 1,
      // In this process, which is killed when it takes too long.
      pool: 'threads',
      maxWorkers: 1,
      coverage: { enabled: false },
      fsModuleCache: false,
      ...(reached.length > 0 && { related: [...reached] }),
      sequence: { sequencer: NearestFirst },
    },
    { plugins: mutation === undefined ? [] : [mutating(mutation)] },
  )
  try {
    const specifications = await vitest.getRelevantTestSpecifications([...filters])
    if (specifications.length === 0) return { noticedBy: undefined, ran: '0 tests' }
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
    const cases = testModules.flatMap((module) => [...module.children.allTests()])
    const red =
      cases.find((test) => test.result().state === 'failed')?.fullName ??
      testModules.find((module) => !module.ok())?.relativeModuleId ??
      (unhandledErrors.length === 0 ? undefined : String(unhandledErrors[0]))
    return { noticedBy: red, ran: `${cases.length} tests` }
  } finally {
    await vitest.close()
  }
}

/** 0 for the tests of a file, 1 for those of its folder, 2 for others. */
function distance(test: string, [file = '']: readonly string[]): number {
  if (test.startsWith(`${file.slice(0, -extname(file).length)}.`)) return 0
  return dirname(test) === dirname(file) ? 1 : 2
}

async function loadVitest(): Promise<typeof import('vitest/node')> {
  try {
    return await import('vitest/node')
  } catch (cause) {
    throw new HarnessError('usage', '`mutants --auto` runs the unit tests with vitest: `npm install -D vitest`.', {
      cause,
    })
  }
}

/** Changes the file on its way into the tests. */
function mutating(mutation: AppliedMutation) {
  return {
    name: 'steploop:mutate',
    enforce: 'pre' as const,
    transform: (code: string, id: string): string | undefined =>
      id.split('?')[0] === mutation.file ? mutate(code, mutation) : undefined,
  }
}
