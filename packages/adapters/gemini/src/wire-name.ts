import type { ToolDefinition } from '@steploop/core'

const toolName = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/

/**
 * The tool's name as the API takes it: a letter or underscore, then letters, digits, `_ . : -`, at most 128 in all. A changed name ends
 * in a hash, so that two names stay apart.
 */
export function wireToolName(name: string): string {
  if (toolName.test(name)) return name
  const clean = name.replace(/[^a-zA-Z0-9_.:-]/g, '_').slice(0, 118)
  return `${/^[a-zA-Z_]/.test(clean) ? '' : '_'}${clean}_${hash(name)}`
}

/** Names that differ on the wire, mapped back. */
export function toolNames(tools: readonly ToolDefinition[] | undefined): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const tool of tools ?? []) {
    const name = wireToolName(tool.name)
    if (tool.type === 'function' && name !== tool.name) names.set(name, tool.name)
  }
  return names
}

/** FNV-1a, 32 bits, as eight hexadecimal digits. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return (value >>> 0).toString(16).padStart(8, '0')
}

/**
 * The vendor's types with the names in their enums as the plain strings that go over the wire. Only used to check what we build: they
 * never show up in exported types.
 */
export type Plain<Type> = Type extends string
  ? `${Type}`
  : Type extends readonly (infer Item)[]
    ? readonly Plain<Item>[]
    : Type extends object
      ? { readonly [Name in keyof Type]: Plain<Type[Name]> }
      : Type
