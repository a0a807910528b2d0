import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { tellApart } from './tagged.ts'

/** Schemas in one form: unions are `anyOf` of references, objects that name their properties are closed. */
export interface Definitions {
  /** By the keys that the references use. */
  readonly schemas: Readonly<Record<string, unknown>>
  /** Key of a schema of the specification, by its name there. */
  readonly keys: ReadonlyMap<string, string>
  /** Location of a schema in the specification: `Message.content|1`. */
  pathOf(schema: object): string
}

interface Making {
  readonly given: JsonObject
  readonly schemas: Record<string, unknown>
  readonly keys: Map<string, string>
  readonly paths: WeakMap<object, string>
  readonly unions: Record<string, unknown>[]
}

/**
 * Turns the schemas of an OpenAPI document (3.0 or 3.1) or of JSON Schema into a form in which a fault can be told by its location:
 * `nullable` is a union with null, `allOf` of objects is one object, `oneOf` is `anyOf` (alternatives overlap more often than their
 * authors know), and an object that names properties has no others unless it says so.
 */
export function normalise(given: JsonObject): Definitions {
  const making: Making = { given, schemas: {}, keys: new Map(), paths: new WeakMap(), unions: [] }
  for (const name of Object.keys(given)) reserve(making, name)
  // Unions reserve keys for their alternatives meanwhile.
  for (const name of Object.keys(given)) making.schemas[making.keys.get(name) ?? ''] = nodeOf(given[name], name, making)
  tellApart(making.unions, making.schemas, (made, union) => making.paths.set(made, making.paths.get(union) ?? ''))
  return { ...making, pathOf: (schema) => making.paths.get(schema) ?? '' }
}

function reserve(making: Making, name: string): string {
  const key = `s${making.keys.size}`
  making.keys.set(name, key)
  return key
}

function nodeOf(raw: unknown, path: string, making: Making): unknown {
  if (!isObject(raw)) return raw
  const { nullable, ...schema } = raw
  if (nullable === true) return unionOf([schema, { type: 'null' }], path, making)
  const reference = referenceOf(schema)
  if (reference !== undefined) return referTo(reference, making)
  const parts = arrayOf(schema['allOf'])
  if (parts.length > 0) return nodeOf(joined(schema, parts, making), path, making)
  const branches = [...arrayOf(schema['anyOf']), ...arrayOf(schema['oneOf'])]
  // Members that a union has beside its alternatives repeat what they say.
  if (branches.length > 0) return unionOf(branches, path, making)
  return plainNode(schema, path, making)
}

function plainNode(schema: JsonObject, path: string, making: Making): JsonObject {
  const node: Record<string, unknown> = {}
  making.paths.set(node, path)
  for (const keyword of ['type', 'enum', 'const', 'required', 'minimum', 'maximum', 'minItems', 'maxItems', 'pattern'])
    if (schema[keyword] !== undefined) node[keyword] = schema[keyword]
  const { properties, items, additionalProperties } = schema
  if (items !== undefined) node['items'] = nodeOf(items, `${path}[]`, making)
  if (isObject(additionalProperties)) node['additionalProperties'] = nodeOf(additionalProperties, `${path}.*`, making)
  if (!isObject(properties)) return node
  node['properties'] = Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, nodeOf(value, `${path}.${name}`, making)]),
  )
  node['additionalProperties'] ??= additionalProperties ?? false
  return node
}

function unionOf(branches: readonly unknown[], path: string, making: Making): JsonObject {
  const anyOf = branches.map((branch, index) => {
    const reference = referenceOf(branch)
    if (reference !== undefined) return referTo(reference, making)
    const name = `${path}|${index}`
    const key = reserve(making, `(${name})`)
    making.schemas[key] = nodeOf(branch, name, making)
    return { $ref: `#/$defs/${key}` }
  })
  const node = { anyOf }
  making.paths.set(node, path)
  making.unions.push(node)
  return node
}

function referenceOf(schema: unknown): string | undefined {
  const path = textOf(objectOf(schema)['$ref'])
  return path === undefined ? undefined : decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
}

/** A schema that was pruned away accepts anything. */
function referTo(name: string, making: Making): JsonObject {
  const key = making.keys.get(name)
  if (key === undefined) throw new RangeError(`it refers to a schema '${name}', which it does not have`)
  return { $ref: `#/$defs/${key}` }
}

/** `allOf` of objects as one object. Parts that are no objects (unions beside objects) are left out: they only ever narrow. */
function joined(schema: JsonObject, parts: readonly unknown[], making: Making): JsonObject {
  const { allOf: _parts, ...own } = schema
  const all = [...parts, own].map((part) => resolved(part, making))
  const [only] = all
  if (all.filter((part) => Object.keys(part).length > 0).length === 1 && only !== undefined) return only
  const properties = united(all.map((part) => objectOf(part['properties'])))
  if (Object.keys(properties).length === 0) return united(all)
  const isOpen = all.some(({ additionalProperties }) => additionalProperties === true)
  return {
    type: 'object',
    properties,
    required: [...new Set(all.flatMap((part) => arrayOf(part['required'])))],
    ...(isOpen && { additionalProperties: true }),
  }
}

function resolved(part: unknown, making: Making): JsonObject {
  const reference = referenceOf(part)
  const schema = reference === undefined ? objectOf(part) : objectOf(making.given[reference])
  const parts = arrayOf(schema['allOf'])
  return parts.length === 0 ? schema : joined(schema, parts, making)
}

function united(objects: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(objects.flatMap((object) => Object.entries(object)))
}
