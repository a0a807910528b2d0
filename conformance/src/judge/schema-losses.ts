import { arrayOf, isObject, objectOf, type JsonObject } from '@steploop/core/adapter'
import { canonicalJson } from '../json.ts'

/** Something that a schema says, and another one that was made from it does not. */
export interface SchemaLoss {
  /** Path from the root of the schema, for example `properties.via.items`. Empty for the root. */
  readonly path: string
  readonly keyword: string
  readonly message: string
}

/** Keywords that say nothing of values. */
const idle = new Set(['$schema', '$comment'])

/**
 * What a model that is shown `sent` does not learn, or learns wrongly, of what `declared` says. Forms that mean the same are equal: `const`
 * and an `enum` of one, `oneOf` and `anyOf`, `allOf` merged into the schema, exclusive bounds of integers, types in capitals.
 */
export function schemaLosses(declared: unknown, sent: unknown, path = ''): readonly SchemaLoss[] {
  if (declared === true) return []
  if (!isObject(declared) || !isObject(sent)) {
    if (canonicalJson(declared) === canonicalJson(sent)) return []
    return isObject(declared) && Object.keys(declared).length === 0
      ? []
      : [lost({ path, keyword: 'schema' }, declared, sent)]
  }
  const losses = Object.keys(declared).flatMap((keyword) =>
    idle.has(keyword) || declared[keyword] === undefined ? [] : keywordLosses({ declared, sent, path, keyword }),
  )
  const required = [declared, ...arrayOf(declared['allOf']).map(objectOf)].flatMap((one) => arrayOf(one['required']))
  const more = arrayOf(sent['required']).filter((name) => !required.includes(name))
  const location = { path, keyword: 'required' }
  return more.length === 0 ? losses : [...losses, lost(location, required, sent['required'])]
}

interface Keyword {
  readonly declared: JsonObject
  readonly sent: JsonObject
  readonly path: string
  readonly keyword: string
}

function keywordLosses(location: Keyword): readonly SchemaLoss[] {
  const { declared, sent, path, keyword } = location
  const value = declared[keyword]
  const below = (step: string): string => (path === '' ? step : `${path}.${step}`)
  switch (keyword) {
    case 'properties':
    case '$defs':
    case 'definitions': {
      const there = objectOf(sent[keyword] ?? (keyword === 'definitions' ? sent['$defs'] : undefined))
      return Object.entries(objectOf(value)).flatMap(([name, schema]) =>
        name in there
          ? schemaLosses(schema, there[name], below(`${keyword}.${name}`))
          : [lost({ path: below(keyword), keyword: name }, schema, undefined)],
      )
    }
    case 'anyOf':
    case 'oneOf':
    case 'prefixItems': {
      const branches = arrayOf(value)
      const there = arrayOf(keyword === 'prefixItems' ? sent[keyword] : (sent['anyOf'] ?? sent['oneOf']))
      if (there.length !== branches.length) return [lost(location, value, there)]
      return branches.flatMap((branch, at) => schemaLosses(branch, there[at], below(`${keyword}[${at}]`)))
    }
    case 'allOf':
      if (Array.isArray(sent['allOf'])) return equal(location)
      return arrayOf(value).flatMap((branch) =>
        schemaLosses(branch, { ...sent, required: objectOf(branch)['required'] }, path),
      )
    case 'items':
    case 'additionalProperties':
      return value === true ? [] : schemaLosses(value, sent[keyword], below(keyword))
    default:
      return saysTheSame(location) ? [] : equal(location)
  }
}

/** Whether the same is said in another way. */
function saysTheSame({ declared, sent, keyword }: Keyword): boolean {
  const value = declared[keyword]
  switch (keyword) {
    case 'required':
      return arrayOf(value).every((name) => arrayOf(sent['required']).includes(name))
    case 'type':
      return canonicalJson(typesOf(declared)) === canonicalJson(typesOf(sent))
    case 'const':
      return canonicalJson(sent['enum']) === canonicalJson([value])
    case 'description':
      return typeof value === 'string' && typeof sent['description'] === 'string' && sent['description'].includes(value)
    case '$ref': {
      const same = [value, String(value).replace('#/definitions/', '#/$defs/')]
      return [sent, ...arrayOf(sent['anyOf'])].some((branch) => same.includes(objectOf(branch)['$ref']))
    }
    case 'nullable':
      return typesOf(sent).includes('null') === (value === true)
    case 'minimum':
    case 'maximum':
      // Libraries write the limits of safe integers, which bound nothing.
      return Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER
    case 'exclusiveMinimum':
      return declared['type'] === 'integer' && sent['minimum'] === Number(value) + 1
    case 'exclusiveMaximum':
      return declared['type'] === 'integer' && sent['maximum'] === Number(value) - 1
    default:
      return false
  }
}

function typesOf({ type, nullable }: JsonObject): readonly string[] {
  const types = Array.isArray(type) ? type.map(String) : [String(type)]
  const all = types.map((one) => one.toLowerCase())
  return [...new Set(nullable === true ? [...all, 'null'] : all)].toSorted()
}

function equal(location: Keyword): readonly SchemaLoss[] {
  const { declared, sent, keyword } = location
  return canonicalJson(declared[keyword]) === canonicalJson(sent[keyword])
    ? []
    : [lost(location, declared[keyword], sent[keyword])]
}

function lost({ path, keyword }: Pick<Keyword, 'path' | 'keyword'>, declared: unknown, sent: unknown): SchemaLoss {
  const at = [path, keyword].filter((step) => step !== '').join('.')
  return { path, keyword, message: `\`${at}\` is ${shown(declared)}, and the body says ${shown(sent)}` }
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : canonicalJson(value)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
