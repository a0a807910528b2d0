import {
  AdapterError,
  arrayOf,
  encodeOnce,
  encodeToolList,
  isObject,
  joinJson,
  objectOf,
  strictSchema,
  type EncodedRequest,
  type FunctionToolDefinition,
  type JsonObject,
  type Mode,
  type ToolDefinition,
  type TurnRequest,
  type Warn,
  type Warning,
} from '@steploop/core/adapter'
import type {
  EasyInputMessage,
  FunctionTool,
  ResponseCreateParams,
  ResponseIncludable,
  ResponseTextConfig,
} from 'openai/resources/responses/responses'
import { createHistoryEncoder } from './encode-message.ts'
import { wireToolName } from './names.ts'
import { isReasoningModel, type ResponsesOptions } from './options.ts'

/**
 * Makes `encode`. The body is joined from the head (settings and options, made anew only when they change), the tools (once per array)
 * and the input (once per message), the input last, so that a turn's body goes on where the one before ended.
 */
export function createEncoder(options: ResponsesOptions): (request: TurnRequest, mode: Mode) => EncodedRequest {
  const encodeItems = createHistoryEncoder(options)
  const encodeTools = encodeOnce<readonly ToolDefinition[]>((tools, warn) => toolsText(tools, options.provider, warn))
  const encodeHead = createHeadEncoder(options)
  return (request, mode) => {
    const warnings: Warning[] = []
    const head = encodeHead(request, mode, warnings)
    // Where nothing is kept the provider has no earlier response to continue: the full history goes out, which says the same.
    const continuation = head.store || head.inConversation ? request.continuation : undefined
    const tools = request.tools === undefined ? '' : encodeTools(request.tools, warnings)
    const allTools = joinJson([tools, head.extraTools])
    const system = continuation === undefined ? head.systemItem : ''
    const items = encodeItems(request.messages, warnings, continuation?.from)
    const fields = [
      head.text,
      ...(allTools === '' ? [] : [`"tools":[${allTools}]`]),
      ...previousField(head, continuation?.responseId),
      `"input":[${joinJson([system, items])}]`,
    ]
    return { path: options.path ?? '/responses', body: `{${fields.join(',')}}`, warnings }
  }
}

/** What the loop goes on from takes the place of what the caller began with; a conversation has its own responses already. */
function previousField(head: Head, responseId: string | undefined): readonly string[] {
  if (responseId !== undefined && head.inConversation) return []
  const previous = responseId ?? head.previous
  return previous === undefined ? [] : [`"previous_response_id":${JSON.stringify(previous)}`]
}

interface Head {
  /** Fields of the body, without braces. */
  readonly text: string
  /** The response that the caller goes on from. */
  readonly previous: unknown
  /** What goes out and comes in is kept in a conversation of the caller's. */
  readonly inConversation: boolean
  readonly store: boolean
  /** Tools of `providerOptions`, which are added to the request's. */
  readonly extraTools: string
  /** The system prompt, where it is sent as a message. */
  readonly systemItem: string
}

/** Keeps the head of the last request: within a run the parts that it is made of are the same objects. */
function createHeadEncoder(options: ResponsesOptions): (request: TurnRequest, mode: Mode, warnings: Warning[]) => Head {
  let known:
    | { readonly from: readonly unknown[]; readonly head: Head; readonly warnings: readonly Warning[] }
    | undefined
  return (request, mode, warnings) => {
    const { instructions, settings, providerOptions, responseFormat, toolChoice, tools, stateless } = request
    const from = [mode, instructions, settings, providerOptions, responseFormat, toolChoice, tools, stateless]
    if (known === undefined || !from.every((value, index) => value === known?.from[index])) {
      const own: Warning[] = []
      known = { from, head: makeHead(request, mode, options, (warning) => own.push(warning)), warnings: own }
    }
    warnings.push(...known.warnings)
    return known.head
  }
}

