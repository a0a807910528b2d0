import { isObject } from '@steploop/core/adapter'
import { z } from 'zod'

import { objectAt, objectsAt, textAt } from '../../simulate/fields.ts'
import { checkFunctionSchema, looseness } from '../../openai-common/function-schema.ts'
import { invalidRequest } from '../../openai-common/openai-errors.ts'
import { openaiShapeRejection, unparsableBody } from '../../openai-common/openai-shape.ts'
import { findShapeFault } from '../../simulate/shape-fault.ts'
import type { JsonObject, Memory, Rejection } from '../../simulate/wire-simulation.ts'
import { checkMessages } from './check-messages.ts'
import type { ChatDialect } from './message-schema.ts'
import { requestSchema } from './request-schema.ts'

/**
 * What the simulator accepts: OpenAI's bodies, and `reasoning_content` in assistant messages, because it answers with that field as
 * compatible servers do.
 */
export const openaiDialect: ChatDialect = { assistant: { reasoning_content: z.string().nullish() } }

const checkOpenai = checkWith(openaiDialect)

export function check(body: unknown): Rejection | undefined {
  return checkOpenai(body)
}

/** Makes the check of a dialect; the schema is built once. */
export function checkWith(dialect: ChatDialect): (body: unknown, memory?: Memory) => Rejection | undefined {
  const schema = requestSchema(dialect)
  const shapeRejection = dialect.shapeRejection ?? openaiShapeRejection
  return (body, memory) => {
    if (!isObject(body)) return unparsableBody
    const fault = findShapeFault(schema, body)
    if (fault !== undefined) return shapeRejection(fault)
    return dialect.rules?.(body, memory) ?? checkCommon(body, dialect)
  }
}

function checkCommon(request: JsonObject, { looseSchemas = false }: ChatDialect): Rejection | undefined {
  return (
    checkHead(request) ??
    checkTools(request, looseSchemas) ??
    (looseSchemas ? undefined : checkFormatSchema(request)) ??
    checkJsonWord(request) ??
    checkMessages(objectsAt(request, 'messages'))
  )
}

function checkHead(request: JsonObject): Rejection | undefined {
  if (request['stream_options'] != null && request['stream'] !== true) {
    return invalidRequest({
      message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      param: 'stream_options',
    })
  }
  if (request['max_tokens'] != null && request['max_completion_tokens'] != null) {
    return invalidRequest({
      message: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      param: 'max_tokens',
      code: 'invalid_parameter_combination',
    })
  }
  if (request['top_logprobs'] != null && request['logprobs'] !== true) {
    return invalidRequest({
      message: "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.",
      param: 'top_logprobs',
    })
  }
  return undefined
}

function checkTools(request: JsonObject, looseSchemas: boolean): Rejection | undefined {
  const tools = objectsAt(request, 'tools')
  const needsTools = ['tool_choice', 'parallel_tool_calls'].find((key) => request[key] !== undefined)
  if (needsTools !== undefined && tools.length === 0) {
    return invalidRequest({
      message: `'${needsTools}' is only allowed when 'tools' are specified.`,
      param: needsTools,
    })
  }
  for (const [index, tool] of tools.entries()) {
    const declared = objectAt(tool, 'function')
    const checked = looseSchemas ? { ...declared, strict: false } : declared
    const refused = checkFunctionSchema(checked, `tools[${index}].function.parameters`)
    if (refused !== undefined) return refused
  }
  return checkChoice(request['tool_choice'], tools)
}

function checkChoice(choice: unknown, tools: readonly JsonObject[]): Rejection | undefined {
  if (!isObject(choice)) return undefined
  const name = nameOf(choice)
  if (name === '' || tools.some((tool) => nameOf(tool) === name)) return undefined
  return invalidRequest({
    message: `Invalid value for 'tool_choice': no function named '${name}' was specified in the 'tools' parameter.`,
    param: 'tool_choice',
  })
}

/** Name of a tool, or of the tool that a choice wants; empty when it wants none by name. */
function nameOf(tool: JsonObject): string {
  return textAt(objectAt(tool, 'function'), 'name') || textAt(objectAt(tool, 'custom'), 'name')
}

function checkJsonWord(request: JsonObject): Rejection | undefined {
  const isJson = objectAt(request, 'response_format')['type'] === 'json_object'
  if (!isJson || /json/i.test(JSON.stringify(request['messages']))) return undefined
  return invalidRequest({
    message: "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    param: 'messages',
  })
}

function checkFormatSchema(request: JsonObject): Rejection | undefined {
  const schema = objectAt(objectAt(request, 'response_format'), 'json_schema')
  const reason = schema['strict'] === true ? looseness(schema['schema']) : undefined
  if (reason === undefined) return undefined
  return invalidRequest({
    message: `Invalid schema for response_format '${textAt(schema, 'name')}': ${reason}`,
    param: 'response_format',
  })
}
