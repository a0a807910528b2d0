import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Where an error was thrown that nobody meant to throw: `src/my-llm.ts:142:31`, the first location of its innermost cause that is neither the
 * runtime's nor an installed package's. `undefined` where the stack has none.
 *
 * @param folder where paths begin; locations outside of it are named by their file alone
 */
export function locationOfError(error: unknown, folder = process.cwd()): string | undefined {
  const stack = causesOf(error).at(-1)?.stack ?? ''
  // As V8 writes it: `at name (file:///path:1:2)`, or without the parentheses. Vitest gives paths instead of URLs.
  const locations = [
    ...stack.matchAll(
      /^ {4}at (?:async )?(?:.* \()?(file:\/\/\/[^\s()]+|\/[^()\n]+|[A-Z]:\\[^()\n]+):(\d+):(\d+)\)?$/gm,
    ),
  ]
  for (const [, file = '', line, column] of locations) {
    if (/[/\\]node_modules[/\\]/.test(file)) continue
    const path = file.startsWith('file:') ? fileURLToPath(file) : file
    const shown = relative(folder, path)
    return `${shown.startsWith('.') ? path.replace(/.*[/\\]/, '') : shown}:${line}:${column}`
  }
  return undefined
}

/** More than anybody wraps; a cause may be its own. */
const mostCauses = 20

/** The error and what caused it, one after the other. An error of ours wraps what an adapter threw. */
export function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = []
  for (let cause = error; cause instanceof Error && causes.length < mostCauses; { cause } = cause) causes.push(cause)
  return causes
}
