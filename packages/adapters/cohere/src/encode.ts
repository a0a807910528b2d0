import {
  encodeHistory,
  encodeOnce,
  joinJson,
  type EncodedRequest,
  type Mode,
  type ResponseFormat,
  type Origin,
  type ToolDefinition,
  type TurnRequest,
  type Warning,
} from '@steploop/core/adapter'
import { encodeMessage, encodeSystemMessage } from './encode-message.ts'
import { callerFields, encodeSettings, encodeToolChoice } from './encode-settings.ts'
import { strictness, encodeTools } from './encode-tools.ts'
import { supportedSchema } from './schema.ts'
import type { WireRequest } from './vendor-types.ts'

/** Makes the encoder of one adapter. Messages, tools and answer schemas are encoded once per object. */
export function createEncoder(origin: Origin): (request: TurnRequest, mode: Mode) => EncodedRequest {
  const history = encodeHistory((message, context) => encodeMessage(message, context, origin))
  const tools = encodeOnce<readonly ToolDefinition[]>((list, warn) => encodeTools(list, warn, origin))
  const format = encodeOnce<ResponseFormat>(({ schema }, warn) => {
    const json_schema = supportedSchema(schema, 'responseFormat.schema', warn)
    return JSON.stringify({ type: 'json_object', json_schema } satisfies WireRequest['response_format'])
  })
  const strict = encodeOnce<readonly ToolDefinition[]>((list) => (strictness(list).isStrict ? 'true' : ''))
  return (request, mode) => {
    const warnings: Warning[] = []
    const caller = callerFields(request.providerOptions?.[origin.provider] ?? {}, warnings)
    const own = request.tools === undefined ? '' : tools(request.tools, warnings)
    const isStrict = request.tools !== undefined && strict(request.tools, warnings) !== ''
    const choice = own === '' ? undefined : encodeToolChoice(request.toolChoice, warnings)
    const head = {
      model: origin.model,
      stream: mode === 'stream',
      ...encodeSettings(request.settings, warnings),
      ...(choice !== undefined && { tool_choice: choice }),
      ...(isStrict && { strict_tools: true }),
    } satisfies Partial<Record<keyof WireRequest, unknown>>
    const wanted = 'response_format' in caller.fields ? undefined : request.responseFormat
    const system = request.instructions ? encodeSystemMessage(request.instructions) : ''
    const allTools = joinJson([own, ...caller.tools.map((tool) => JSON.stringify(tool))])
    const members = [
      JSON.stringify({ ...head, ...caller.fields }).slice(1, -1),
      ...(wanted === undefined ? [] : [`"response_format":${format(wanted, warnings)}`]),
      `"messages":[${joinJson([system, history(request.messages, warnings)])}]`,
      ...(allTools === '' ? [] : [`"tools":[${allTools}]`]),
    ]
    return { path: '/chat', body: `{${members.join(',')}}`, warnings }
  }
}
