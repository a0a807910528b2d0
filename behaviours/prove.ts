import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findMutations, loadParser, mutate, type Mutation, type Parser } from 'steploop/mutations'
import { createVitest, type TestCase, type Vitest } from 'vitest/node'
import { repository, type Behaviour, type TaggedTest } from './catalogue.ts'

/** A change of what decides about a behaviour, and the tests that noticed it. */
export interface Proof {
  readonly id: string
  /** `run/run-ending.ts:41 equality`, where one was noticed. */
  readonly mutant?: string
  /** Titles of the tests that went red. */
  readonly red: readonly string[]
  /** Why the id is not proven. */
  readonly problem?: string
}

/** Operators that leave nothing of a function; asked last, as nearly every test notices them. */
const coarse = new Set(['return-at-once', 'return-undefined', 'drop-statement', 'object-empty'])

/**
 * The mutants of what decides about a behaviour, the finer ones first.
 *
 * @throws RangeError when the file declares no such thing, or several
 */
export function mutantsOf({ id, decided }: Behaviour, parser: Parser): readonly Mutation[] {
  if (decided === undefined) return []
  const file = resolve(repository, decided.file)
  const text = readFileSync(file, 'utf8')
  const scope = scopeOf(decided.by.split('.'), parser.parseSync(file, text).program)
  if (scope === undefined) throw new RangeError(`${id}: ${decided.file} has no single \`${decided.by}\`.`)
  const inside = findMutations({ name: 'behaviour', folder: repository, file, text }, parser).filter(
    ({ start }) => scope.start <= start && start < scope.end,
  )
  const rank = ({ operator }: Mutation): number => (coarse.has(operator) ? 1 : 0)
  return inside
    .filter((mutation) => parser.parseSync(file, mutate(text, mutation)).errors.length === 0)
    .toSorted((left, right) => rank(left) - rank(right))
}

interface Scope {
  readonly start: number
  readonly end: number
}

/** Declarations, methods and members by their names, each within the one before. */
function scopeOf(path: readonly string[], root: unknown): Scope | undefined {
  const [name, ...rest] = path
  if (name === undefined) return root as Scope
  const found: unknown[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (typeof value !== 'object' || value === null) return
    const node = value as { readonly type?: string; readonly id?: unknown; readonly key?: unknown }
    const isNamed = [node.id, node.key].some((own) => Reflect.get(Object(own), 'name') === name)
    if (isNamed && !/^TS|^Import|^Export/.test(node.type ?? '') && isValue(node)) found.push(node)
    Object.values(value).forEach(visit)
  }
  visit(root)
  const within = found.map((node) => scopeOf(rest, node)).filter((scope) => scope !== undefined)
  return within.length === 1 ? within[0] : undefined
}

/** `{ name }` and `const { name } = x` name something that stands elsewhere. */
function isValue(node: object): boolean {
  return Reflect.get(node, 'shorthand') !== true && Reflect.get(node, 'init') !== null
}

export interface ProveOptions {
  readonly behaviours: readonly Behaviour[]
  readonly tests: readonly TaggedTest[]
  readonly onProof: (proof: Proof) => void
}

/** Milliseconds after which a run counts as one that never ends: a mutant may loop without a pause, which no timeout of a test sees. */
const longest = 60_000

/** Changes what decides about each behaviour, on its way into the tests, until a test with its tag is red. */
export async function prove({ behaviours, tests, onProof }: ProveOptions): Promise<readonly Proof[]> {
  const [bench, parser] = [await openBench(), await loadParser()]
  try {
    const proofs: Proof[] = []
    for (const behaviour of behaviours.filter(({ reason }) => reason === undefined)) {
      const proof = await proveOne(behaviour, { bench, parser, tests })
      proofs.push(proof)
      onProof(proof)
    }
    return proofs
  } finally {
    await bench.vitest.close()
  }
}

/** Runs tests on sources that are changed on their way into them. */
export interface Bench {
  vitest: Vitest
  change: Change | undefined
  readonly open: () => Promise<Vitest>
}

export type Change = Pick<Mutation, 'file' | 'start' | 'end' | 'replacement'>

export async function openBench(options: { readonly testNamePattern?: RegExp } = {}): Promise<Bench> {
  const transform = (code: string, id: string): string | undefined => {
    const { change } = bench
    if (change === undefined || id.split('?')[0] !== change.file) return undefined
    return code.slice(0, change.start) + change.replacement + code.slice(change.end)
  }
  const open = async (): Promise<Vitest> => {
    const quiet = { watch: true, reporters: [{}], coverage: { enabled: false }, fsModuleCache: false }
    const vitest = await createVitest(
      // Threads can be ended amid a loop. A test that waits for what was changed must not hold the others up.
      { root: repository, ...quiet, ...options, testTimeout: 10_000, pool: 'threads', fileParallelism: false },
      { plugins: [{ name: 'steploop:mutate', enforce: 'pre', transform }], server: { watch: null } },
    )
    await vitest.standalone()
    return vitest
  }
  const bench: Bench = { vitest: await open(), change: undefined, open }
  return bench
}

interface Proving {
  readonly bench: Bench
  readonly parser: Parser
  readonly tests: readonly TaggedTest[]
}

async function proveOne(behaviour: Behaviour, { bench, parser, tests }: Proving): Promise<Proof> {
  const { id } = behaviour
  const files = [...new Set(tests.filter(({ tags }) => tags.includes(id)).map(({ file }) => file))]
  const green = await runTests(bench, files, id)
  const red = green.filter((test) => !test.ok())
  if (green.length === 0) return { id, red: [], problem: 'no test that has it as a tag ran' }
  if (red.length > 0) return { id, red: titles(red), problem: 'fails as it is' }
  try {
    for (const mutation of mutantsOf(behaviour, parser)) {
      apply(bench, mutation)
      const failed = (await runTests(bench, files, id)).filter((test) => test.result().state === 'failed')
      const { line, operator } = mutation
      if (failed.length > 0)
        return { id, mutant: `${behaviour.decided?.file}:${line} ${operator}`, red: titles(failed) }
    }
  } finally {
    apply(bench, undefined)
  }
  return { id, red: [], problem: 'its tests notice no mutant' }
}

export function apply(bench: Bench, change: Change | undefined): void {
  for (const one of [bench.change, change]) if (one !== undefined) bench.vitest.invalidateFile(one.file)
  bench.change = change
}

/** Tests that ran, with the tag if there is one; none where they never ended, which says nothing of a title. */
export async function runTests(bench: Bench, files: readonly string[], tag?: string): Promise<readonly TestCase[]> {
  const { vitest } = bench
  const project = vitest.getRootProject()
  const paths = files.map((file) => resolve(repository, file))
  const specifications = paths.map((path) =>
    project.createSpecification(path, tag === undefined ? {} : { testTagsFilter: [tag] }),
  )
  const run = await Promise.race([
    vitest.runTestSpecifications(specifications),
    sleep(longest, undefined, { ref: false }),
  ])
  if (run === undefined) {
    await vitest.close()
    bench.vitest = await bench.open()
    return []
  }
  const cases = run.testModules
    .filter(({ moduleId }) => paths.includes(moduleId))
    .flatMap((module) => [...module.children.allTests()])
  // Vitest also gives what failed in runs before.
  return cases.filter((test) => {
    return (tag === undefined || test.options.tags?.includes(tag) === true) && test.result().state !== 'skipped'
  })
}

function titles(tests: readonly TestCase[]): readonly string[] {
  return tests.map(({ name }) => name)
}
