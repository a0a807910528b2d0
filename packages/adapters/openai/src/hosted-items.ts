import {
  isObject,
  objectOf,
  parseToolInput,
  textOf,
  type JsonObject,
  type Origin,
  type ParsedInput,
  type ToolDefinition,
  type ToolOutput,
  type ToolOwner,
} from '@steploop/core/adapter'
import type { ResponseInputItem } from 'openai/resources/responses/responses'
import {
  answerApproval,
  answerComputer,
  answerCustom,
  answerFunction,
  answerLocalShell,
  answerPatch,
  answerSearch,
  answerShell,
  type Answer,
} from './encode-result.ts'

interface Input extends ParsedInput {
  readonly inputText: string
}

/** An output item that is a call but no `function_call`, in neutral words. */
export interface ItemCall extends Input {
  readonly owner: ToolOwner
  readonly toolName: string
}

/** What is known of one kind of call item. */
interface Kind {
  /** Who has to answer. */
  readonly owner: (item: JsonObject) => ToolOwner
  /** Whether a declaration is that of its tool. Default: by its type. */
  readonly isDeclaredBy?: (definition: JsonObject, item: JsonObject) => boolean
  /** What is to be done. Default: its `arguments`. */
  readonly input?: (item: JsonObject) => Input
  /** What a hosted call gave, where its own item says so. */
  readonly result?: (item: JsonObject) => ToolOutput
  /** The item that answers it. Default: that of a function. */
  readonly answer?: (answer: Answer) => ResponseInputItem
}

const client = (): ToolOwner => 'client'
const provider = (): ToolOwner => 'provider'

/** All kinds of calls but `function_call`: a new tool of OpenAI's is an entry here (docs/wire.md#responses-fields-of-calls). */
const kinds = new Map<unknown, Kind>(
  Object.entries<Kind>({
    custom_tool_call: {
      owner: client,
      isDeclaredBy: (definition, item) => definition['type'] === 'custom' && definition['name'] === item['name'],
      input({ input }) {
        const inputText = textOf(input) ?? ''
        return { input: { input: inputText }, inputText }
      },
      answer: answerCustom,
    },
    local_shell_call: { owner: client, input: said(fieldOf('action')), answer: answerLocalShell },
    // One without an environment, or with a local one, waits for the caller (docs/wire.md#responses-shell-calls).
    shell_call: {
      owner: ({ environment }) => (isObject(environment) && environment['type'] !== 'local' ? 'provider' : 'client'),
      input: said(fieldOf('action')),
      answer: answerShell,
    },
    apply_patch_call: { owner: client, input: said(fieldOf('operation')), answer: answerPatch },
    computer_call: {
      owner: client,
      input: said(picked(['action', 'actions', 'pending_safety_checks'])),
      answer: answerComputer,
    },
    // It has the name of a tool on the server, but what has to be answered is the request.
    mcp_approval_request: {
      owner: client,
      isDeclaredBy: (definition, item) =>
        definition['type'] === 'mcp' && definition['server_label'] === item['server_label'],
      input: whole(picked(['server_label', 'name', 'arguments'])),
      answer: answerApproval,
    },
    // docs/wire.md#responses-tool-search
    tool_search_call: {
      owner: ({ execution }) => (execution === 'client' ? 'client' : 'provider'),
      answer: answerSearch,
    },
    web_search_call: {
      owner: provider,
      input: said(fieldOf('action')),
      result: json(({ status, action }) =>
        picked(['status', 'sources'])({ status, sources: objectOf(action)['sources'] }),
      ),
    },
    x_search_call: { owner: provider, result: json(picked(['status', 'output'])) },
    file_search_call: {
      owner: provider,
      input: said(picked(['queries'])),
      result: json(picked(['status', 'results'])),
    },
    code_interpreter_call: {
      owner: provider,
      input: said(picked(['code', 'container_id'])),
      result: json(picked(['status', 'outputs'])),
    },
    image_generation_call: {
      owner: provider,
      input: said(picked(['revised_prompt'])),
      result: json(picked(['status'])),
    },
    mcp_call: {
      owner: provider,
      result: ({ error, output }) =>
        error == null ? { type: 'text', value: textOf(output) ?? '' } : { type: 'json', value: { error } },
    },
    program: { owner: provider, input: said(picked(['code'])) },
  }),
)

interface ResultKind {
  /** The type of its call. */
  readonly of: string
  readonly output: (item: JsonObject) => ToolOutput
}

