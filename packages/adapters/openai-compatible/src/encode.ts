import {
  arrayOf,
  encodeHistory,
  encodeOnce,
  joinJson,
  strictSchema,
  type EncodedRequest,
  type JsonSchema,
  type Mode,
  type ResponseFormat,
  type ToolDefinition,
  type TurnRequest,
  type Warn,
  type Warning,
} from '@steploop/core/adapter'
import type { ResponseFormatJSONObject, ResponseFormatJSONSchema } from 'openai/resources/shared'
import { withoutUndefined, type Fields } from './dialect.ts'
import type { EncodeOptions } from './encode-assistant.ts'
import { encodeMessage, encodeSystemMessage } from './encode-message.ts'
import { encodeSettings } from './encode-settings.ts'
import { encodeToolChoice, encodeTools } from './encode-tools.ts'
import { wireToolName } from './names.ts'

/** Makes the encoder of one adapter. Messages, tools and answer schemas are encoded once per object. */
export function createEncoder(options: EncodeOptions): (request: TurnRequest, mode: Mode) => EncodedRequest {
  const { provider, dialect } = options
  const history = encodeHistory((message, context) => encodeMessage(message, context, options))
  const tools = encodeOnce<readonly ToolDefinition[]>((list, warn) => encodeTools(list, warn, options))
  const format = encodeOnce<ResponseFormat>((wanted, warn) => encodeFormat(wanted, warn, options))
  const system = createSystemEncoder(options)
  return (request, mode) => {
    const warnings: Warning[] = []
    const { fields, tools: moreTools } = callerFields(request.providerOptions?.[provider], warnings)
    const schemaField = bindsAnswer(request, 'json_schema', options)
    const head = JSON.stringify(headFields(request, fields, mode, options, warnings))
    const messages = joinJson([system(request, schemaField, warnings), history(request.messages, warnings)])
    let allTools = request.tools ? tools(request.tools, warnings) : ''
    for (const tool of moreTools) allTools = joinJson([allTools, JSON.stringify(tool)])
    let body = `${head.slice(0, -1)},"messages":[${messages}]`
    if (allTools !== '') body += `,"tools":[${allTools}]`
    if (schemaField && request.responseFormat !== undefined && !('response_format' in fields)) {
      body += `,"response_format":${format(request.responseFormat, warnings)}`
    }
    return { path: dialect.path, headers: dialect.headers, body: `${body}}`, warnings }
  }
}

interface CallerFields {
  readonly fields: Fields
  /** Go behind the turn's tools. */
  readonly tools: readonly unknown[]
}

const noFields: Fields = Object.freeze({})
const nothingGiven: CallerFields = { fields: noFields, tools: [] }

/** The caller's own body fields, but not those that would contradict the turn. */
function callerFields(given: Fields | undefined, warnings: Warning[]): CallerFields {
  if (given === undefined) return nothingGiven
  // One that is `undefined` must not hide ours.
  const { messages, stream, tools, ...fields } = withoutUndefined(given)
  const refused = withoutUndefined({ messages, stream, ...(!Array.isArray(tools) && { tools }) })
  for (const name in refused) {
    const message = `\`${name}\` of the body is made from the turn; only an array of more \`tools\` can be added`
    warnings.push({ type: 'dropped', path: `providerOptions.${name}`, message })
  }
  return { fields, tools: arrayOf(tools) }
}

/** Our `include_usage` stays when the caller sets other stream options; without a stream the field is refused. */
function withStreamOptions(fields: Fields, mode: Mode, { dialect }: EncodeOptions): Fields {
  const { stream_options: own, ...rest } = fields
  if (mode === 'generate') return rest
  const ours = dialect.streamOptions
  if (ours === false) return own === undefined ? rest : fields
  return { ...rest, stream_options: { ...ours, ...(typeof own === 'object' && own) } }
}

function headFields(
  request: TurnRequest,
  own: Fields,
  mode: Mode,
  options: EncodeOptions,
  warnings: Warning[],
): Fields {
  const functions = request.tools?.some((tool) => tool.type === 'function') ?? false
  const settings = encodeSettings(request.settings, functions, options, warnings)
  const head: Record<string, unknown> = { ...options.dialect.body, model: options.model, ...settings }
  // Not every server takes `auto` for granted.
  if (functions) head['tool_choice'] = encodeToolChoice(request.toolChoice ?? 'auto', options, warnings)
  if (bindsAnswer(request, 'json_object', options))
    head['response_format'] = { type: 'json_object' } satisfies ResponseFormatJSONObject
  if (mode === 'stream') head['stream'] = true
  else if (own === noFields) return head
  return { ...head, ...withStreamOptions(own, mode, options) }
}

/** True where `response_format` binds the answer in this way: it says the schema, or only that JSON is wanted. */
function bindsAnswer(
  { responseFormat, tools }: TurnRequest,
  how: 'json_schema' | 'json_object',
  { dialect }: EncodeOptions,
): boolean {
  if (responseFormat === undefined || dialect.structured !== how) return false
  return tools === undefined || dialect.structuredWithTools
}

function encodeFormat(wanted: ResponseFormat, warn: Warn, { dialect }: EncodeOptions): string {
  const { name, description } = wanted
  const plain = dialect.schema(wanted.schema)
  const strict = dialect.strict ? strictSchema(plain) : undefined
  if (dialect.strict && strict === undefined) {
    const message =
      'strict mode wants every property required and every object closed; the schema is sent without `strict`'
    warn({ type: 'coerced', path: 'responseFormat.schema', message })
  }
  return JSON.stringify({
    type: 'json_schema',
    json_schema: {
      name: wireToolName(name, /^[a-zA-Z0-9_-]{1,64}$/),
      ...(description !== undefined && { description }),
      schema: { ...(strict ?? plain) },
      ...(strict !== undefined && { strict: true }),
    },
  } satisfies ResponseFormatJSONSchema)
}

/**
 * The instructions as the first message, with the schema of the answer where no field says it. The same instructions give the same text
 * again without encoding them anew.
 */
function createSystemEncoder(
  options: EncodeOptions,
): (request: TurnRequest, schemaField: boolean, warnings: Warning[]) => string {
  let last: { instructions: string | undefined; format: ResponseFormat | undefined; text: string } | undefined
  return ({ instructions, responseFormat }, schemaField, warnings) => {
    const format = schemaField ? undefined : responseFormat
    if (format !== undefined) {
      const message = 'the schema of the answer is in the instructions, and not enforced'
      warnings.push({ type: 'coerced', path: 'responseFormat', message })
    }
    if (last?.instructions === instructions && last?.format === format) return last?.text ?? ''
    const schema = format === undefined ? undefined : schemaInstruction(options.dialect.schema(format.schema))
    const content = [instructions, schema].filter((text) => text !== undefined && text !== '').join('\n\n')
    const text = content === '' ? '' : encodeSystemMessage(content, options)
    last = { instructions, format, text }
    return text
  }
}

function schemaInstruction(schema: JsonSchema): string {
  return `Answer with one JSON object and nothing else: no code fence, no words around it. It has to conform to this JSON Schema:\n${JSON.stringify(schema)}`
}
