import { isObject, objectOf, type JsonObject, type JsonSchema, type Warn } from '@steploop/core/adapter'

/** https://docs.cohere.com/docs/structured-outputs#unsupported-schema-features */
const unsupported = new Set([
  '$schema',
  'anyOf',
  'allOf',
  'oneOf',
  'not',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'uniqueItems',
  'additionalProperties',
])

const formats = new Set(['date-time', 'uuid', 'date', 'time'])

/** A schema that is enforced without what Cohere refuses; what is not enforced then is told in a warning. */
export function supportedSchema(schema: JsonSchema, path: string, warn: Warn): JsonSchema {
  const removed = new Set<string>()
  const result = without(schema, removed)
  if (removed.size > 0) {
    const message = `Cohere does not enforce ${[...removed].join(', ')} of a schema; it is sent without`
    warn({ type: 'coerced', path, message })
  }
  return result
}

function without(schema: JsonObject, removed: Set<string>): JsonObject {
  const result: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(schema)) {
    if (isUnsupported(name, value)) {
      // The version of the dialect says nothing about the answer.
      if (name !== '$schema') removed.add(name)
    } else if (name === 'properties' || name === '$defs' || name === 'definitions')
      result[name] = eachOf(value, removed)
    else result[name] = name === 'items' && isObject(value) ? without(value, removed) : value
  }
  return result
}

function eachOf(schemas: unknown, removed: Set<string>): JsonObject {
  const entries = Object.entries(objectOf(schemas))
  return Object.fromEntries(
    entries.map(([name, schema]) => [name, isObject(schema) ? without(schema, removed) : schema]),
  )
}

function isUnsupported(name: string, value: unknown): boolean {
  if (name === 'format') return typeof value !== 'string' || !formats.has(value)
  if (name === 'pattern') return typeof value !== 'string' || /[$^]|\?[=!]/.test(value)
  return unsupported.has(name)
}