/** Results that are items of their own. */
const results = new Map<unknown, ResultKind>([
  ['tool_search_output', { of: 'tool_search_call', output: json(picked(['tools'])) }],
  ['shell_call_output', { of: 'shell_call', output: json(picked(['output'])) }],
  ['program_output', { of: 'program', output: ({ result }) => ({ type: 'text', value: textOf(result) ?? '' }) }],
])

/** xAI gives every kind of call its `arguments`; OpenAI's have fields of their own. */
function said(inputOf: (item: JsonObject) => JsonObject): (item: JsonObject) => Input {
  return (item) => (typeof item['arguments'] === 'string' ? argumentsOf(item) : whole(inputOf)(item))
}

function whole(inputOf: (item: JsonObject) => JsonObject): (item: JsonObject) => Input {
  return (item) => {
    const input = inputOf(item)
    return { input, inputText: JSON.stringify(input) }
  }
}

function json(valueOf: (item: JsonObject) => JsonObject): (item: JsonObject) => ToolOutput {
  return (item) => ({ type: 'json', value: valueOf(item) })
}

function fieldOf(name: string): (item: JsonObject) => JsonObject {
  return (item) => objectOf(item[name])
}

/** Reads the named fields of an item that say something. */
function picked(names: readonly string[]): (item: JsonObject) => JsonObject {
  return (item) => Object.fromEntries(names.flatMap((name) => (item[name] == null ? [] : [[name, item[name]]])))
}

function kindOf(item: JsonObject): Kind | undefined {
  return kinds.get(item['type'])
}

/** Who has to answer a call item; `undefined`: it is no call that we know, and stays opaque. */
export function ownerOf(item: JsonObject): ToolOwner | undefined {
  return kindOf(item)?.owner(item)
}

/** The call's id for its answer, as far as the provider gave one: `call_id`, else the item's `id`. */
export function callIdOf(item: JsonObject): string | undefined {
  return textOf(item['call_id']) ?? textOf(item['id'])
}

/** The tool's name: that of the provider tool of the request that the call belongs to; else the item's own; else its type. */
export function callName(item: JsonObject, tools: readonly ToolDefinition[] | undefined): string {
  const family = String(item['type']).replace(/_call$/, '')
  const isDeclaredBy = kindOf(item)?.isDeclaredBy
  // Calls of MCP tools and of xAI's searches carry the name of the tool that ran.
  const named = family === 'mcp_approval_request' ? undefined : textOf(item['name'])
  const declared = tools?.find((tool) => {
    if (tool.type !== 'provider') return false
    if (isDeclaredBy !== undefined) return isDeclaredBy(tool.definition, item)
    const type = String(tool.definition['type'])
    // `web_search_call` belongs to `web_search` and to `web_search_preview`.
    return named === undefined && (type === family || type.startsWith(`${family}_`))
  })
  return declared?.name ?? named ?? family
}

/** The call in neutral words. `input` is a JSON object for every kind; free text of custom tools becomes `{ input }`. */
export function itemCall(item: JsonObject, owner: ToolOwner, tools: readonly ToolDefinition[] | undefined): ItemCall {
  return { owner, toolName: callName(item, tools), ...(kindOf(item)?.input ?? argumentsOf)(item) }
}

function argumentsOf({ arguments: given }: JsonObject): Input {
  if (typeof given === 'string') return { ...parseToolInput(given), inputText: given }
  const input = objectOf(given)
  return { input, inputText: JSON.stringify(input) }
}

/** What a hosted call gave, where its own item says so; hosted kinds with an item of their own for the result have none here. */
export function itemResult(item: JsonObject): ToolOutput | undefined {
  return kindOf(item)?.result?.(item)
}

/** The result that is an item of its own, and the type of its call. */
export function resultItem(item: JsonObject): { readonly of: string; readonly output: ToolOutput } | undefined {
  const kind = results.get(item['type'])
  return kind && { of: kind.of, output: kind.output(item) }
}

/**
 * The answer to a call, in the item type that its kind of call demands. `item` is the raw call item, `undefined` for calls of another
 * provider or written by hand, which went out as function calls.
 */
export function outputItem(
  output: ToolOutput,
  call_id: string,
  item: JsonObject = {},
  origin: Origin,
): ResponseInputItem {
  return (kindOf(item)?.answer ?? answerFunction)({ output, call_id, item, origin })
}
