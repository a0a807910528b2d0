import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createVitest, type TestCase, type Vitest } from 'vitest/node'
import type { HeldBehaviour, Switch } from './behaviour.ts'
import { repository, type NamedTest } from './named-tests.ts'

/** What became of the tests of one behaviour when it was switched off. */
export interface Proof {
  readonly id: string
  readonly switchedOff: Switch
  /** Titles of the tests that went red. */
  readonly red: readonly string[]
  /** Why the id is not proven. */
  readonly problem?: string | undefined
}

export interface ProveOptions {
  readonly behaviours: readonly HeldBehaviour[]
  readonly tests: readonly NamedTest[]
  readonly onProof: (proof: Proof) => void
}

/** A test that waits for what was switched off must not hold the others up. */
const testTimeout = 10_000

/**
 * Runs the tests of every behaviour, as they are and with the behaviour switched off, in one vitest. Sources are changed on their way into
 * the tests only, never on disk.
 */
export async function prove({ behaviours, tests, onProof }: ProveOptions): Promise<readonly Proof[]> {
  const patcher = createPatcher()
  const vitest = await createVitest(
    {
      root: repository,
      watch: true,
      reporters: [{}],
      testTimeout,
      coverage: { enabled: false },
      fileParallelism: false,
      fsModuleCache: false,
    },
    { plugins: [patcher.plugin], server: { watch: null } },
  )
  try {
    await vitest.standalone()
    const runner = { vitest, tests }
    const green = await runTests(runner, behaviours)
    const proofs: Proof[] = []
    for (const behaviour of behaviours) {
      const proof = await proveOne(behaviour, { ...runner, green, patcher })
      proofs.push(proof)
      onProof(proof)
    }
    return proofs
  } finally {
    await vitest.close()
  }
}

interface Runner {
  readonly vitest: Vitest
  readonly tests: readonly NamedTest[]
}

interface ProofRunner extends Runner {
  readonly green: readonly TestCase[]
  readonly patcher: Patcher
}

async function proveOne(behaviour: HeldBehaviour, runner: ProofRunner): Promise<Proof> {
  const { id, switchedOff } = behaviour
  const proof = { id, switchedOff, red: [] }
  const problem = patchProblem(switchedOff)
  if (problem !== undefined) return { ...proof, problem }
  const before = runner.green.filter((test) => names(test, id))
  if (before.length === 0) return { ...proof, problem: 'no test that names it ran' }
  const failing = before.filter((test) => test.result().state !== 'passed')
  if (failing.length > 0) return { ...proof, problem: `fails as it is: ${failing.map(({ name }) => name).join('; ')}` }
  const after = await runner.patcher.during(runner.vitest, switchedOff, () => runTests(runner, [behaviour]))
  if (after.length === 0) return { ...proof, problem: 'switched off, the tests cannot be loaded' }
  const red = after.filter((test) => test.result().state === 'failed').map(({ name }) => name)
  return red.length > 0 ? { ...proof, red } : { ...proof, problem: 'its tests stay green' }
}

/** `undefined` when the text to replace stands once in its file. */
export function patchProblem({ file, find }: Switch): string | undefined {
  const times = readFileSync(resolve(repository, file), 'utf8').split(find).length - 1
  return times === 1 ? undefined : `${file} holds the text to replace ${times} times, not once: ${find}`
}

/** The tests that name one of the behaviours, each run once. */
async function runTests({ vitest, tests }: Runner, behaviours: readonly HeldBehaviour[]): Promise<readonly TestCase[]> {
  const ids = behaviours.map(({ id }) => id)
  const files = new Set(tests.filter((test) => test.ids.some((id) => ids.includes(id))).map(({ file }) => file))
  if (files.size === 0) return []
  vitest.setGlobalTestNamePattern(new RegExp(`\\b(?:${ids.join('|')})\\b`))
  const project = vitest.getRootProject()
  const specifications = [...files].map((file) => project.createSpecification(resolve(repository, file)))
  const { testModules } = await vitest.runTestSpecifications(specifications)
  const cases = testModules.flatMap((module) => [...module.children.allTests()])
  return cases.filter((test) => test.result().state !== 'skipped' && ids.some((id) => names(test, id)))
}

function names(test: TestCase, id: string): boolean {
  return test.name.slice(0, test.name.indexOf(':')).split(', ').includes(id)
}

interface Patcher {
  readonly plugin: {
    readonly name: string
    readonly enforce: 'pre'
    transform(code: string, id: string): string | undefined
  }
  during<T>(vitest: Vitest, patch: Switch, work: () => Promise<T>): Promise<T>
}

function createPatcher(): Patcher {
  let current: Switch | undefined
  return {
    plugin: {
      name: 'steploop:switch-off',
      enforce: 'pre',
      transform(code, id) {
        if (current === undefined || id.split('?')[0] !== resolve(repository, current.file)) return undefined
        const { find, replace } = current
        // As a function: `$` in the text is no pattern.
        return code.replace(find, () => replace)
      },
    },
    async during(vitest, patch, work) {
      const file = resolve(repository, patch.file)
      current = patch
      vitest.invalidateFile(file)
      try {
        return await work()
      } finally {
        current = undefined
        vitest.invalidateFile(file)
      }
    },
  }
}
