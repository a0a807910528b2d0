import { LoopError, type ToolSet } from '@steploop/core'

/**
 * Several sets of tools as one. Throws `LoopError` `duplicate-tool` where two have a tool of the same name, of which a spread would drop one:
 * give one of them a `prefix`.
 */
export function mergeTools(...sets: readonly ToolSet[]): ToolSet {
  const all = sets.flatMap((tools) => Object.entries(tools))
  const names = new Set<string>()
  for (const [name] of all) {
    if (names.has(name)) {
      const message = `Two tools are called '${name}'. Give one of their servers a \`prefix\`, or leave one of them out.`
      throw new LoopError('duplicate-tool', message)
    }
    names.add(name)
  }
  return Object.fromEntries(all)
}
