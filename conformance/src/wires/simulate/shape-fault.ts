import type { z } from 'zod'

import { integerMark } from './integer.ts'

export type Path = readonly (string | number)[]

/** What is wrong with the shape of a body, without a word of any provider. */
export type ShapeFault =
  | { readonly type: 'unknown-field'; readonly path: Path }
  | { readonly type: 'missing-field'; readonly path: Path }
  | { readonly type: 'wrong-type'; readonly path: Path; readonly expected: readonly string[]; readonly value: unknown }
  | { readonly type: 'wrong-value'; readonly path: Path; readonly value: unknown; readonly allowed: readonly string[] }
  | { readonly type: 'pattern'; readonly path: Path; readonly value: unknown; readonly pattern: string }
  | LimitFault

/** What a server says of each kind of fault. */
export type FaultWords = {
  readonly [Type in ShapeFault['type']]: (fault: Extract<ShapeFault, { type: Type }>) => string
}

export function wordsFor(fault: ShapeFault, words: FaultWords): string {
  // Each row takes the faults of its own type.
  const say = words[fault.type] as (fault: ShapeFault) => string
  return say(fault)
}

/** `input[2].content[0].text` */
export function pathText(path: Path): string {
  const keys = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
  return keys.join('').replace(/^\./, '')
}

export interface LimitFault {
  readonly type: 'limit'
  readonly path: Path
  readonly bound: 'minimum' | 'maximum'
  readonly limit: number
  readonly of: 'number' | 'string' | 'array'
  readonly value: unknown
}

type Issue = z.core.$ZodIssue

/** The first fault of `body` against `schema`; `undefined` when it fits. */
export function findShapeFault(schema: z.ZodType, body: unknown): ShapeFault | undefined {
  const issue = schema.safeParse(body).error?.issues[0]
  return issue === undefined ? undefined : faultOf(issue, [], body)
}

function faultOf(issue: Issue, prefix: Path, body: unknown): ShapeFault {
  const path = [...prefix, ...issue.path.map((key) => (typeof key === 'number' ? key : String(key)))]
  const value = valueAt(body, path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return { type: 'unknown-field', path: [...path, issue.keys[0] ?? ''] }
    case 'invalid_type':
      return typeFault(path, [expectedType(issue)], value)
    case 'invalid_value':
      if (value === undefined) return { type: 'missing-field', path }
      return { type: 'wrong-value', path, value, allowed: issue.values.map(String) }
    case 'too_small':
      return { type: 'limit', bound: 'minimum', limit: Number(issue.minimum), of: measured(issue.origin), path, value }
    case 'too_big':
      return { type: 'limit', bound: 'maximum', limit: Number(issue.maximum), of: measured(issue.origin), path, value }
    case 'invalid_format':
      return { type: 'pattern', path, value, pattern: (issue.pattern ?? '').replace(/^\/(.*)\/\w*$/, '$1') }
    case 'invalid_union':
      return unionFault(issue.errors, path, body)
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'not_multiple_of':
    default:
      return typeFault(path, ['a valid value'], value)
  }
}

/** Fault of the branch that got deepest; when the outermost type fits none, all expected types together. */
function unionFault(branches: readonly (readonly Issue[])[], path: Path, body: unknown): ShapeFault {
  const firsts = branches.flatMap((issues) => issues.slice(0, 1))
  const best = firsts.find((issue) => issue.path.length > 0) ?? firsts.find((issue) => issue.code !== 'invalid_type')
  if (best !== undefined) return faultOf(best, path, body)
  const expected = branches.flatMap((issues) =>
    issues.flatMap((issue) => ('expected' in issue ? [expectedType(issue)] : [])),
  )
  return typeFault(path, expected, valueAt(body, path))
}

function expectedType(issue: Extract<Issue, { readonly expected: string }>): string {
  return issue.message === integerMark ? 'int' : issue.expected
}

function typeFault(path: Path, expected: readonly string[], value: unknown): ShapeFault {
  if (value === undefined && path.length > 0) return { type: 'missing-field', path }
  return { type: 'wrong-type', path, expected: [...new Set(expected)], value }
}

function measured(origin: string): LimitFault['of'] {
  return origin === 'string' || origin === 'array' ? origin : 'number'
}

export function valueAt(body: unknown, path: Path): unknown {
  let value = body
  for (const key of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
  }
  return value
}

/** `integer`, `decimal`, `string`, `array`, `object`, `boolean` or `null`. */
export function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'decimal'
  return typeof value
}
