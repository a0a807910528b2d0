import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { scenarios } from '@steploop/conformance'
import { mutants } from '@steploop/conformance/cli'
import { expect, test } from 'vitest'
import { findFiles, repository } from './source-files.ts'

const read = (path: string): string => readFileSync(resolve(repository, path), 'utf8')
const page = read('docs/invariants.md')
const sections = page.split(/^## /m).slice(1)

/** `id: '...'` in the sources of a folder. */
function idsIn(pattern: string): ReadonlySet<string> {
  return new Set(
    findFiles(pattern).flatMap((path) => [...read(path).matchAll(/\bid: '([^']+)'/g)].map(([, id]) => id!)),
  )
}

const known: Readonly<Record<string, ReadonlySet<string>>> = {
  scenarios: new Set(scenarios.map(({ id }) => id)),
  checks: idsIn('conformance/src/{judge,scenarios,scenario-parts}/**/*.ts'),
  stressors: idsIn('conformance/src/stress/*.ts'),
  mutants: new Set(mutants.map(({ id }) => id)),
}

/** The checks of the property test, by the number of their invariant. */
const properties = [...read('packages/core/test/properties/invariants.ts').matchAll(/^ {2}(\d+): (\w+),$/gm)]

interface Proof {
  readonly kind: string
  readonly name: string
}

/** What a section lists under `Held by`: titles of tests by file, and ids of the conformance suite by kind. */
function proofsOf(section: string): readonly Proof[] {
  return [...section.matchAll(/^- (`[^`]+\.ts`|\w+): (.*)$/gm)].flatMap(([, kind = '', list = '']) =>
    kind.startsWith('`')
      ? [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => ({ kind: kind.slice(1, -1), name: name! }))
      : [...list.matchAll(/`#?([^`]+)`/g)].map(([, name]) => ({ kind, name: name! })),
  )
}

function exists({ kind, name }: Proof): boolean {
  if (kind === 'property') return properties.some(([, , property]) => property === name)
  return kind.endsWith('.ts') ? hasTest(kind, name) : known[kind]?.has(name) === true
}

function hasTest(file: string, title: string): boolean {
  return read(file)
    .replaceAll(/test\(\s+/g, 'test(')
    .includes(`test('${title}'`)
}

test('all fourteen invariants stand in their order, each with why, how and what holds it', () => {
  const numbers = sections.map((section) => Number.parseInt(section, 10))
  expect(numbers).toEqual(Array.from({ length: 14 }, (_, index) => index + 1))
  const incomplete = sections.filter(
    (section) => !/\*\*Why\.\*\*[^]*\*\*How\.\*\*[^]*<summary><b>Held by<\/b>/.test(section),
  )
  expect(incomplete.map((section) => section.split('\n')[0])).toEqual([])
})

test('each invariant is held by a test of the loop and by a check of the conformance suite', () => {
  const kinds = sections.map((section) => proofsOf(section).map(({ kind }) => kind))
  expect(kinds.findIndex((of) => !of.some((kind) => kind.endsWith('.ts')))).toBe(-1)
  expect(kinds.findIndex((of) => !of.some((kind) => known[kind] !== undefined))).toBe(-1)
})

test('each invariant names its check in the property test', () => {
  const named = sections.flatMap((section) =>
    proofsOf(section).flatMap(({ kind, name }) => (kind === 'property' ? [[Number.parseInt(section, 10), name]] : [])),
  )
  expect(named).toEqual(properties.map(([, number, property]) => [Number(number), property]))
  const [, title = ''] = /"(the loop keeps [^"]+)"/.exec(page) ?? []
  expect(hasTest('packages/core/test/properties/loop.test.ts', title)).toBe(true)
})

test('every test and check that the page names exists', () => {
  const proofs = sections.flatMap(proofsOf)
  expect(proofs.length).toBeGreaterThan(80)
  expect(proofs.filter((proof) => !exists(proof))).toEqual([])
})
