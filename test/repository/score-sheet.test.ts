import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { findFiles, parseSource, readSourceFiles, repository, type SourceFile } from './source-files.ts'

const sources = readSourceFiles()
const product = sources.filter(({ isTest }) => !isTest)
const tests = sources.filter(({ isTest }) => isTest)

/** `path:line` and the number, longest first: what a failing check prints. */
function functionsOf(files: readonly SourceFile[]): { at: string; lines: number }[] {
  const all = files.flatMap(({ path, functions }) =>
    functions.map(({ line, lines }) => ({ at: `${path}:${line}`, lines })),
  )
  return all.toSorted((left, right) => right.lines - left.lines)
}

function longerThan(limit: number, files: readonly SourceFile[]): string[] {
  return files.filter(({ lines }) => lines > limit).map(({ path, lines }) => `${path}: ${lines} lines`)
}

/** The files in which the pattern occurs. */
function filesWith(pattern: RegExp, paths: readonly string[]): string[] {
  return paths.filter((path) => pattern.test(readFileSync(resolve(repository, path), 'utf8')))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

test('no function is longer than 60 lines, and 95 % of those with more than one line have at most 30', () => {
  const lengths = functionsOf(product)
  const p95 = lengths[Math.floor(lengths.length * 0.05)]?.lines ?? 0
  console.log(`functions: ${lengths.length}, longest ${lengths[0]?.lines ?? 0} (${lengths[0]?.at}), p95 ${p95}`)
  expect(functionsOf(sources).filter(({ lines }) => lines > 60)).toEqual([])
  expect(p95).toBeLessThanOrEqual(30)
})

test('no source file is longer than 300 lines, no test file longer than 400', () => {
  const longest = product.toSorted((left, right) => right.lines - left.lines)[0]
  console.log(`files: ${product.length} and ${tests.length} tests, longest ${longest?.lines} (${longest?.path})`)
  expect([...longerThan(300, product), ...longerThan(400, tests)]).toEqual([])
})

test('there are at most 3 `any` and `as` per 1,000 lines of source', () => {
  const lines = sum(product.map((file) => file.lines))
  const loose = sum(product.map((file) => file.looseTypes))
  const most = product.filter(({ looseTypes }) => looseTypes > 0).toSorted((a, b) => b.looseTypes - a.looseTypes)
  const worst = most.slice(0, 5).map(({ path, looseTypes }) => `${path} ${looseTypes}`)
  const rate = (loose / lines) * 1000
  console.log(`any and as: ${loose} in ${lines} lines, ${rate.toFixed(2)} per 1,000; most: ${worst.join(', ')}`)
  expect(rate).toBeLessThanOrEqual(3)
})

test('no module exports everything of another', () => {
  expect(sources.filter(({ exportsAll }) => exportsAll).map(({ path }) => path)).toEqual([])
})

test('nothing is left for later, no test is skipped or run alone, no rule is switched off in a comment', () => {
  const later = /\b(TODO|FIXME|XXX)\b|(oxlint|eslint)-disable|@ts-(ignore|nocheck|expect-error)/
  const partial = /\b(it|test|describe|suite)(\.\w+)*\.(only|skip|todo|fails)\b/
  const paths = sources.map(({ path }) => path).filter((path) => path !== 'test/repository/score-sheet.test.ts')
  expect(filesWith(later, [...paths, ...findFiles('**/*.md')])).toEqual([])
  expect(filesWith(partial, paths)).toEqual([])
})

test('no docstring of a source file begins in mid-thought: hovers and the API reference show it alone', () => {
  const midThought = /\/\*\*\s+(?:\* )?(?:Of|So|Nor|Those|The same|And|But|Also|As|Its?|They)\b/
  expect(product.flatMap(({ path, text }) => (midThought.test(text) ? [path] : []))).toEqual([])
})

test('no text of the project names a path of somebody’s machine', () => {
  const roots = ['work', 'opt', 'root', 'home', 'Users', 'tmp'].join('|')
  const machinePath = new RegExp(`(^|[\\s"'\`(=:])(file://)?/(${roots})/\\w`, 'm')
  const texts = findFiles('**/*.{ts,js,json,md,yaml,yml,html}').concat('.ci/run', '.gitignore', '.gitattributes')
  expect(texts.length).toBeGreaterThan(30)
  expect(filesWith(machinePath, texts)).toEqual([])
})

test('the score counts what it claims to count', () => {
  const file = parseSource(
    'sample.ts',
    [
      `export * from './x.ts'`,
      `type Remote = import('y').Y`,
      `export const lazy = () => import('z')`,
      `export const constant = [1] as const`,
      `export const loose = constant as unknown as any`,
      `describe('a group', () => {`,
      `  test('one', () => {`,
      `    loose()`,
      `  })`,
      `})`,
      `function named() {`,
      `  return 1`,
      `}`,
    ].join('\n'),
  )
  expect(file.lines).toBe(13)
  expect(file.functions).toEqual([
    { line: 7, lines: 3 },
    { line: 11, lines: 3 },
  ])
  expect(file.looseTypes).toBe(3)
  expect(file.exportsAll).toBe(true)
  expect(file.imports.toSorted()).toEqual(['./x.ts', 'y', 'z'])
})
