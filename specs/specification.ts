import { arrayOf, isObject, textOf, type JsonObject } from '@steploop/core/adapter'
import { Ajv2020, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { normalise, type Definitions } from './normalise.ts'
import { tagNames } from './tagged.ts'

/** Schemas that documents can be held against. */
export interface Specification {
  readonly name: string
  /** Schemas as they were given, by name. */
  readonly schemas: JsonObject
  /**
   * The rules that a document breaks; empty: it is valid. A rule is the location in the specification and what is wrong there
   * (`Message.role: 'system' is none of its words`), so that two documents with the same fault break the same rule.
   *
   * @throws RangeError when the specification has no schema of this name
   */
  readonly broken: (schemaName: string, document: unknown) => readonly string[]
}

interface Compiled {
  readonly ajv: Ajv2020
  readonly validators: Map<string, ValidateFunction>
  readonly definitions: Definitions
}

/** @param schemas by name */
export function compileSpecification(name: string, schemas: JsonObject): Specification {
  const definitions = normalise(schemas)
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    verbose: true,
    inlineRefs: false,
    validateFormats: false,
    unicodeRegExp: false,
    logger: false,
  })
  ajv.addSchema({ $id: 'spec', $defs: definitions.schemas } satisfies AnySchemaObject)
  const compiled: Compiled = { ajv, validators: new Map(), definitions }
  return {
    name,
    schemas,
    broken(schemaName, document) {
      const key = definitions.keys.get(schemaName)
      if (key === undefined) throw new RangeError(`The specification '${name}' has no schema '${schemaName}'.`)
      return [...new Set(faultsOf(key, document, compiled).map(({ rule }) => rule))]
    },
  }
}

interface Fault {
  readonly rule: string
  /** How much it speaks against the alternative that it is found in: another kind of thing counts more than any fault of the same kind. */
  readonly weight: number
}

function faultsOf(key: string, document: unknown, compiled: Compiled): readonly Fault[] {
  const validate = validatorOf(key, compiled)
  if (validate(document)) return []
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if')
  const unions = outermost(errors.filter(({ keyword }) => keyword === 'anyOf'))
  const plain = errors.filter((error) => !unions.some((union) => isWithin(error, union)))
  return [
    ...plain.flatMap((error) => (isUnknownField(error) ? unknownFields(error, compiled) : faultOf(error, compiled))),
    ...unions.flatMap((union) => inside(union, nearest(union, compiled))),
  ]
}

function validatorOf(key: string, { ajv, validators }: Compiled): ValidateFunction {
  const known = validators.get(key)
  if (known !== undefined) return known
  const made = ajv.compile({ $ref: `spec#/$defs/${key}` })
  validators.set(key, made)
  return made
}

/** Picks the outer union. Of several in one location the last is the outer one: ajv reports it after what is in it. */
function outermost(unions: readonly ErrorObject[]): readonly ErrorObject[] {
  return unions.filter(
    (union, index) => !unions.some((other, at) => other !== union && at > index && isWithin(union, other)),
  )
}

function isWithin(error: ErrorObject, union: ErrorObject): boolean {
  return (
    error === union ||
    error.instancePath === union.instancePath ||
    error.instancePath.startsWith(`${union.instancePath}/`)
  )
}

/** What stands deeper does not tell of what kind the whole is. */
function inside(union: ErrorObject, faults: readonly Fault[]): readonly Fault[] {
  return union.instancePath === '' ? faults : faults.map((fault) => ({ ...fault, weight: 1 }))
}

/** An alternative that is meant for something else. */
const otherKind = 1000

/** What is wrong in the alternative that the document comes nearest to. */
function nearest(union: ErrorObject, compiled: Compiled): readonly Fault[] {
  const branches = arrayOf(union.schema).map((branch) => faultsOf(keyOf(branch), union.data, compiled))
  const [best] = branches.toSorted((left, right) => weightOf(left) - weightOf(right))
  if (best !== undefined && weightOf(best) < otherKind) return best
  return [{ rule: `${pathOf(union, compiled)}: ${kindOf(union.data)} is none of its kinds`, weight: otherKind }]
}

function keyOf(branch: unknown): string {
  const path = isObject(branch) ? (textOf(branch['$ref']) ?? '') : ''
  return path.slice(path.lastIndexOf('/') + 1)
}

function weightOf(faults: readonly Fault[]): number {
  return faults.reduce((sum, { weight }) => sum + weight, 0)
}

const tags: readonly string[] = tagNames.map((name) => `/${name}`)

function faultOf(error: ErrorObject, compiled: Compiled): Fault {
  const rule = `${pathOf(error, compiled)}: ${wordsOf(error)}`
  const isRoot = error.instancePath === ''
  const isTag = tags.includes(error.instancePath) && (error.keyword === 'const' || error.keyword === 'enum')
  const isWithoutTag =
    isRoot && error.keyword === 'required' && tags.includes(`/${String(error.params['missingProperty'])}`)
  const isOther = isTag || isWithoutTag || (isRoot && ['type', 'const', 'enum'].includes(error.keyword))
  return { rule, weight: isOther ? otherKind : 1 }
}

function isUnknownField({ keyword }: ErrorObject): boolean {
  return keyword === 'additionalProperties'
}

/** A rule for each leaf of what the specification does not know, so that recorded traffic tells what is in there too. */
function unknownFields(error: ErrorObject, compiled: Compiled): readonly Fault[] {
  const name = String(error.params['additionalProperty'])
  const value = isObject(error.data) ? error.data[name] : undefined
  return leavesOf(value, name, 0).map((leaf) => ({
    rule: `${pathOf(error, compiled)}: unknown field ${leaf}`,
    weight: 1,
  }))
}

/** Deeper than this it is data of the caller or the model. */
const deepest = 4

function leavesOf(value: unknown, path: string, depth: number): readonly string[] {
  const members = Array.isArray(value)
    ? value.flatMap((item: unknown) => leavesOf(item, `${path}[]`, depth + 1))
    : isObject(value)
      ? Object.entries(value).flatMap(([name, member]) => leavesOf(member, `${path}.${name}`, depth + 1))
      : []
  return members.length === 0 || depth >= deepest ? [`'${path}' (${kindOf(value)})`] : [...new Set(members)]
}

function wordsOf({ keyword, params, data }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return `'${String(params['missingProperty'])}' is missing`
    case 'type':
      return `${kindOf(data)} instead of ${arrayOf(params['type']).join(' or ') || String(params['type'])}`
    case 'enum':
    case 'const':
      return `${JSON.stringify(data)?.slice(0, 60)} is none of its words`
    default:
      return `breaks ${keyword}`
  }
}

function kindOf(data: unknown): string {
  if (data === null) return 'null'
  if (Array.isArray(data)) return 'array'
  if (!isObject(data)) return typeof data
  const tag = textOf(data['type']) ?? textOf(data['role'])
  return tag === undefined ? 'object' : `'${tag}'`
}

function pathOf({ parentSchema }: ErrorObject, { definitions }: Compiled): string {
  return parentSchema === undefined ? '' : definitions.pathOf(parentSchema)
}
