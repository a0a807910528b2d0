import type {
  AssistantPart,
  InputMessage,
  Part,
  SystemMessage,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
  UserMessage,
} from '@steploop/core'
import { badRequest } from './api-error.ts'
import { callOf, gatewayPair } from './read-calls.ts'
import { readOutput, readParts } from './read-content.ts'
import { isObject, textOf, type JsonObject } from './json.ts'
import type { SealedTurn } from './seal.ts'

/** An item of the input, with its location in the request. */
export interface InputItem {
  readonly data: JsonObject
  readonly param: string
  /** What the store has of an item that was given by reference. */
  readonly stored?: { readonly parts: readonly Part[] } | undefined
}

/** An answer to a call, with its location in the request. */
export interface Answer<Value> {
  readonly value: Value
  readonly param: string
}

export interface ReadInput {
  /** In order; results stand behind their calls. */
  readonly messages: readonly InputMessage[]
  /** Outputs of calls that are in no item here, by call id. */
  readonly outputs: ReadonlyMap<string, Answer<ToolOutput>>
  readonly approvals: ReadonlyMap<string, Answer<{ readonly approved: boolean; readonly reason?: string }>>
  /** Calls in here that have no output. */
  readonly open: readonly Answer<ToolCallPart>[]
}

export interface InputContext {
  /** Ids of calls that the history has already: such an item repeats what is there. */
  readonly known: ReadonlySet<string>
  /** Opens the sealed state of a reasoning item. */
  readonly unseal: (sealed: string, param: string) => Promise<SealedTurn>
}

/** What a model said between two inputs, under construction. */
interface Said {
  readonly parts: { part: AssistantPart; param: string }[]
  /** Names of the tools that it calls, by call id. */
  readonly calls: Map<string, string>
  readonly turns: SealedTurn[]
  readonly results: Map<string, ToolResultPart>
  /** An output came after it: what the model says next is another turn. */
  isOver: boolean
}

interface State {
  readonly blocks: (UserMessage | SystemMessage | Said)[]
  /** Who made the call. */
  readonly callers: Map<string, Said>
  readonly outputs: Map<string, Answer<ToolOutput>>
  readonly approvals: Map<string, Answer<{ readonly approved: boolean; readonly reason?: string }>>
}

/** Makes messages of items. Throws `ApiError` 400 for what cannot be read, and for an output that comes twice. */
export async function readInput(items: readonly InputItem[], context: InputContext): Promise<ReadInput> {
  const state: State = { blocks: [], callers: new Map(), outputs: new Map(), approvals: new Map() }
  for (const item of items) await readItem(item, state, context)
  const open: Answer<ToolCallPart>[] = []
  const messages = state.blocks.flatMap((block): readonly InputMessage[] => {
    if ('role' in block) return [block]
    for (const { part, param } of block.parts) {
      if (part.type === 'tool-call' && !block.results.has(part.toolCallId)) open.push({ value: part, param })
    }
    return saidMessages(block)
  })
  return { messages, outputs: state.outputs, approvals: state.approvals, open }
}

