import { arrayOf, isObject, type JsonObject, type JsonSchema, type Warn } from '@steploop/core/adapter'

/** What stays as it is: the vendor documents it for `responseJsonSchema`, or recorded requests show it to be taken. */
const kept = new Set([
  '$id',
  '$anchor',
  'type',
  'format',
  'title',
  'description',
  'enum',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
  'pattern',
  'default',
  'required',
  'propertyOrdering',
])
/** Keywords that say nothing to the model. */
const idle = new Set(['$schema', '$comment', 'examples', 'discriminator', 'readOnly', 'writeOnly', 'deprecated'])

/**
 * A JSON schema as the API takes it for `parametersJsonSchema` and `responseJsonSchema`. Rewritten without loss: `const`, exclusive bounds
 * of integers, `nullable`, `definitions`, `allOf` of objects, members beside a `$ref` (refused by the API). What has to go is said in the
 * description, where the model reads it, and in a warning.
 *
 * @param path where the schema stands in the request, for warnings
 */
export function sanitiseSchema(schema: JsonSchema, path: string, warn: Warn): JsonObject {
  const merged = mergeAllOf(schema)
  const result: Record<string, unknown> = {}
  const removed: string[] = []
  for (const key of Object.keys(merged)) {
    const value = merged[key]
    if (value === undefined || idle.has(key)) continue
    if (!convert({ key, value, schema: merged, result, path, warn })) removed.push(`${key}: ${JSON.stringify(value)}`)
  }
  if (removed.length > 0) {
    const note = `{${removed.join(', ')}}`
    const own = result['description']
    result['description'] = typeof own === 'string' && own !== '' ? `${own}\n\n${note}` : note
    warn({ type: 'coerced', path, message: `Not enforced by the provider, moved into the description: ${note}.` })
  }
  return besideReference(result)
}

interface Member {
  readonly key: string
  readonly value: unknown
  readonly schema: JsonObject
  readonly result: Record<string, unknown>
  readonly path: string
  readonly warn: Warn
}

/** Puts one member into `result`; false when the API has no place for it. */
function convert({ key, value, schema, result, path, warn }: Member): boolean {
  switch (key) {
    case 'properties':
    case '$defs':
    case 'definitions':
      result[key === 'definitions' ? '$defs' : key] = eachSchema(value, `${path}.${key}`, warn)
      return true
    case 'items':
    case 'additionalProperties':
      result[key] = nested(value, `${path}.${key}`, warn)
      return true
    case 'anyOf':
    case 'oneOf':
    case 'prefixItems':
      result[key] = arrayOf(value).map((one, index) => nested(one, `${path}.${key}[${index}]`, warn))
      return true
    case '$ref':
      result[key] = typeof value === 'string' ? value.replace(/^#\/definitions\//, '#/$defs/') : value
      return true
    case 'const':
      result['enum'] = [value]
      if (schema['type'] === undefined && value !== null) result['type'] = typeof value
      return true
    case 'nullable':
      if (value === true && typeof schema['type'] === 'string') result['type'] = [schema['type'], 'null']
      return true
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return isEmptyBound(value) || convertBound(key, value, schema, result)
    case 'minimum':
    case 'maximum':
      // The limits of safe integers, which schema libraries write for every integer, bound nothing.
      if (!isEmptyBound(value)) result[key] ??= value
      return true
    default:
      if (kept.has(key)) result[key] ??= value
      return kept.has(key)
  }
}

function isEmptyBound(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) >= Number.MAX_SAFE_INTEGER
}

function convertBound(key: string, value: unknown, schema: JsonObject, result: Record<string, unknown>): boolean {
  if (schema['type'] !== 'integer' || typeof value !== 'number') return false
  if (key === 'exclusiveMinimum') result['minimum'] = Math.floor(value) + 1
  else result['maximum'] = Math.ceil(value) - 1
  return true
}

function eachSchema(schemas: unknown, path: string, warn: Warn): JsonObject {
  const result: Record<string, unknown> = {}
  if (!isObject(schemas)) return result
  for (const name of Object.keys(schemas)) {
    const value = nested(schemas[name], `${path}.${name}`, warn)
    // A property may be called `__proto__`.
    Object.defineProperty(result, name, { value, enumerable: true, writable: true, configurable: true })
  }
  return result
}

function nested(schema: unknown, path: string, warn: Warn): unknown {
  if (isObject(schema)) return sanitiseSchema(schema, path, warn)
  return schema === true && !path.endsWith('.additionalProperties') ? {} : schema
}

/** Intersections of objects, as schema libraries write them; others stay and are noted. */
function mergeAllOf(schema: JsonSchema): JsonObject {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf) || !allOf.every((one) => isObject(one) && one['$ref'] === undefined)) return schema
  const all = [rest, ...allOf.filter(isObject).map(mergeAllOf)]
  const result = joined(all.toReversed())
  const properties = all.map((one) => one['properties']).filter(isObject)
  const required = new Set(all.flatMap((one) => arrayOf(one['required'])))
  if (properties.length > 0) result['properties'] = joined(properties)
  if (required.size > 0) result['required'] = [...required]
  return result
}

/** The members of all; later ones win. */
function joined(objects: readonly JsonObject[]): Record<string, unknown> {
  return Object.fromEntries(objects.flatMap((one) => Object.entries(one)))
}

/** Beside `$ref` only members that begin with `$` may stand; the others move to an `anyOf` around it. */
function besideReference(schema: Record<string, unknown>): JsonObject {
  const { $ref, ...rest } = schema
  if ($ref === undefined || Object.keys(rest).every((key) => key.startsWith('$'))) return schema
  return { ...rest, anyOf: [{ $ref }] }
}
