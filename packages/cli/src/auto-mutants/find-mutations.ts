import { createHash } from 'node:crypto'
import { relative, sep } from 'node:path'
import { HarnessError } from '@steploop/conformance'
import { linesAt, type Mutation } from './mutation.ts'
import { operatorsFor } from './operators.ts'

export type Parser = typeof import('oxc-parser')

/** @throws HarnessError `usage` when the parser is not installed */
export async function loadParser(): Promise<Parser> {
  try {
    return await import('oxc-parser')
  } catch (cause) {
    throw new HarnessError('usage', '`mutants --auto` needs the package oxc-parser: `npm install -D oxc-parser`.', {
      cause,
    })
  }
}

export interface SourceToMutate {
  /** Name of the package, which begins the ids. */
  readonly name: string
  /** Folder of the package. */
  readonly folder: string
  /** Absolute path. */
  readonly file: string
  readonly text: string
}

/** Every mutation of a file. That each of them can be parsed is for the one who draws to see. */
export function findMutations(source: SourceToMutate, { parseSync, Visitor }: Parser): readonly Mutation[] {
  const { file, text } = source
  const { program, errors } = parseSync(file, text)
  if (errors[0] !== undefined) throw new SyntaxError(`${file}: ${errors[0].message}`)
  const { visitor, edits, left } = operatorsFor(text)
  new Visitor(visitor).visit(program)
  const path = relative(source.folder, file)
    .split(sep)
    .join('/')
    .replace(/^(src|dist)\//, '')
  const seen = new Map<string, number>()
  return edits
    .filter(({ start, end }) => !left.some((span) => span.start <= start && end <= span.end))
    .map((edit) => {
      const { text: before, from } = linesAt(text, edit)
      const after = before.slice(0, edit.start - from) + edit.replacement + before.slice(edit.end - from)
      const hash = hashOf(edit.operator, trimmed(before), trimmed(after))
      const times = (seen.get(hash) ?? 0) + 1
      seen.set(hash, times)
      const id = `${source.name}/${path}#${hash}${times === 1 ? '' : `-${times}`}`
      const line = text.slice(0, edit.start).split('\n').length
      return { ...edit, id, file, line, column: edit.start - text.lastIndexOf('\n', edit.start - 1), before, after }
    })
}

/** Indentation says nothing. */
function trimmed(lines: string): string {
  return lines.replaceAll(/^\s+/gm, '')
}

function hashOf(...texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\0')).digest('hex').slice(0, 8)
}

/**
 * Draws mutations: the same ones for the same seed, and nearly the same when other lines change: each mutation has a location in the draw by its
 * own text. Those that cannot be parsed are no mutants.
 */
export function drawMutations(
  mutations: readonly Mutation[],
  { seed, sample }: { readonly seed: number; readonly sample: number },
  canBeParsed: (mutation: Mutation) => boolean,
): readonly Mutation[] {
  const ranked = mutations
    .map((mutation) => ({ mutation, rank: hashOf(String(seed), mutation.id) }))
    .toSorted((left, right) => left.rank.localeCompare(right.rank))
  const drawn: Mutation[] = []
  for (const { mutation } of ranked) {
    if (drawn.length === sample) break
    if (canBeParsed(mutation)) drawn.push(mutation)
  }
  return drawn
}
