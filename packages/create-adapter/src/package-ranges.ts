import { readFileSync } from 'node:fs'

type Texts = Readonly<Record<string, string>>

/** Where a template leaves the range to us. */
const open = '*'

/**
 * Fills the ranges of a template's manifest in. They are those of this package's own development dependencies, so the templates are
 * type-checked and tested with what a scaffold gets, and publishing turns them from `workspace:^` into versions. Packages of ours are
 * peers too (optional: nothing is installed), because a peer that leaves its range makes a release of this package.
 */
export function withRanges(manifest: string): string {
  const ranges = objectAt(ownManifest(), 'devDependencies')
  const filled = Object.entries(textsOf(JSON.parse(manifest))).map(([field, value]) => {
    const isDependencies = field.toLowerCase().endsWith('dependencies') && typeof value === 'object' && value !== null
    return [field, isDependencies ? rangesOf(objectAt({ value }, 'value'), ranges) : value]
  })
  return `${JSON.stringify(Object.fromEntries(filled), undefined, 2)}\n`
}

/** Version of this package: what `--version` prints. */
export function ownVersion(): string {
  const version = textsOf(ownManifest())['version']
  return typeof version === 'string' ? version : 'unknown'
}

function rangesOf(dependencies: Texts, ranges: Texts): Texts {
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, range]) => {
      const found = range === open ? ranges[name] : range
      if (found === undefined) throw new TypeError(`the template needs ${name}, of which this package knows no range`)
      return [name, found]
    }),
  )
}

function ownManifest(): unknown {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
}

function textsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function objectAt(value: unknown, name: string): Texts {
  const entries = Object.entries(textsOf(textsOf(value)[name]))
  return Object.fromEntries(entries.flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])))
}
