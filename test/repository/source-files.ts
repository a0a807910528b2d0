import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

export const repository = resolve(import.meta.dirname, '../..')

export interface SourceFunction {
  readonly line: number
  readonly lines: number
}

export interface SourceFile {
  /** From the repository's root, with forward slashes. */
  readonly path: string
  /** A test, or what only tests use: testing.ts beside them, everything in a test/ folder, the suite's tests of any loop. */
  readonly isTest: boolean
  readonly text: string
  readonly lines: number
  /** Every function of more than one line, except the callbacks of `describe`, and what `describeLoop` runs in one. */
  readonly functions: readonly SourceFunction[]
  /** What it imports or re-exports: values, types, `import()` and `import('...')` types with a literal name. */
  readonly imports: readonly string[]
  /** `any` and `as` (without `as const`). */
  readonly looseTypes: number
  readonly exportsAll: boolean
}

const generated = ['node_modules', 'dist', 'coverage', 'reports', '.git', '.turbo', '.cache']

/** Files of the working tree, generated folders left out. */
export function findFiles(pattern: string, cwd: string = repository): string[] {
  const found = globSync(pattern, { cwd, exclude: (path) => generated.includes(basename(path)) })
  return found.map((path) => path.replaceAll('\\', '/')).toSorted()
}

/** Every TypeScript file of the repository, parsed. TypeScript 7 has no JavaScript API, oxc-parser has. */
export function readSourceFiles(): SourceFile[] {
  return findFiles('**/*.ts').map((path) => parseSource(path, readFileSync(resolve(repository, path), 'utf8')))
}

export function parseSource(path: string, text: string): SourceFile {
  const { program, module, errors } = parseSync(path, text)
  if (errors[0] !== undefined) throw new SyntaxError(`${path}: ${errors[0].message}`)
  const lineAt = lineFinder(text)
  const functions: SourceFunction[] = []
  const imports: string[] = []
  const describeCallbacks = new Set<number>()
  const isLoopTest = path.includes('/loop-tests/')
  let looseTypes = 0
  let exportsAll = false

  function addFunction({ start, end }: { start: number; end: number }): void {
    const line = lineAt(start)
    const lines = lineAt(end) - line + 1
    const isDescribed = describeCallbacks.has(start) || (isLoopTest && text.slice(0, start).endsWith('export '))
    if (lines > 1 && !isDescribed) functions.push({ line, lines })
  }

  new Visitor({
    CallExpression({ callee, arguments: values, start }) {
      if (!/^describe\b/.test(text.slice(start, callee.end))) return
      for (const value of values) describeCallbacks.add(value.start)
    },
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: addFunction,
    TSAnyKeyword: () => (looseTypes += 1),
    TSTypeAssertion: () => (looseTypes += 1),
    TSAsExpression({ typeAnnotation }) {
      if (text.slice(typeAnnotation.start, typeAnnotation.end) !== 'const') looseTypes += 1
    },
    ExportAllDeclaration: () => (exportsAll = true),
    TSImportType: ({ source }) => imports.push(source.value),
    ImportExpression({ source }) {
      if (source.type === 'Literal' && typeof source.value === 'string') imports.push(source.value)
    },
  }).visit(program)

  imports.push(...module.staticImports.map((statement) => statement.moduleRequest.value))
  for (const { entries } of module.staticExports) {
    imports.push(...entries.flatMap(({ moduleRequest }) => (moduleRequest === null ? [] : [moduleRequest.value])))
  }
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  const isTest = isLoopTest || /\.test\.ts$|(^|\/)testing\.ts$|(^|\/)test\//.test(path)
  return { path, isTest, text, lines, functions, imports, looseTypes, exportsAll }
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)]
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1
}
