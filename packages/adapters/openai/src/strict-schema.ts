import { arrayOf, isObject, type JsonSchema } from '@steploop/core'

/**
 * Keywords that strict mode takes (OpenAI, "Structured outputs: supported schemas"). A schema with any other is sent as it is and not
 * enforced: dropping the keyword would change what the schema means.
 */
const supported = new Set(
  (
    'type properties required additionalProperties items enum const anyOf $ref $defs definitions title description pattern format ' +
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems $schema examples'
  ).split(' '),
)

const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'])

/**
 * The schema in the form that strict mode demands (`additionalProperties: false` on every object), or `undefined` when strict mode
 * cannot express it: optional properties, open objects, keywords that it refuses, a root that is no object.
 */
export function strictSchema(schema: JsonSchema): JsonSchema | undefined {
  if (schema['type'] !== 'object' || schema['anyOf'] !== undefined) return undefined
  const strict = strictNode(schema)
  return isObject(strict) ? strict : undefined
}

function strictNode(node: unknown): unknown {
  if (!isObject(node)) return undefined
  const strict: Record<string, unknown> = {}
  for (const keyword in node) {
    if (!supported.has(keyword)) return undefined
    const value = strictValue(keyword, node[keyword])
    if (value === undefined) return undefined
    strict[keyword] = value
  }
  if (strict['type'] !== 'object') return strict
  // An object that names no properties and does not say that it is closed is meant to be open.
  if (node['properties'] === undefined && node['additionalProperties'] !== false) return undefined
  const properties = isObject(node['properties']) ? Object.keys(node['properties']) : []
  const required = arrayOf(node['required'])
  if (properties.some((name) => !required.includes(name))) return undefined
  return { ...strict, properties: strict['properties'] ?? {}, required: properties, additionalProperties: false }
}

/** `undefined`: strict mode cannot express it. */
function strictValue(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case 'properties':
    case '$defs':
    case 'definitions':
      return strictMap(value)
    case 'items':
      return strictNode(value)
    case 'anyOf': {
      const branches = arrayOf(value).map(strictNode)
      return branches.includes(undefined) ? undefined : branches
    }
    case 'additionalProperties':
      return value === false ? false : undefined
    case 'format':
      return typeof value === 'string' && formats.has(value) ? value : undefined
    default:
      return value
  }
}

function strictMap(value: unknown): unknown {
  if (!isObject(value)) return undefined
  const strict: Record<string, unknown> = {}
  for (const name in value) {
    const node = strictNode(value[name])
    if (node === undefined) return undefined
    strict[name] = node
  }
  return strict
}
