import { isObject } from '@steploop/core/adapter'

import { objectsAt, textAt } from '../../simulate/fields.ts'
import { checkFunctionSchema } from '../../openai-common/function-schema.ts'
import { invalidRequest } from '../../openai-common/openai-errors.ts'
import { openaiShapeRejection, unparsableBody } from '../../openai-common/openai-shape.ts'
import { findShapeFault } from '../../simulate/shape-fault.ts'
import type { JsonObject, Memory, Rejection } from '../../simulate/wire-simulation.ts'
import { checkItems } from './check-items.ts'
import { requestSchema, type ResponsesDialect } from './request-schema.ts'

/** OpenAI itself. */
export const openaiDialect: ResponsesDialect = { ids: true, fields: {} }

export function check(body: unknown, memory?: Memory): Rejection | undefined {
  return checkOpenai(body, memory)
}

const checkOpenai = checkWith(openaiDialect)

/** Makes the check of a dialect; the schema is built once. */
export function checkWith(dialect: ResponsesDialect): (body: unknown, memory?: Memory) => Rejection | undefined {
  const schema = requestSchema(dialect)
  return (body, memory) => {
    if (!isObject(body)) return unparsableBody
    const fault = findShapeFault(schema, body)
    if (fault !== undefined) return (dialect.shapeRejection ?? openaiShapeRejection)(fault)
    return dialect.rules?.(body) ?? checkHead(body) ?? checkTools(body) ?? checkItems(body, memory)
  }
}

function checkHead(request: JsonObject): Rejection | undefined {
  const continued = request['previous_response_id'] != null
  if (continued && request['conversation'] != null) {
    return invalidRequest({
      message:
        "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of them.",
      code: 'mutually_exclusive_parameters',
    })
  }
  if (request['input'] === undefined && request['prompt'] == null && !continued && request['conversation'] == null) {
    return invalidRequest({
      message: "One of 'input' or 'previous_response_id' or 'prompt' or 'conversation' must be provided.",
      param: 'input',
      code: 'missing_required_parameter',
    })
  }
  if (request['stream_options'] != null && request['stream'] !== true) {
    return invalidRequest({
      message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      param: 'stream_options',
    })
  }
  if (request['background'] === true && request['store'] === false) {
    return invalidRequest({ message: "Background mode requires 'store' to be true.", param: 'background' })
  }
  return undefined
}

function checkTools(request: JsonObject): Rejection | undefined {
  const tools = objectsAt(request, 'tools')
  for (const [index, tool] of tools.entries()) {
    if (tool['type'] !== 'function') continue
    const refused = checkFunctionSchema(tool, `tools[${index}].parameters`)
    if (refused !== undefined) return refused
  }
  return checkChoice(request['tool_choice'], tools)
}

function checkChoice(choice: unknown, tools: readonly JsonObject[]): Rejection | undefined {
  if (choice === 'required' && tools.length === 0) {
    return invalidRequest({
      message: "Tool choice 'required' must be specified with 'tools' parameter.",
      param: 'tool_choice',
    })
  }
  if (!isObject(choice)) return undefined
  const wanted = choice['type'] === 'allowed_tools' ? objectsAt(choice, 'tools') : [choice]
  const unknown = wanted.find((one) => !tools.some((tool) => tool['type'] === one['type'] && sameName(tool, one)))
  if (unknown === undefined) return undefined
  return invalidRequest({
    message: `Tool choice '${textAt(unknown, 'type')}' not found in 'tools' parameter.`,
    param: 'tool_choice',
  })
}

function sameName(tool: JsonObject, wanted: JsonObject): boolean {
  return tool['type'] === 'mcp' || wanted['name'] === undefined || tool['name'] === wanted['name']
}
