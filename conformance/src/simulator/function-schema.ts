import { invalidRequest } from './openai-errors.ts'
import type { JsonObject, Refusal } from './wire-simulation.ts'

/** A function as both OpenAI endpoints know it, and where its schema stands in the body. */
export interface DeclaredFunction {
  readonly name: string
  readonly parameters?: JsonObject | null | undefined
  readonly strict?: boolean | null | undefined
  readonly param: string
}

/**
 * Parameters have to be an object; with `strict`, every object names all its members as required and allows no others.
 * https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function checkFunctionSchema(declared: DeclaredFunction): Refusal | undefined {
  const { name, parameters, param } = declared
  if (parameters == null) return undefined
  const refuse = (reason: string) =>
    invalidRequest({
      message: `Invalid schema for function '${name}': ${reason}`,
      param,
      code: 'invalid_function_parameters',
    })
  const type = parameters['type']
  if (type !== 'object') {
    const got = typeof type === 'string' ? type : 'None'
    return refuse(`schema must be a JSON Schema of 'type: "object"', got 'type: "${got}"'.`)
  }
  const reason = declared.strict === true ? looseness(parameters, []) : undefined
  return reason === undefined ? undefined : refuse(reason)
}

/** Why a schema is not strict; `undefined` when it is. */
export function looseness(schema: unknown, context: readonly string[]): string | undefined {
  if (Array.isArray(schema)) return firstOf(schema.map((entry, index) => looseness(entry, [...context, String(index)])))
  if (typeof schema !== 'object' || schema === null) return undefined
  const node = schema as JsonObject
  const properties = isObject(node['properties']) ? node['properties'] : {}
  return (
    objectLooseness(node, Object.keys(properties), context) ??
    firstOf(Object.entries(properties).map(([key, value]) => looseness(value, [...context, 'properties', key]))) ??
    firstOf(
      ['items', 'anyOf', '$defs', 'definitions'].map((key) =>
        key.endsWith('efs') || key === 'definitions'
          ? firstOf(
              Object.entries(isObject(node[key]) ? node[key] : {}).map(([name, value]) =>
                looseness(value, [...context, key, name]),
              ),
            )
          : looseness(node[key], [...context, key]),
      ),
    )
  )
}

function objectLooseness(node: JsonObject, keys: readonly string[], context: readonly string[]): string | undefined {
  if (node['type'] !== 'object') return undefined
  const where = `In context=(${context.map((key) => `'${key}'`).join(', ')})`
  if (node['additionalProperties'] !== false) {
    return `${where}, 'additionalProperties' is required to be supplied and to be false.`
  }
  const required = Array.isArray(node['required']) ? node['required'] : []
  const missing = keys.find((key) => !required.includes(key))
  if (missing === undefined) return undefined
  return `${where}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`
}

function firstOf(reasons: readonly (string | undefined)[]): string | undefined {
  return reasons.find((reason) => reason !== undefined)
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