function makeHead(request: TurnRequest, mode: Mode, options: ResponsesOptions, warn: Warn): Head {
  const { previous_response_id: previous, ...own } = objectOf(request.providerOptions?.[options.provider])
  const inConversation = isNamed(own['conversation'])
  const topLevel = options.instructions !== 'message'
  const { instructions } = request
  const store = request.stateless !== true && (ownStore(own) ?? options.store ?? inConversation)
  const body: Record<string, unknown> = {
    model: options.model,
    ...(topLevel && instructions !== undefined && { instructions }),
    ...(mode === 'stream' && { stream: true }),
    store,
    ...settingsFields(request, options, warn),
  }
  mergeOwn(body, own, options.provider, warn)
  refuseBackground(body, mode, options)
  for (const name of options.omit ?? []) Reflect.deleteProperty(body, name)
  const system: EasyInputMessage = { role: 'system', content: instructions ?? '' }
  return {
    text: JSON.stringify(body).slice(1, -1),
    store,
    previous: isNamed(previous) ? previous : undefined,
    inConversation,
    extraTools: JSON.stringify(arrayOf(own['tools'])).slice(1, -1),
    systemItem: topLevel || instructions === undefined ? '' : JSON.stringify(system),
  }
}

function ownStore({ store }: JsonObject): boolean | undefined {
  return typeof store === 'boolean' ? store : undefined
}

function isNamed(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** The neutral settings in the API's fields. */
function settingsFields(request: TurnRequest, options: ResponsesOptions, warn: Warn): object {
  const settings = request.settings ?? {}
  const reasoning = options.reasoning ?? isReasoningModel(options.model)
  const effort = reasoning ? settings.reasoning : undefined
  if (!reasoning && settings.reasoning !== undefined && settings.reasoning !== 'none') {
    warn(unsupported('reasoning', `the model '${options.model}' does not reason`))
  }
  for (const name of ['topK', 'presencePenalty', 'frequencyPenalty', 'stopSequences', 'seed'] as const) {
    if (settings[name] !== undefined) warn(unsupported(name, 'the Responses API has no such field'))
  }
  const format = request.responseFormat && formatField(request.responseFormat, warn)
  const fields: ResponseCreateParams = {
    // The next turn needs the reasoning itself, which comes encrypted, and only if asked for (docs/wire.md#openai-responses): without
    // stored responses always, and with them as soon as the provider has lost one, because a reasoning item without it is a reference to a
    // stored item.
    ...(reasoning && { include: ['reasoning.encrypted_content'] satisfies ResponseIncludable[] }),
    ...(settings.maxOutputTokens !== undefined && { max_output_tokens: settings.maxOutputTokens }),
    ...samplingFields(request, reasoning, warn),
    ...(effort !== undefined && { reasoning: { effort } }),
    ...(format && { text: { format } }),
    ...toolFields(request, options, warn),
  }
  return fields
}

/** Reasoning models refuse both while they reason: `Unsupported parameter: 'temperature' is not supported with this model.` */
function samplingFields(
  request: TurnRequest,
  reasoning: boolean,
  warn: Warn,
): Pick<ResponseCreateParams, 'temperature' | 'top_p'> {
  const { temperature, topP, reasoning: effort } = request.settings ?? {}
  if (!reasoning || effort === 'none') {
    return { ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { top_p: topP }) }
  }
  const why = "reasoning models take it only with `reasoning: 'none'`; `providerOptions` sends it all the same"
  if (temperature !== undefined) warn(unsupported('temperature', why))
  if (topP !== undefined) warn(unsupported('topP', why))
  return {}
}

function formatField(format: NonNullable<TurnRequest['responseFormat']>, warn: Warn): ResponseTextConfig['format'] {
  const strict = strictSchema(format.schema)
  if (strict === undefined) {
    const message =
      'strict mode cannot express the schema (optional or open properties, or a keyword it refuses), so it is not enforced'
    warn({ type: 'coerced', path: 'responseFormat.schema', message })
  }
  return {
    type: 'json_schema',
    name: wireToolName(format.name),
    ...(format.description !== undefined && { description: format.description }),
    schema: { ...(strict ?? format.schema) },
    strict: strict !== undefined,
  }
}

type ToolFields = Pick<ResponseCreateParams, 'tool_choice' | 'parallel_tool_calls'>

