/** A part of a file, in UTF-16 units from its start, and what stands there instead. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

/** One small change of one source file. */
export interface Mutation extends Edit {
  /** `<package>/<path in its src folder>#<hash>`: it stays while the lines that it changes stay. */
  readonly id: string
  /** Absolute path. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units. */
  readonly column: number
  readonly operator: string
  /** The lines that it changes, as they are. */
  readonly before: string
  /** Changed text of those lines. */
  readonly after: string
}

/** What a process needs to know to run a mutated file. */
export type AppliedMutation = Pick<Mutation, 'file' | 'start' | 'end' | 'replacement' | 'before'>

/** In the environment of a process that is to run a mutated file: the mutation as JSON, or `null` for none. */
export const mutationVariable = 'STEPLOOP_MUTATION'

/** @throws Error when the file is no longer the one that the mutation was made for */
export function mutate(source: string, mutation: AppliedMutation): string {
  const { start, end, replacement, file } = mutation
  if (linesAt(source, mutation).text !== mutation.before) throw new Error(`${file} was changed in the meantime.`)
  return source.slice(0, start) + replacement + source.slice(end)
}

/** The whole lines that an edit touches, and where they begin. */
export function linesAt(source: string, { start, end }: Edit): { readonly text: string; readonly from: number } {
  const from = source.lastIndexOf('\n', start - 1) + 1
  const newline = source.indexOf('\n', Math.max(start, end - 1))
  return { text: source.slice(from, newline === -1 ? source.length : newline), from }
}
