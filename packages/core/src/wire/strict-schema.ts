import type { JsonSchema } from '../contract/adapter.ts'
import { arrayOf, isObject } from './json.ts'

/**
 * The schema in the form that OpenAI's strict mode demands (every object closed), or `undefined` when strict mode cannot express it:
 * optional properties, open objects, a root that is no object, keywords and sizes outside of the documented subset. A schema that is not
 * in the subset has to be sent without `strict`: dropping what does not fit would change what it means.
 * https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function strictSchema(schema: JsonSchema): JsonSchema | undefined {
  if (schema['type'] !== 'object' || schema['anyOf'] !== undefined) return undefined
  const size: Size = { properties: 0, words: 0 }
  const strict = strictNode(schema, 1, size)
  return size.properties > most.properties || size.words > most.words ? undefined : strict
}

/** Size of the whole schema. */
interface Size {
  properties: number
  /** Values of enums. */
  words: number
}

const most = { properties: 5000, words: 1000, depth: 10 }

/** A pattern, which costs nothing before it is asked. */
const supported =
  /^(?:type|properties|required|additionalProperties|items|enum|const|anyOf|\$(?:ref|defs|schema)|definitions|title|description|pattern|format|examples|(?:m|exclusiveM)(?:in|ax)imum|multipleOf|m(?:in|ax)Items)$/

/** A node with none of these accepts anything, which strict mode refuses. */
const describing = ['type', 'anyOf', '$ref', 'enum', 'const']

const formats = /^(?:date|date-time|time|duration|email|hostname|ipv[46]|uuid)$/

/** @param depth of objects and lists around it, its own level included */
function strictNode(node: unknown, depth: number, size: Size): JsonSchema | undefined {
  if (!isObject(node) || depth > most.depth || !describing.some((keyword) => node[keyword] !== undefined))
    return undefined
  const strict: Record<string, unknown> = {}
  for (const keyword in node) {
    if (node[keyword] === undefined) continue
    if (!supported.test(keyword)) return undefined
    const value = strictValue(keyword, node[keyword], depth, size)
    if (value === undefined) return undefined
    strict[keyword] = value
  }
  return isObjectNode(node) ? closed(node, strict, size) : strict
}

function isObjectNode({ type, properties }: JsonSchema): boolean {
  return type === 'object' || properties !== undefined || arrayOf(type).includes('object')
}

function closed(node: JsonSchema, strict: JsonSchema, size: Size): JsonSchema | undefined {
  // An object that names no properties and does not say that it is closed is meant to be open.
  if (node['properties'] === undefined && node['additionalProperties'] !== false) return undefined
  const properties = isObject(node['properties']) ? Object.keys(node['properties']) : []
  size.properties += properties.length
  const required = arrayOf(node['required'])
  if (properties.some((name) => !required.includes(name))) return undefined
  return { ...strict, properties: strict['properties'] ?? {}, required: properties, additionalProperties: false }
}

/** `undefined`: strict mode cannot express it. */
function strictValue(keyword: string, value: unknown, depth: number, size: Size): unknown {
  switch (keyword) {
    case 'properties':
      return strictMap(value, depth + 1, size)
    case '$defs':
    case 'definitions':
      return strictMap(value, depth, size)
    case 'items':
      return strictNode(value, depth + 1, size)
    case 'anyOf': {
      const branches = arrayOf(value).map((branch) => strictNode(branch, depth, size))
      return branches.length === 0 || branches.includes(undefined) ? undefined : branches
    }
    case 'enum':
      size.words += arrayOf(value).length
      return value
    case 'additionalProperties':
      return value === false ? false : undefined
    case 'format':
      return typeof value === 'string' && formats.test(value) ? value : undefined
    default:
      return value
  }
}

function strictMap(value: unknown, depth: number, size: Size): JsonSchema | undefined {
  if (!isObject(value)) return undefined
  const strict: Record<string, unknown> = {}
  for (const name in value) {
    const node = strictNode(value[name], depth, size)
    if (node === undefined) return undefined
    strict[name] = node
  }
  return strict
}
