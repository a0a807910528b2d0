import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Where an error was thrown that nobody meant to throw: `src/my-llm.ts:142:31`, the first place of its innermost cause that is neither the
 * runtime's nor an installed package's. `undefined` where the stack has none.
 *
 * @param folder where paths begin; places outside of it are named by their file alone
 */
export function placeOfError(error: unknown, folder = process.cwd()): string | undefined {
  const stack = innermost(error)?.stack ?? ''
  // As V8 writes it: `at name (file:///path:1:2)`, or without the parentheses. Vitest gives paths instead of URLs.
  const places = [
    ...stack.matchAll(/^ {4}at (?:async )?(?:.* \()?(file:\/\/\/[^\s()]+|\/[^()]+|[A-Z]:\\[^()]+):(\d+):(\d+)\)?$/gm),
  ]
  for (const [, file = '', line, column] of places) {
    if (/[/\\]node_modules[/\\]/.test(file)) continue
    const path = file.startsWith('file:') ? fileURLToPath(file) : file
    const shown = relative(folder, path)
    return `${shown.startsWith('..') ? path.replace(/.*[/\\]/, '') : shown}:${line}:${column}`
  }
  return undefined
}

/** An error of ours wraps what an adapter threw; what the innermost one says is what happened. */
function innermost(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined
  return innermost(error.cause) ?? error
}
