import { arrayOf, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'

/** A document made from a schema. */
export interface Sample {
  /** `web_search_call`. */
  readonly kind: string
  readonly json: JsonObject
}

/**
 * Makes documents of every alternative of a schema: one with what is required, one with every member, and one for each alternative of
 * each member.
 *
 * @param schemas by name
 */
export function samplesOf(name: string, schemas: JsonObject): readonly Sample[] {
  return alternatives(schemas[name], schemas).flatMap((schema) => {
    const least = objectOf(made(schema, schemas, { full: false, depth: 0 }))
    const fullest = objectOf(made(schema, schemas, { full: true, depth: 0 }))
    const kind = kindOf(fullest)
    const varied = variations(schema, schemas).map((change) => ({ ...fullest, ...change }))
    const apart = arrayOf(schema['required']).length === 0 ? membersApart(fullest) : []
    return [...[least, fullest, ...varied].map((json) => ({ kind, json })), ...apart]
  })
}

function kindOf(json: JsonObject): string {
  return textOf(json['type']) ?? Object.keys(json)[0] ?? 'empty'
}

/** Where nothing is required, the members are alternatives themselves. */
function membersApart(fullest: JsonObject): readonly Sample[] {
  return Object.entries(fullest).map(([member, value]) => ({ kind: member, json: { [member]: value } }))
}

/** One alternative of one member each. */
function variations(schema: JsonObject, schemas: JsonObject): readonly JsonObject[] {
  return Object.entries(objectOf(schema['properties'])).flatMap(([member, raw]) => {
    const single = alternatives(raw, schemas)
    const items = single.flatMap((alternative) => alternatives(alternative['items'], schemas))
    return [
      ...(single.length > 1 ? single.map((alternative) => made(alternative, schemas, nested)) : []),
      ...(items.length > 1 ? items.map((item) => [made(item, schemas, nested)]) : []),
    ].map((value) => ({ [member]: value }))
  })
}

const nested = { full: true, depth: 1 }

/** The alternatives of a union, those of unions inside it too, without references; one for what is no union, none for nothing. */
function alternatives(schema: unknown, schemas: JsonObject): readonly JsonObject[] {
  const node = resolved(schema, schemas)
  const branches = [...arrayOf(node['anyOf']), ...arrayOf(node['oneOf'])]
  if (branches.length > 0) return branches.flatMap((branch) => alternatives(branch, schemas))
  return Object.keys(node).length === 0 ? [] : [node]
}

function resolved(schema: unknown, schemas: JsonObject): JsonObject {
  const path = textOf(objectOf(schema)['$ref'])
  return path === undefined ? objectOf(schema) : resolved(schemas[path.slice(path.lastIndexOf('/') + 1)], schemas)
}

interface Making {
  /** Every member, not only those that are required. */
  readonly full: boolean
  readonly depth: number
  readonly member?: string
}

/** Deeper than this only what is required: schemas hold themselves. */
const deepest = 5

function made(schema: unknown, schemas: JsonObject, making: Making): unknown {
  const options = alternatives(schema, schemas)
  const node = options.find(({ type }) => type !== 'null') ?? options[0] ?? {}
  if ('const' in node) return node['const']
  const words = arrayOf(node['enum'])
  if (words.length > 0)
    return preferred.find((word) => words.includes(word)) ?? words.find((word) => word !== null) ?? null
  const types = Array.isArray(node['type']) ? node['type'] : [node['type']]
  const type: unknown = types.find((candidate) => candidate !== 'null')
  switch (type) {
    case 'string':
      // Texts in these locations are JSON themselves.
      return making.member === 'arguments' ? '{"made":true}' : (exact[making.member ?? ''] ?? `made ${making.member}`)
    case 'number':
    case 'integer':
      return 1
    case 'boolean':
      return true
    case 'array':
      return making.full ? [made(node['items'], schemas, { ...making, depth: making.depth + 1 })] : []
    case undefined:
      return node['type'] === 'null' ? null : {}
    default:
      return node['properties'] === undefined ? {} : madeObject(node, schemas, making)
  }
}

/** Words that are chosen where several may stand: those that an answer has. */
const preferred: readonly unknown[] = ['developer', 'assistant', 'completed']

/** Texts whose form matters beyond the schema. */
const exact: Readonly<Record<string, string>> = {
  id: 'id_1',
  call_id: 'call_1',
  tool_use_id: 'toolu_1',
  name: 'made_tool',
}

function madeObject(node: JsonObject, schemas: JsonObject, { full, depth }: Making): JsonObject {
  const required = arrayOf(node['required'])
  const members = Object.entries(objectOf(node['properties'])).filter(
    ([name]) => required.includes(name) || (full && depth < deepest),
  )
  const entries = members.map(([member, value]) => [member, made(value, schemas, { full, depth: depth + 1, member })])
  return Object.fromEntries(entries) as JsonObject
}
