import { arrayOf, isObject, type JsonSchema } from '@steploop/core'

/**
 * The schema in the form that `strict: true` demands (every object closed, every property required), or `undefined` when it cannot be
 * brought into it: optional properties, open objects, `oneOf` and the like. Objects that do not say whether they are open get closed.
 * Rule: https://platform.openai.com/docs/guides/structured-outputs, "supported schemas".
 */
export function toStrictSchema(schema: JsonSchema): JsonSchema | undefined {
  const strict = strictNode(schema)
  return isObject(strict) && strict['type'] === 'object' ? strict : undefined
}

const nodeMaps = ['properties', '$defs', 'definitions']
const nodeLists = ['anyOf', 'prefixItems']
/** A node with none of these accepts anything, which strict mode refuses. */
const describing = ['type', 'anyOf', '$ref', 'enum', 'const']
/** Keywords that strict mode refuses. */
const refused = ['oneOf', 'allOf', 'not', 'if', 'patternProperties', 'dependentRequired', 'dependentSchemas']

function strictNode(node: unknown): unknown {
  if (!isObject(node)) return undefined
  if (refused.some((keyword) => keyword in node) || !describing.some((keyword) => keyword in node)) return undefined
  const copy: Record<string, unknown> = { ...node }
  if (node['type'] === 'object' || 'properties' in node) {
    if (!isClosed(node)) return undefined
    copy['additionalProperties'] = false
    copy['required'] = node['required'] ?? []
  }
  return strictChildren(copy) ? copy : undefined
}

function isClosed(node: JsonSchema): boolean {
  const { additionalProperties, properties, required } = node
  if (additionalProperties !== undefined && additionalProperties !== false) return false
  // An object that names no properties is meant to be open.
  if (!isObject(properties)) return false
  const names = arrayOf(required)
  return Object.keys(properties).every((name) => names.includes(name))
}

/** Replaces the children of `copy` by their strict forms; false when one has none. */
function strictChildren(copy: Record<string, unknown>): boolean {
  for (const keyword of nodeMaps) {
    const children = copy[keyword]
    if (!isObject(children)) continue
    const strict = Object.entries(children).map(([name, child]): [string, unknown] => [name, strictNode(child)])
    if (strict.some(([, child]) => child === undefined)) return false
    copy[keyword] = Object.fromEntries(strict)
  }
  for (const keyword of nodeLists) {
    const children = copy[keyword]
    if (!Array.isArray(children)) continue
    const strict = children.map(strictNode)
    if (strict.includes(undefined)) return false
    copy[keyword] = strict
  }
  if (!('items' in copy)) return true
  copy['items'] = strictNode(copy['items'])
  return copy['items'] !== undefined
}
