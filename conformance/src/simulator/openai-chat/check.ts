import { checkFunctionSchema, looseness } from '../function-schema.ts'
import { invalidRequest } from '../openai-errors.ts'
import { openaiShapeRefusal, unparsableBody } from '../openai-shape.ts'
import { findShapeFault } from '../shape-fault.ts'
import type { JsonObject, Refusal } from '../wire-simulation.ts'
import { z } from 'zod'
import { checkMessages, type ChatMessage } from './check-messages.ts'
import type { ChatDialect } from './message-schema.ts'
import { requestSchema } from './request-schema.ts'

/**
 * What the simulator accepts: OpenAI's bodies, and `reasoning_content` in assistant messages, because it answers with that field as
 * compatible servers do.
 */
export const openaiDialect: ChatDialect = { assistant: { reasoning_content: z.string().nullish() } }

const checkOpenai = checkWith(openaiDialect)

export function check(body: unknown): Refusal | undefined {
  return checkOpenai(body)
}

/** Makes the check of a dialect; the schema is built once. */
export function checkWith(dialect: ChatDialect): (body: unknown) => Refusal | undefined {
  const schema = requestSchema(dialect)
  return (body) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return unparsableBody
    const fault = findShapeFault(schema, body)
    if (fault !== undefined) return openaiShapeRefusal(fault)
    const request = body as JsonObject
    const messages = request['messages'] as readonly ChatMessage[]
    return checkHead(request) ?? checkTools(request) ?? checkFormat(request, messages) ?? checkMessages(messages)
  }
}

function checkHead(request: JsonObject): Refusal | undefined {
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

interface Tool {
  readonly type: string
  readonly function?: { readonly name: string; readonly parameters?: JsonObject; readonly strict?: boolean | null }
  readonly custom?: { readonly name: string }
}

function checkTools(request: JsonObject): Refusal | undefined {
  const tools = (request['tools'] ?? []) as readonly Tool[]
  const needsTools = ['tool_choice', 'parallel_tool_calls'].find((key) => request[key] !== undefined)
  if (needsTools !== undefined && tools.length === 0) {
    return invalidRequest({
      message: `'${needsTools}' is only allowed when 'tools' are specified.`,
      param: needsTools,
    })
  }
  for (const [index, tool] of tools.entries()) {
    if (tool.function === undefined) continue
    const refused = checkFunctionSchema({ ...tool.function, param: `tools[${index}].function.parameters` })
    if (refused !== undefined) return refused
  }
  return checkChoice(request['tool_choice'], tools)
}

function checkChoice(choice: unknown, tools: readonly Tool[]): Refusal | undefined {
  if (typeof choice !== 'object' || choice === null) return undefined
  const name = (choice as Tool).function?.name ?? (choice as Tool).custom?.name
  if (name === undefined) return undefined
  if (tools.some((tool) => (tool.function?.name ?? tool.custom?.name) === name)) return undefined
  return invalidRequest({
    message: `Invalid value for 'tool_choice': no function named '${name}' was specified in the 'tools' parameter.`,
    param: 'tool_choice',
  })
}

interface JsonSchemaFormat {
  readonly type: string
  readonly json_schema?: { readonly name: string; readonly schema?: JsonObject; readonly strict?: boolean | null }
}

function checkFormat(request: JsonObject, messages: readonly ChatMessage[]): Refusal | undefined {
  const format = request['response_format'] as JsonSchemaFormat | undefined
  if (format?.type === 'json_object' && !/json/i.test(JSON.stringify(messages))) {
    return invalidRequest({
      message: "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      param: 'messages',
    })
  }
  const schema = format?.json_schema
  const reason = schema?.strict === true ? looseness(schema.schema, []) : undefined
  if (schema === undefined || reason === undefined) return undefined
  return invalidRequest({
    message: `Invalid schema for response_format '${schema.name}': ${reason}`,
    param: 'response_format',
  })
}