function toolFields(request: TurnRequest, options: ResponsesOptions, warn: Warn): ToolFields {
  if (request.tools === undefined) return {}
  const { toolChoice, settings } = request
  const parallel = settings?.parallelToolCalls
  const parallelField = parallel === undefined ? {} : { parallel_tool_calls: parallel }
  if (toolChoice === undefined) return parallelField
  const kind = typeof toolChoice === 'string' ? toolChoice : 'tool'
  if (options.toolChoice?.includes(kind) === false) {
    const message = `'${options.provider}' does not honour tool choice '${kind}'; 'auto' was sent`
    warn({ type: 'coerced', path: 'toolChoice', message })
    return { tool_choice: 'auto', ...parallelField }
  }
  if (typeof toolChoice === 'string') return { tool_choice: toolChoice, ...parallelField }
  return { tool_choice: chosenTool(toolChoice.toolName, request.tools), ...parallelField }
}

/** Provider tools are chosen by type, custom tools and MCP servers also by name. */
function chosenTool(toolName: string, tools: readonly ToolDefinition[]): NonNullable<ToolFields['tool_choice']> {
  const tool = tools.find((candidate) => candidate.name === toolName)
  if (tool?.type !== 'provider') return { type: 'function', name: wireToolName(toolName) }
  const { type, name, server_label } = tool.definition
  const chosen = { type, ...(type === 'custom' && { name }), ...(type === 'mcp' && { server_label }) }
  return chosen as NonNullable<ToolFields['tool_choice']>
}

function toolsText(tools: readonly ToolDefinition[], provider: string, warn: Warn): string {
  return encodeToolList(tools, {
    provider,
    warn,
    encode: (tool, path) => JSON.stringify(functionTool(tool, { provider, path, warn })),
    leftOut: (tool) => `'${tool.name}' is a tool of '${tool.provider}', not of '${provider}'`,
  })
}

function functionTool(
  tool: FunctionToolDefinition,
  { provider, path, warn }: { readonly provider: string; readonly path: string; readonly warn: Warn },
): FunctionTool {
  const strict = tool.strict === true ? strictSchema(tool.inputSchema) : undefined
  if (tool.strict === true && strict === undefined) {
    const message = `strict mode cannot express the schema of '${tool.name}' (optional or open properties, or a keyword it refuses), so it is not enforced`
    warn({ type: 'coerced', path: `${path}.strict`, message })
  }
  return {
    ...tool.providerOptions?.[provider],
    type: 'function',
    name: wireToolName(tool.name),
    ...(tool.description !== undefined && { description: tool.description }),
    parameters: { ...(strict ?? tool.inputSchema) },
    // Never left out: the default is true, and the API then makes optional properties mandatory.
    strict: strict !== undefined,
  }
}

/**
 * The caller's fields win over the settings'. `include` is united, `reasoning` and `text` are merged field by field, `tools` are
 * added to the request's; `input` and `stream` belong to the adapter.
 */
function mergeOwn(body: Record<string, unknown>, own: JsonObject, provider: string, warn: Warn): void {
  for (const name in own) {
    const value = own[name]
    if (name === 'tools' || value === undefined) continue
    if (name === 'input' || name === 'stream') {
      const message = 'it is made from the messages and the mode; use those'
      warn({ type: 'dropped', path: `providerOptions.${provider}.${name}`, message })
    } else if (name === 'include') {
      body[name] = [...new Set([...arrayOf(body[name]), ...arrayOf(value)])]
    } else if ((name === 'reasoning' || name === 'text') && isObject(value)) {
      body[name] = { ...objectOf(body[name]), ...value }
    } else body[name] = value
  }
}

/** The answer of a background request is a ticket; refused before it costs anything. A streamed one is an ordinary stream. */
function refuseBackground(body: JsonObject, mode: Mode, options: ResponsesOptions): void {
  if (body['background'] !== true || mode === 'stream') return
  const { provider, model } = options
  const message = '`background` needs polling, which one turn does not do; stream the run or leave it out'
  throw new AdapterError({ provider, model, code: 'unsupported', message })
}

function unsupported(setting: string, why: string): Warning {
  return { type: 'unsupported', path: `settings.${setting}`, message: `not sent: ${why}` }
}
