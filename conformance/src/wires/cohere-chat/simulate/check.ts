import { isObject } from '@steploop/core/adapter'
import { objectAt, objectsAt, textAt } from '../../simulate/fields.ts'
import { findShapeFault, type ShapeFault } from '../../simulate/shape-fault.ts'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'
import { refused } from './failures.ts'
import { requestSchema } from './request-schema.ts'

/** Refuses what the reference and the list of errors refuse. */
export function check(body: unknown): Rejection | undefined {
  if (!isObject(body)) return refused('invalid json syntax: the body is no JSON object')
  const fault = findShapeFault(requestSchema, body)
  if (fault !== undefined)
    return refused(`invalid request: ${faultText(fault)}`, fault.type === 'wrong-type' ? 422 : 400)
  return checkSettings(body) ?? checkTools(body) ?? checkMessages(objectsAt(body, 'messages'))
}

function faultText(fault: ShapeFault): string {
  const path = fault.path.join('.')
  switch (fault.type) {
    case 'unknown-field':
      return `unknown field: parameter '${path}' is not a valid field`
    case 'missing-field':
      return `'${path}' is required`
    case 'limit':
      return `'${path}' has to be at ${fault.bound === 'minimum' ? 'least' : 'most'} ${fault.limit}`
    case 'pattern':
    case 'wrong-type':
    case 'wrong-value':
    default:
      return `'${path}' is not valid`
  }
}

function checkSettings(request: JsonObject): Rejection | undefined {
  if (request['frequency_penalty'] !== undefined && request['presence_penalty'] !== undefined) {
    return refused('invalid request: cannot specify both frequency_penalty and presence_penalty.')
  }
  const format = objectAt(request, 'response_format')
  if (format['type'] !== 'json_object') return undefined
  if (request['documents'] !== undefined) return refused('invalid request: response_format is not supported with RAG.')
  if (request['tools'] !== undefined) return refused('invalid request: response_format is not supported with tools.')
  return checkSchema(objectAt(format, 'json_schema'), 'response_format.json_schema')
}

/** https://docs.cohere.com/docs/structured-outputs#unsupported-schema-features */
const refusedKeywords =
  'anyOf allOf oneOf not minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems minLength maxLength uniqueItems'.split(
    ' ',
  )
const formats = ['date-time', 'uuid', 'date', 'time']

function checkSchema(schema: JsonObject, path: string): Rejection | undefined {
  const keyword = refusedKeywords.find((name) => name in schema)
  if (keyword !== undefined) return refused(`invalid request: ${path}: keyword '${keyword}' is not supported`)
  const format = schema['format']
  if (format !== undefined && !formats.includes(textAt(schema, 'format'))) {
    return refused(`invalid request: ${path}: format '${JSON.stringify(format)}' is not supported`)
  }
  if (/[$^]|\?[=!]/.test(textAt(schema, 'pattern')))
    return refused(`invalid request: ${path}: pattern is not supported`)
  const inner = ['properties', '$defs'].flatMap((name) => Object.entries(objectAt(schema, name)))
  for (const [name, property] of inner) {
    const rejection = isObject(property) ? checkSchema(property, `${path}.${name}`) : undefined
    if (rejection !== undefined) return rejection
  }
  return isObject(schema['items']) ? checkSchema(schema['items'], `${path}.items`) : undefined
}

function checkTools(request: JsonObject): Rejection | undefined {
  const tools = objectsAt(request, 'tools').map((tool) => objectAt(tool, 'function'))
  const names = tools.map((tool) => textAt(tool, 'name'))
  const illegal = names.find((name) => !/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name))
  if (illegal !== undefined) {
    return refused(
      `invalid request: tool name '${illegal}' can only contain a-z, A-Z, 0-9, _ and must not begin with a digit`,
    )
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return refused(`invalid request: duplicate tool name '${twice}'`)
  if (request['tool_choice'] === 'REQUIRED' && tools.length === 0) {
    return refused('invalid request: tool_choice REQUIRED needs tools')
  }
  if (request['strict_tools'] !== true) return undefined
  const optional = tools.find((tool) => {
    const { properties, required } = objectAt(tool, 'parameters')
    const count = Object.keys(isObject(properties) ? properties : {}).length
    return count > 0 && !(Array.isArray(required) && required.length > 0)
  })
  if (optional !== undefined)
    return refused(`invalid request: strict_tools: tool '${textAt(optional, 'name')}' has no required parameter`)
  return tools.map((tool) => checkSchema(objectAt(tool, 'parameters'), `tools.${textAt(tool, 'name')}`)).find(Boolean)
}

/** Each call has its result, right behind it, and each result its call. */
function checkMessages(messages: readonly JsonObject[]): Rejection | undefined {
  let open: string[] = []
  for (const [index, message] of messages.entries()) {
    const role = message['role']
    if (role === 'tool') {
      const id = textAt(message, 'tool_call_id')
      if (!open.includes(id)) return refused(`invalid request: messages.${index}: no tool call has the id '${id}'`)
      open = open.filter((one) => one !== id)
      continue
    }
    if (open.length > 0)
      return refused(`invalid request: messages.${index}: tool calls without results: ${open.join(', ')}`)
    if (role !== 'assistant') continue
    const calls = objectsAt(message, 'tool_calls')
    if (calls.length === 0 && message['content'] === undefined) {
      return refused(`invalid request: messages.${index}: must have content or tool calls`)
    }
    open = calls.map((call) => textAt(call, 'id'))
  }
  return open.length > 0 ? refused(`invalid request: tool calls without results: ${open.join(', ')}`) : undefined
}
