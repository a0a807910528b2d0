import { arrayOf, isObject } from '@steploop/core/adapter'
import { objectAt } from '../simulate/fields.ts'
import { invalidRequest } from './openai-errors.ts'
import type { JsonObject, Rejection } from '../simulate/wire-simulation.ts'

/**
 * Checks the schema of a declared function (`name`, `parameters`, `strict`), which stands at `param` in the body.
 * Parameters have to be an object; with `strict`, every object names all its members as required and allows no others.
 * https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function checkFunctionSchema(declared: JsonObject, param: string): Rejection | undefined {
  const { name, parameters, strict } = declared
  if (!isObject(parameters)) return undefined
  const refuse = (reason: string) =>
    invalidRequest({
      message: `Invalid schema for function '${String(name)}': ${reason}`,
      param,
      code: 'invalid_function_parameters',
    })
  const type = parameters['type']
  if (type !== 'object') {
    const got = typeof type === 'string' ? type : 'None'
    return refuse(`schema must be a JSON Schema of 'type: "object"', got 'type: "${got}"'.`)
  }
  const reason = strict === true ? looseness(parameters) : undefined
  return reason === undefined ? undefined : refuse(reason)
}

/** Why a schema is not strict, in the provider's words; `undefined` when it is. `context` is the path to it. */
export function looseness(schema: unknown, context: readonly string[] = []): string | undefined {
  if (Array.isArray(schema)) return loosenessOf(Object.entries(schema), context)
  if (!isObject(schema)) return undefined
  const members = ['properties', '$defs', 'definitions']
  return (
    objectLooseness(schema, context) ??
    firstOf(members.map((key) => loosenessOf(Object.entries(objectAt(schema, key)), [...context, key]))) ??
    firstOf(['items', 'anyOf'].map((key) => looseness(schema[key], [...context, key])))
  )
}

function loosenessOf(schemas: readonly (readonly [string, unknown])[], context: readonly string[]): string | undefined {
  return firstOf(schemas.map(([key, schema]) => looseness(schema, [...context, key])))
}

function objectLooseness(node: JsonObject, context: readonly string[]): string | undefined {
  if (node['type'] !== 'object') return undefined
  const where = `In context=(${context.map((key) => `'${key}'`).join(', ')})`
  if (node['additionalProperties'] !== false) {
    return `${where}, 'additionalProperties' is required to be supplied and to be false.`
  }
  const required = arrayOf(node['required'])
  const missing = Object.keys(objectAt(node, 'properties')).find((key) => !required.includes(key))
  if (missing === undefined) return undefined
  return `${where}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`
}

function firstOf(reasons: readonly (string | undefined)[]): string | undefined {
  return reasons.find((reason) => reason !== undefined)
}
