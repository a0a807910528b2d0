import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { parseSource } from './source-files.ts'
import { packageOf } from './workspace.ts'

/** What a package publishes: its manifest's entries, what it may import, and its packed files with their text. */
export interface PublishedPackage {
  readonly name: string
  /** Entry files that a consumer reaches without the `@steploop/source` condition: types and modules, `dist/...`. */
  readonly entries: readonly string[]
  readonly dependencies: ReadonlySet<string>
  /** Whether it may import node: modules (core and adapters may not). */
  readonly usesNode: boolean
  readonly files: ReadonlyMap<string, string>
}

/** What is wrong with the published files, a line each; empty when a consumer can use them. */
export function judgePublishedFiles(published: PublishedPackage): string[] {
  const reached = new Set<string>()
  const findings = published.entries.flatMap((entry) =>
    walk(published, entry, `an entry of ${published.name}`, reached),
  )
  const missing = published.entries.filter((entry) => !entry.startsWith('./'))
  return [
    ...missing.map((entry) => `${entry} is not a relative entry of ${published.name}`),
    ...findings,
    ...published.entries.flatMap((entry) => judgeExports(entry, published.files.get(posix.normalize(entry)) ?? '')),
    ...[...published.files.keys()].flatMap((path) => judgeFile(path, reached)),
  ]
}

/** A module that several entries are exports what others of its package need, too: short names would meet those of who exports all of it. */
function judgeExports(entry: string, text: string): string[] {
  const exported = entry.endsWith('.js') ? [...text.matchAll(/^export \{(.*)\}/gm)].map((match) => match[1]).join() : ''
  const short = [...exported.matchAll(/ as (\w)(?=[, ])/g)].map((match) => match[1] ?? '')
  return short.length === 0 ? [] : [`${entry} exports names of one letter: ${short.join(', ')}`]
}

function judgeFile(path: string, reached: ReadonlySet<string>): string[] {
  // What a scaffold is made of is data, tests and all.
  if (path.startsWith('templates/')) return []
  if (path.startsWith('src/')) return [`${path} is packed, but no entry of a published package is a source`]
  if (/\.test\.|\.tsbuildinfo$|(^|\/)testing\.[^/]+$/.test(path)) return [`${path} is packed, but only tests need it`]
  const source = /^dist\/(.*?)(\.d\.ts|\.js)$/.exec(path)?.[1]
  if (source === undefined) return []
  // A module of types alone is reached by its declaration, and its empty .js comes along.
  const isReached = reached.has(`dist/${source}.js`) || reached.has(`dist/${source}.d.ts`)
  if (!isReached) return [`${path} is packed, but no entry imports it; helpers of tests are named testing.ts`]
  return []
}

/** Follows the imports of one file; every file once. */
function walk(published: PublishedPackage, path: string, importer: string, reached: Set<string>): string[] {
  const normal = posix.normalize(path)
  if (reached.has(normal)) return []
  const text = published.files.get(normal)
  if (text === undefined) return [`${normal} is not packed, but ${importer} needs it`]
  reached.add(normal)
  // A module of types alone is reached by its declaration where the compiler wrote file by file.
  const types = normal.replace(/\.js$/, '.d.ts')
  const specifiers = normal.endsWith('.json') ? [] : importsOf(normal, text)
  return [
    ...(published.files.has(types) ? walk(published, types, normal, reached) : []),
    ...specifiers.flatMap((specifier) => {
      if (!specifier.startsWith('.')) return judgeBareImport(published, normal, specifier)
      return walk(published, posix.join(posix.dirname(normal), resolved(normal, specifier)), normal, reached)
    }),
  ]
}

/** A declaration keeps `./x.ts`, which a consumer's compiler resolves to `./x.d.ts`. */
function resolved(importer: string, specifier: string): string {
  return importer.endsWith('.d.ts') ? specifier.replace(/\.(js|ts)$/, '.d.ts') : specifier
}

function importsOf(path: string, text: string): string[] {
  const references = [...text.matchAll(/^\/\/\/ <reference (?:types|path)="([^"]+)"/gm)].map((match) => match[1] ?? '')
  return [...references, ...parseSource(path, text).imports]
}

function judgeBareImport(published: PublishedPackage, importer: string, specifier: string): string[] {
  if (isBuiltin(specifier))
    return published.usesNode ? [] : [`${importer} imports ${specifier}, but must run without Node`]
  const name = packageOf(specifier)
  if (name === published.name || published.dependencies.has(name)) return []
  return [`${importer} imports ${specifier}, which is neither a dependency nor a peer of ${published.name}`]
}
