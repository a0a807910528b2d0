import {
  isObject,
  parseToolInput,
  textOf,
  type JsonObject,
  type ParsedInput,
  type ToolDefinition,
  type ToolOutput,
  type ToolOwner,
} from '@steploop/core/adapter'

/** An output item that is a call but no `function_call`, in neutral words. */
export interface ItemCall extends ParsedInput {
  readonly owner: ToolOwner
  readonly toolName: string
  readonly inputText: string
}

/**
 * Who has to answer a call item; `undefined`: it is no call that we know, and stays opaque. A shell without an environment, or with a
 * local one, and a tool search with `execution: client` wait for the caller although they look like the hosted kind
 * (docs/wire.md#responses-tool-search, docs/wire.md#responses-shell-calls).
 */
export function ownerOf(item: JsonObject): ToolOwner | undefined {
  switch (item['type']) {
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'apply_patch_call':
    case 'computer_call':
    case 'mcp_approval_request':
      return 'client'
    case 'web_search_call':
    case 'x_search_call':
    case 'file_search_call':
    case 'code_interpreter_call':
    case 'image_generation_call':
    case 'mcp_call':
    case 'program':
      return 'provider'
    case 'tool_search_call':
      return item['execution'] === 'client' ? 'client' : 'provider'
    case 'shell_call': {
      const environment = item['environment']
      return isObject(environment) && environment['type'] !== 'local' ? 'provider' : 'client'
    }
    default:
      return undefined
  }
}

/** The call's id for its answer, as far as the provider gave one: `call_id`, else the item's `id`. */
export function callIdOf(item: JsonObject): string | undefined {
  return textOf(item['call_id']) ?? textOf(item['id'])
}

/**
 * The tool's name: the item's own; else that of the provider tool of the request that it belongs to; else its type.
 * An approval request has the name of a tool on the server, but what has to be answered is the request.
 */
export function callName(item: JsonObject, tools: readonly ToolDefinition[] | undefined): string {
  const type = textOf(item['type']) ?? ''
  const family = type.replace(/_call$/, '')
  const named = type === 'mcp_approval_request' ? undefined : textOf(item['name'])
  for (const tool of tools ?? []) {
    if (tool.type === 'provider' && isDeclarationOf(tool.definition, item, family)) return tool.name
  }
  return named ?? family
}

/** `web_search_call` belongs to `web_search` and to `web_search_preview`; custom tools and MCP servers are told apart by name. */
function isDeclarationOf(definition: JsonObject, item: JsonObject, family: string): boolean {
  const declared = textOf(definition['type']) ?? ''
  if (family === 'custom_tool') return declared === 'custom' && definition['name'] === item['name']
  if (family === 'mcp_approval_request') {
    return declared === 'mcp' && definition['server_label'] === item['server_label']
  }
  // Calls of MCP tools and of xAI's searches carry the name of the tool that ran.
  if (textOf(item['name']) !== undefined) return false
  return declared === family || declared.startsWith(`${family}_`)
}

/** The call in neutral words. `input` is a JSON object for every kind; free text of custom tools becomes `{ input }`. */
export function itemCall(item: JsonObject, owner: ToolOwner, tools: readonly ToolDefinition[] | undefined): ItemCall {
  const toolName = callName(item, tools)
  if (item['type'] === 'custom_tool_call') {
    const inputText = textOf(item['input']) ?? ''
    return { owner, toolName, input: { input: inputText }, inputText }
  }
  if (item['type'] === 'mcp_approval_request') {
    const input = pick(item, ['server_label', 'name', 'arguments'])
    return { owner, toolName, input, inputText: JSON.stringify(input) }
  }
  const given = item['arguments']
  if (typeof given === 'string') return { owner, toolName, ...parseToolInput(given), inputText: given }
  const input = isObject(given) ? given : inputOf(item)
  return { owner, toolName, input, inputText: JSON.stringify(input) }
}

/** Kinds without `arguments` say in fields of their own what is to be done. */
function inputOf(item: JsonObject): JsonObject {
  if (item['type'] === 'computer_call') return pick(item, ['action', 'actions', 'pending_safety_checks'])
  if (isObject(item['action'])) return item['action']
  if (isObject(item['operation'])) return item['operation']
  return pick(item, ['queries', 'code', 'container_id', 'revised_prompt'])
}

/** What a hosted call gave, where its own item says so; hosted kinds with an item of their own for the result have none here. */
export function itemResult(item: JsonObject): ToolOutput | undefined {
  switch (item['type']) {
    case 'mcp_call':
      if (item['error'] != null) return { type: 'json', value: { error: item['error'] } }
      return { type: 'text', value: textOf(item['output']) ?? '' }
    case 'web_search_call': {
      const sources = isObject(item['action']) ? item['action']['sources'] : undefined
      return { type: 'json', value: { status: item['status'] ?? null, ...(sources != null && { sources }) } }
    }
    case 'x_search_call':
    case 'file_search_call':
    case 'code_interpreter_call':
    case 'image_generation_call':
      return { type: 'json', value: pick(item, ['status', 'results', 'outputs', 'output']) }
    default:
      return undefined
  }
}

/** The result that is an item of its own (docs/wire.md#responses-fields-of-calls), and the type of its call. */
export function resultItem(item: JsonObject): { readonly of: string; readonly output: ToolOutput } | undefined {
  switch (item['type']) {
    case 'tool_search_output':
      return { of: 'tool_search_call', output: { type: 'json', value: { tools: item['tools'] ?? [] } } }
    case 'shell_call_output':
      return { of: 'shell_call', output: { type: 'json', value: { output: item['output'] ?? [] } } }
    case 'program_output':
      return { of: 'program', output: { type: 'text', value: textOf(item['result']) ?? '' } }
    default:
      return undefined
  }
}

function pick(item: JsonObject, names: readonly string[]): JsonObject {
  const picked: Record<string, unknown> = {}
  for (const name of names) {
    if (item[name] != null) picked[name] = item[name]
  }
  return picked
}
