import {
  arrayOf,
  isObject,
  objectOf,
  textOf,
  type JsonObject,
  type JsonSchema,
  type Warn,
} from '@steploop/core/adapter'

const kept = new Set(['type', 'title', 'description', 'enum', 'const', 'default', 'required', '$ref'])
const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])

/**
 * A JSON schema as the API takes it for `output_config.format` and strict tools: objects closed, no bounds but `minItems` 0 and 1, known
 * string formats only, `oneOf` as `anyOf`. What has to go is said in the description, where the model reads it, and in a warning
 * (docs/wire.md#anthropic-messages; the vendor's structured outputs guide).
 *
 * @param path where the schema stands in the request, for warnings
 */
export function sanitiseSchema(schema: JsonSchema, path: string, warn: Warn): JsonObject {
  const result: Record<string, unknown> = {}
  const removed: string[] = []
  for (const key of Object.keys(schema)) {
    const value = schema[key]
    const [name, replaced] = convert(key, value, path, warn)
    if (name !== undefined) result[name] = replaced
    else if (key !== '$schema' && value !== undefined) removed.push(`${key}: ${JSON.stringify(value)}`)
  }
  if (isClosable(schema)) {
    result['additionalProperties'] = false
    result['properties'] ??= {}
  }
  if (removed.length > 0) {
    const note = `{${removed.join(', ')}}`
    const own = schema['description']
    result['description'] = textOf(own) === undefined ? note : `${String(own)}\n\n${note}`
    warn({ type: 'coerced', path, message: `Not enforced by the provider, moved into the description: ${note}.` })
  }
  return result
}

function convert(key: string, value: unknown, path: string, warn: Warn): readonly [name?: string, value?: unknown] {
  switch (key) {
    case 'properties':
    case '$defs':
    case 'definitions':
      return [key, eachSchema(value, `${path}.${key}`, warn)]
    case 'items':
      return isObject(value) ? [key, sanitiseSchema(value, `${path}.items`, warn)] : []
    case 'anyOf':
    case 'oneOf':
    case 'allOf': {
      const variants = arrayOf(value).map((one, index) => nested(one, `${path}.${key}[${index}]`, warn))
      return [key === 'oneOf' ? 'anyOf' : key, variants]
    }
    case 'format':
      return typeof value === 'string' && formats.has(value) ? [key, value] : []
    case 'minItems':
      return value === 0 || value === 1 ? [key, value] : []
    case 'additionalProperties':
      return value === false ? [key, value] : []
    default:
      return kept.has(key) ? [key, value] : []
  }
}

function eachSchema(schemas: unknown, path: string, warn: Warn): JsonObject {
  const members = Object.entries(objectOf(schemas))
  return Object.fromEntries(members.map(([name, schema]) => [name, nested(schema, `${path}.${name}`, warn)]))
}

function nested(schema: unknown, path: string, warn: Warn): unknown {
  return isObject(schema) ? sanitiseSchema(schema, path, warn) : schema
}

/** Objects have to say `additionalProperties: false`. */
function isClosable(schema: JsonSchema): boolean {
  const { type } = schema
  return type === 'object' || isObject(schema['properties']) || arrayOf(type).includes('object')
}
