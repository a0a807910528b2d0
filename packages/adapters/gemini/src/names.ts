import { createToolNames, legalName, type NameRule } from '@steploop/core/adapter'

const rule: NameRule = { legal: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/, maxLength: 127, illegal: /[^a-zA-Z0-9_.:-]/g }

/**
 * The tool's name as the API takes it: a letter or underscore, then letters, digits, `_ . : -`, at most 128 in all. A changed name ends
 * in a hash, so that two names stay apart.
 */
export function wireToolName(name: string): string {
  const made = legalName(name, rule)
  return /^[a-zA-Z_]/.test(made) ? made : `_${made}`
}

export const toolNames = createToolNames(wireToolName)

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
