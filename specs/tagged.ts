import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'

/** Members by which the alternatives of a union are told apart. */
export const tagNames = ['type', 'role', 'object'] as const

/**
 * Gives unions whose alternatives carry a word of their own in `type` or `role` a short cut: that word decides which alternative a
 * document has to fit, so that a fault is found where it is, and thirty alternatives need not be tried. Changes the unions in place.
 *
 * @param onUnion told of each smaller union that is made of one
 */
export function tellApart(
  unions: readonly Record<string, unknown>[],
  schemas: JsonObject,
  onUnion: (made: object, union: object) => void,
): void {
  const all = unions.map((union) => ({ union, branches: arrayOf(union['anyOf']) }))
  const shortcuts = all.map(({ branches }) => shortcut(branches, schemas))
  for (const [index, { union, branches }] of all.entries()) {
    const cases = shortcuts[index] ?? []
    if (cases.length === 0) continue
    delete union['anyOf']
    const unite = (some: readonly unknown[]): JsonObject => {
      const made = { anyOf: some }
      onUnion(made, union)
      return made
    }
    Object.assign(union, chain(cases, unite, branches))
  }
}

interface Case {
  readonly tag: string
  readonly words: readonly unknown[]
  readonly branches: readonly unknown[]
}

function shortcut(branches: readonly unknown[], schemas: JsonObject): readonly Case[] {
  for (const tag of tagNames) {
    const byWord = new Map<unknown, unknown[]>()
    const objects = branches.filter((branch) => isObjectSchema(branch, schemas))
    const worded = objects.map((branch) => ({ branch, words: wordsOf(branch, tag, schemas) }))
    if (objects.length < 2 || worded.some(({ words }) => words.length === 0)) continue
    for (const { branch, words } of worded) {
      for (const word of words) byWord.set(word, [...(byWord.get(word) ?? []), branch])
    }
    return [...byWord].map(([word, fitting]) => ({ tag, words: [word], branches: fitting }))
  }
  return []
}

/** What carries no such word, or an unknown one, is tried against all alternatives. */
function chain(
  [first, ...rest]: readonly Case[],
  unite: (branches: readonly unknown[]) => JsonObject,
  all: readonly unknown[],
): JsonObject {
  if (first === undefined) return unite(all)
  const [only] = first.branches
  return {
    if: { type: 'object', required: [first.tag], properties: { [first.tag]: { enum: first.words } } },
    then: first.branches.length === 1 ? only : unite(first.branches),
    else: chain(rest, unite, all),
  }
}

function resolved(schema: unknown, schemas: JsonObject): JsonObject {
  const path = textOf(objectOf(schema)['$ref'])
  return path === undefined ? objectOf(schema) : resolved(schemas[path.slice(path.lastIndexOf('/') + 1)], schemas)
}

function isObjectSchema(schema: unknown, schemas: JsonObject): boolean {
  const { type, properties, anyOf, additionalProperties } = resolved(schema, schemas)
  if (Array.isArray(anyOf)) return anyOf.some((branch) => isObjectSchema(branch, schemas))
  return properties !== undefined || type === 'object' || (isObject(additionalProperties) && type === undefined)
}

function wordsOf(schema: unknown, tag: string, schemas: JsonObject): readonly unknown[] {
  const node = resolved(schema, schemas)
  if (Array.isArray(node['anyOf'])) {
    const words = node['anyOf']
      .filter((branch) => isObjectSchema(branch, schemas))
      .map((branch) => wordsOf(branch, tag, schemas))
    return words.some((list) => list.length === 0) ? [] : words.flat()
  }
  const tagSchema = resolved(objectOf(node['properties'])[tag], schemas)
  if ('const' in tagSchema) return [tagSchema['const']]
  return arrayOf(tagSchema['enum'])
}
