import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { memberText, parsed } from '../../json.ts'
import type { DeclaredTool, Item } from './conversation.ts'

/** The items of each member of a list, which `path` names, each with its place. */
export function itemsIn(path: string, list: unknown, read: (member: unknown) => readonly Item[]): readonly Item[] {
  return arrayOf(list).flatMap((member, index) =>
    read(member).map((item) => ({ ...item, path: `${path}[${index}]${item.path ?? ''}` })),
  )
}

/** `{ type: 'function', function: {...} }`, as Ollama has it too. */
export function chatTool(declaration: JsonObject): DeclaredTool {
  const given = objectOf(declaration['function'])
  const isFunction = isObject(declaration['function']) && (declaration['type'] ?? 'function') === 'function'
  return {
    name: textOf(given['name']) ?? textOf(objectOf(declaration['custom'])['name']) ?? memberText(declaration, 'type'),
    schema: isFunction ? objectOf(given['parameters']) : undefined,
    description: textOf(given['description']),
    strict: typeof given['strict'] === 'boolean' ? given['strict'] : undefined,
    declaration,
  }
}

/** Arguments that are missing are `{}`; what does not parse stays a text. */
export function argumentsOf(given: unknown): unknown {
  if (given === undefined || given === null) return {}
  if (typeof given !== 'string') return given
  return given.trim() === '' ? {} : (parsed(given) ?? (given.trim() === 'null' ? {} : given))
}