async function readItem({ data, param, stored }: InputItem, state: State, context: InputContext): Promise<void> {
  const { type = 'message' } = data
  if (stored !== undefined && isSaid(data)) return readStored(stored.parts, param, state, context)
  switch (type) {
    case 'message':
      return readMessage(data, param, state)
    case 'reasoning':
      return readReasoning(data, param, state, context)
    case 'function_call':
    case 'custom_tool_call': {
      const call = callOf(data, param)
      if (!context.known.has(call.toolCallId)) addCall(call, param, state)
      return
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return readResult(data, param, state)
    case 'mcp_call':
    case 'web_search_call':
    case 'file_search_call':
    case 'code_interpreter_call': {
      const pair = gatewayPair(data)
      if (pair === undefined || context.known.has(pair.call.toolCallId)) return
      addCall(pair.call, param, state).results.set(pair.call.toolCallId, pair.result)
      return
    }
    case 'mcp_approval_response':
      return readApproval(data, param, state)
    case 'mcp_approval_request':
    case 'mcp_list_tools':
      return
    default: {
      const message = `Items of type '${textOf(type) ?? ''}' are not supported.`
      throw badRequest(message, { code: 'unsupported_item', param: `${param}.type` })
    }
  }
}

function isSaid({ type, role }: JsonObject): boolean {
  return role === 'assistant' || (type !== 'message' && !String(type).endsWith('_output'))
}

/** The very parts that the item shows, with all that their provider wants back. */
function readStored(parts: readonly Part[], param: string, state: State, { known }: InputContext): void {
  for (const part of parts) {
    if (part.type === 'tool-call') {
      if (!known.has(part.toolCallId)) addCall(part, param, state)
    } else if (part.type === 'tool-result') {
      state.callers.get(part.toolCallId)?.results.set(part.toolCallId, part)
    } else {
      saidIn(state.blocks).parts.push({ part, param })
    }
  }
}

function readMessage(data: JsonObject, param: string, { blocks }: State): void {
  const parts = readParts(data['content'], `${param}.content`)
  switch (data['role']) {
    case 'user':
      blocks.push({ role: 'user', content: typeof data['content'] === 'string' ? data['content'] : parts })
      return
    case 'system':
    case 'developer':
      blocks.push({ role: 'system', content: parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n') })
      return
    case 'assistant':
      saidIn(blocks).parts.push(...parts.map((part) => ({ part, param })))
      return
    default:
      throw badRequest('The role is none of user, assistant, system and developer.', { param: `${param}.role` })
  }
}

function saidIn(blocks: State['blocks']): Said {
  const last = blocks.at(-1)
  if (last !== undefined && !('role' in last) && !last.isOver) return last
  const said: Said = { parts: [], calls: new Map(), turns: [], results: new Map(), isOver: false }
  blocks.push(said)
  return said
}

/** Some models give an id again once its call is answered. */
function addCall(part: ToolCallPart, param: string, { blocks, callers }: State): Said {
  const earlier = callers.get(part.toolCallId)
  if (earlier !== undefined && (!earlier.isOver || !earlier.results.has(part.toolCallId))) {
    throw badRequest(`The call '${part.toolCallId}' is in the input twice.`, { param: `${param}.call_id` })
  }
  const said = saidIn(blocks)
  said.parts.push({ part, param })
  said.calls.set(part.toolCallId, part.toolName)
  callers.set(part.toolCallId, said)
  return said
}

async function readReasoning(
  data: JsonObject,
  param: string,
  state: State,
  { unseal, known }: InputContext,
): Promise<void> {
  const path = `${param}.encrypted_content`
  const given = data['encrypted_content'] ?? undefined
  const sealed = textOf(given)
  if (sealed !== given) throw badRequest(`'${path}' is no text.`, { param: path, code: 'invalid_type' })
  const turn = sealed === undefined ? undefined : await unseal(sealed, path)
  const said = saidIn(state.blocks)
  const isKnown = turn?.message.content.some((part) => part.type === 'tool-call' && known.has(part.toolCallId))
  if (turn !== undefined && isKnown !== true) said.turns.push(turn)
  const summary: unknown = data['summary']
  const text = Array.isArray(summary)
    ? summary
        .filter(isObject)
        .map((part) => textOf(part['text']) ?? '')
        .join('\n\n')
    : ''
  if (text !== '' && isKnown !== true) said.parts.push({ part: { type: 'reasoning', text }, param })
}

function readResult(data: JsonObject, param: string, { callers, outputs }: State): void {
  const id = textOf(data['call_id'])
  if (id === undefined) throw badRequest('An output needs its `call_id`.', { param: `${param}.call_id` })
  const value = readOutput(data['output'], `${param}.output`)
  const said = callers.get(id)
  if (outputs.has(id) || said?.results.has(id) === true) {
    throw badRequest(`There are two outputs for call '${id}'.`, {
      code: 'duplicate_tool_output',
      param: `${param}.call_id`,
    })
  }
  const toolName = said?.calls.get(id)
  if (said === undefined || toolName === undefined) {
    outputs.set(id, { value, param })
    return
  }
  said.results.set(id, { type: 'tool-result', toolCallId: id, toolName, output: value })
  said.isOver = true
}

function readApproval(data: JsonObject, param: string, { approvals }: State): void {
  const { approval_request_id: id, approve, reason } = data
  if (typeof id !== 'string' || typeof approve !== 'boolean') {
    throw badRequest('An approval needs `approval_request_id` and `approve`.', { param })
  }
  if (approvals.has(id)) throw badRequest(`There are two answers to the approval '${id}'.`, { param })
  approvals.set(id, { value: { approved: approve, ...(typeof reason === 'string' && { reason }) }, param })
}

/** Sealed turns stand for the items that show them; whatever they do not show, or no longer, is taken as the items say. */
function saidMessages({ parts, turns, results }: Said): readonly InputMessage[] {
  let left = parts.map(({ part }) => part)
  const messages: InputMessage[] = []
  for (const turn of turns) {
    const rest = withoutTurn(left, turn)
    if (rest === undefined) continue
    left = rest
    const answered = new Map([...turn.results.map((result) => [result.toolCallId, result] as const), ...results])
    messages.push(turn.message, ...resultsFor(turn.message.content, answered))
  }
  if (left.length > 0) messages.push({ role: 'assistant', content: left }, ...resultsFor(left, results))
  return messages
}

/** The parts that the turn does not stand for; `undefined` where something of it is not shown, so that it was edited. */
function withoutTurn(
  shown: readonly AssistantPart[],
  { message, results, itemIds = {} }: SealedTurn,
): AssistantPart[] | undefined {
  const left = [...shown]
  const answered = new Set(results.map(({ toolCallId }) => toolCallId))
  for (const part of message.content) {
    const itemId = part.type === 'tool-call' ? itemIds[part.toolCallId] : undefined
    const index = left.findIndex((other) => isSame(other, part, itemId))
    if (index >= 0) left.splice(index, 1)
    else if (mustBeShown(part, answered)) return undefined
  }
  return left
}

function mustBeShown(part: AssistantPart, answered: ReadonlySet<string>): boolean {
  if (part.type === 'text' || part.type === 'refusal') return part.text !== ''
  return part.type === 'tool-call' && part.owner !== 'provider' && !answered.has(part.toolCallId)
}

function isSame(shown: AssistantPart, part: AssistantPart, itemId: string | undefined): boolean {
  if (shown.type === 'tool-call') {
    if (part.type !== 'tool-call') return false
    if (itemId !== undefined && shown.toolCallId === itemId) return true
    return shown.toolCallId === part.toolCallId && shown.inputText === part.inputText
  }
  if (shown.type === 'reasoning') return part.type === 'reasoning' && shown.text === part.text
  return shown.type === 'text' && (part.type === 'text' || part.type === 'refusal') && shown.text === part.text
}

function resultsFor(
  parts: readonly AssistantPart[],
  results: ReadonlyMap<string, ToolResultPart>,
): readonly InputMessage[] {
  const content = parts.flatMap((part) => (part.type === 'tool-call' ? (results.get(part.toolCallId) ?? []) : []))
  return content.length === 0 ? [] : [{ role: 'tool', content }]
}
