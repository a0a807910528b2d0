import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'

export const repository = resolve(import.meta.dirname, '..')

/** A test whose title begins with ids: `L05, L09: a turn without calls ends the run`. */
export interface NamedTest {
  /** From the repository's root, with forward slashes. */
  readonly file: string
  readonly ids: readonly string[]
  readonly title: string
}

const skipped = new Set(['node_modules', 'dist', 'coverage', 'reports', '.git', '.turbo', '.cache'])
const titlePattern = /(?:\b(?:it|test)|\))\(\s*(['"`])((?:[A-Z]\d\d, )*[A-Z]\d\d): ([^\n]*?)\1,/g

/** Every test of the repository that names a behaviour. */
export function findNamedTests(): readonly NamedTest[] {
  const found = globSync('**/*.test.ts', { cwd: repository, exclude: (path) => skipped.has(basename(path)) })
  return found
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .flatMap((file) => namedTestsIn(file, readFileSync(resolve(repository, file), 'utf8')))
}

export function namedTestsIn(file: string, text: string): readonly NamedTest[] {
  return [...text.matchAll(titlePattern)].map(([, , ids = '', title = '']) => ({
    file,
    ids: ids.split(', '),
    title: `${ids}: ${title}`,
  }))
}
