import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'

export const repository = resolve(import.meta.dirname, '..')

/** One line of docs/behaviours.md. */
export interface Behaviour {
  /** The tag of its tests. */
  readonly id: string
  readonly behaviour: string
  /** What decides about it: a declaration of a file, from the repository's root, or a member of one (`makeResult.text`). */
  readonly decided?: { readonly by: string; readonly file: string }
  /** Why there is no test. */
  readonly reason?: string
}

export interface TaggedTest {
  /** From the repository's root, with forward slashes. */
  readonly file: string
  readonly title: string
  readonly tags: readonly string[]
}

const line = /^- \*\*(\w+)\*\* (.*?) (?:\[([\w.]+)\]\(\.\.\/(\S+)\)|Not tested: (.*))$/gm

export function behavioursIn(page: string): readonly Behaviour[] {
  return [...page.matchAll(line)].map(([, id = '', behaviour = '', by, file, reason]) => {
    if (by !== undefined && file !== undefined) return { id, behaviour, decided: { by, file } }
    return { id, behaviour, ...(reason !== undefined && { reason }) }
  })
}

/** All that the loop was asked to do. */
export const behaviours = behavioursIn(readFileSync(resolve(repository, 'docs/behaviours.md'), 'utf8'))

const skipped = new Set(['node_modules', 'dist', 'coverage', 'reports', '.git', '.turbo', '.cache'])
const tagged = /(['"`])((?:(?!\1)[^\n\\]|\\.)+)\1,\s*\{[^{}]*?\btags: \[([^\]]*)\]/g

/** Every test of the repository that has a tag. Those that the suite has for any loop are run by one file. */
export function findTaggedTests(): readonly TaggedTest[] {
  const exclude = (path: string): boolean => skipped.has(basename(path))
  const found = globSync(['**/*.test.ts', 'conformance/src/loop-tests/*.ts'], { cwd: repository, exclude })
  return found
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .flatMap((path) => {
      const file = path.includes('/loop-tests/') ? 'conformance/test/step-loop.test.ts' : path
      return taggedTestsIn(file, readFileSync(resolve(repository, path), 'utf8'))
    })
}

export function taggedTestsIn(file: string, text: string): readonly TaggedTest[] {
  return [...text.matchAll(tagged)].map(([, , title = '', tags = '']) => {
    return { file, title, tags: [...tags.matchAll(/\w+/g)].map(([tag]) => tag) }
  })
}

/** What is wrong, a line each: every id needs a test or a reason, and not both. That tests name no other ids is vitest's to check. */
export function problemsOf(list: readonly Behaviour[], tests: readonly TaggedTest[]): readonly string[] {
  return list.flatMap(({ id, reason }, index) => {
    const own = tests.filter(({ tags }) => tags.includes(id))
    return [
      ...(list.findIndex((one) => one.id === id) < index ? [`${id}: stands twice in docs/behaviours.md`] : []),
      ...(own.length === 0 && reason === undefined ? [`${id}: no test has it as a tag`] : []),
      ...(own.length > 0 && reason !== undefined
        ? [`${id}: has a reason not to be tested, and '${own[0]?.title}'`]
        : []),
    ]
  })
}
