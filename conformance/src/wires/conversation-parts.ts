import { isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { memberText, parsed } from '../json.ts'
import type { DeclaredTool } from './conversation.ts'

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
