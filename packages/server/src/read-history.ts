import {
  repairHistory,
  type Message,
  type ToolMessage,
  type ToolOutput,
  type ToolResultPart,
  type ToolAnswer,
} from '@steploop/core'
import { isOver, type History, type Store, type StoredResponse } from '@steploop/store'
import { badRequest, notFound } from './api-error.ts'
import { isObject, textOf, type JsonObject } from './json.ts'
import type { Answer, InputItem, ReadInput } from './read-input.ts'

const noHistory: History = { messages: [], pending: [], transcriptId: undefined, items: [] }

/** What the request goes on from. Throws `ApiError` where that is not there, or not over. */
export async function loadHistory(
  store: Store,
  tenant: string,
  from: { readonly previousId: string | undefined; readonly conversationId: string | undefined },
): Promise<History> {
  const { previousId, conversationId } = from
  if (conversationId !== undefined) {
    const history = await store.history(tenant, { conversationId })
    if (history === undefined) throw notFound('Conversation', conversationId)
    return history
  }
  if (previousId === undefined) return noHistory
  const previous = await store.response(tenant, previousId)
  const history = (await goesOn(store, tenant, previous))
    ? await store.history(tenant, { responseId: previousId })
    : undefined
  if (history !== undefined) return history
  const message = `Previous response with id '${previousId}' not found, or it did not end well.`
  throw badRequest(message, { code: 'previous_response_not_found', param: 'previous_response_id' })
}

/** One that did not end well can be gone on from where it carried out what nobody else may. */
async function goesOn(store: Store, tenant: string, previous: StoredResponse | undefined): Promise<boolean> {
  if (previous === undefined || !isOver(previous.status)) return false
  if (previous.status === 'completed' || previous.status === 'incomplete') return true
  const input = await store.responseItems(tenant, previous.id, 'input', { limit: 10_000, order: 'asc' })
  return input?.items.some(({ data }) => data['type'] === 'mcp_approval_response') === true
}

/**
 * Stored items in place of references to them, each looked for once, and one after the other: the first that is not there ends it. Throws
 * `ApiError` 400 for an id that is not the tenant's.
 */
export async function resolveReferences(
  store: Store,
  { tenant, items, name }: { readonly tenant: string; readonly items: readonly JsonObject[]; readonly name: string },
): Promise<readonly InputItem[]> {
  const known = new Map<string, Omit<InputItem, 'param'>>()
  const resolved: InputItem[] = []
  for (const [index, data] of items.entries()) {
    const param = `${name}[${index}]`
    const id = textOf(data['id'])
    const isReference =
      data['type'] === 'item_reference' || (data['type'] == null && data['role'] == null && id !== undefined)
    if (!isReference) {
      resolved.push({ data, param })
      continue
    }
    const found = known.get(id ?? '') ?? (await storedItem(store, tenant, id))
    if (id === undefined || found === undefined) {
      throw badRequest(`Item with id '${id ?? ''}' not found.`, { code: 'item_not_found', param: `${param}.id` })
    }
    known.set(id, found)
    resolved.push({ ...found, param })
  }
  return resolved
}

async function storedItem(store: Store, tenant: string, id: string | undefined) {
  const found = id === undefined || id.includes('\0') ? undefined : await store.item(tenant, id)
  if (found === undefined) return undefined
  const messages = await store.messages(tenant, found.responseId)
  const parts = found.item.covers.flatMap(([message, part]) => partAt(messages[message], part))
  return { data: found.item.data, stored: { parts } }
}

function partAt(message: Message | undefined, index: number) {
  if (message === undefined || typeof message.content === 'string') return []
  const part = message.content[index]
  return part === undefined ? [] : [part]
}

/** Where a run begins. */
export interface Beginning {
  /** The history that the loop gets, with the client's outputs in it. */
  readonly messages: readonly Message[]
  /** Calls that are decided by `answers`. */
  readonly approvals: History['pending']
  readonly answers: Readonly<Record<string, ToolAnswer>>
  /** Number of messages that other responses hold already. */
  readonly base: number
  /** Results of the calls that were approved, as long as nobody knows what came of them. */
  readonly lost: readonly ToolResultPart[]
  /** `messages` behind `base`, with those. */
  readonly uncertain: readonly Message[]
}

/**
 * Puts the client's answers to the calls that wait for them. Every call has one output, and every output one call: throws `ApiError` 400
 * with the id for whatever does not fit.
 */
export function answerPending(history: History, input: ReadInput): Beginning {
  const { pending } = history
  const results = new Map<string, ToolResultPart>()
  const lost: ToolResultPart[] = []
  const answers: Record<string, ToolAnswer> = {}
  for (const { toolCallId, toolName, reason } of pending) {
    if (reason === 'approval') {
      const approval = input.approvals.get(approvalId(history, toolCallId))
      if (approval === undefined) throw unanswered(toolCallId)
      answers[toolCallId] = approval.value
      if (approval.value.approved) lost.push(lostResult({ toolCallId, toolName }))
      continue
    }
    const output = input.outputs.get(toolCallId)
    if (output === undefined) throw unanswered(toolCallId)
    results.set(toolCallId, { type: 'tool-result', toolCallId, toolName, output: output.value })
  }
  refuseOrphans(history, input)
  const { messages, base } = withResults(history, results)
  const approvals = pending.filter(({ reason }) => reason === 'approval')
  for (const result of lost) results.set(result.toolCallId, result)
  const uncertain = (lost.length === 0 ? messages : withResults(history, results).messages).slice(base)
  return { messages, approvals, answers, base, lost, uncertain }
}

/** The result of a call that was begun, and of which nobody knows what came of it: whoever goes on must know that. */
export function lostResult({ toolCallId, toolName }: Pick<ToolResultPart, 'toolCallId' | 'toolName'>): ToolResultPart {
  const message = 'The run ended before this call was answered. It may have run.'
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'error', value: { code: 'aborted', message } } }
}

/** Throws `ApiError` 400 for a call of the input that has no output there. */
export function refuseOpenCalls({ open }: ReadInput): void {
  const [first] = open
  if (first !== undefined) throw unanswered(first.value.toolCallId, first.param)
}

function unanswered(id: string, param = 'input'): Error {
  return badRequest(`No tool output found for function call ${id}.`, { param, code: 'tool_output_missing' })
}

export function refuseOrphans(history: History, { outputs, approvals }: ReadInput): void {
  const waiting = new Set(history.pending.map(({ toolCallId }) => toolCallId))
  const settled = settledHere(history.messages)
  const orphan = [...outputs].find(([id]) => !waiting.has(id) && !settled.has(id))
  if (orphan !== undefined) throw withoutCall(orphan)
  const ids = new Set(history.pending.map(({ toolCallId }) => approvalId(history, toolCallId)))
  const orphanApproval = [...approvals].find(([id]) => !ids.has(id))
  if (orphanApproval === undefined) return
  const [id] = orphanApproval
  throw history.items.some((item) => item.id === id) ? alreadyAnswered(id) : withoutCall(orphanApproval)
}

/** A call that was approved runs once, whoever goes on from the response that asked; a denial runs nothing. */
export function alreadyAnswered(id: string, responseId?: string): Error {
  const there = `Go on from the response '${responseId}' when it is over, with its items if it was not stored`
  const fix = responseId === undefined ? 'Leave the answer out.' : `${there}, or answer with \`approve: false\`.`
  const message = `The approval '${id}' was answered before, and a call that was approved runs once. ${fix}`
  return badRequest(message, { code: 'approval_already_answered', param: 'input' })
}

function withoutCall([id, { param }]: readonly [string, Answer<unknown>]): Error {
  const message = `No tool call found for function call output with call_id ${id}.`
  return badRequest(message, { param, code: 'tool_call_not_found' })
}

/** Calls that the loop answered itself, because they could not be run: what a client makes of them comes too late. */
function settledHere(messages: readonly Message[]): ReadonlySet<string> {
  const last = messages.findLast(({ role }) => role === 'tool')
  const results = last?.role === 'tool' ? last.content : []
  return new Set(results.filter(({ output }) => isUnrunnable(output)).map(({ toolCallId }) => toolCallId))
}

function isUnrunnable(output: ToolOutput): boolean {
  return output.type === 'error' && ['unparsable-input', 'truncated-call', 'unknown-tool'].includes(output.value.code)
}

/** The id by which a client knows the approval of a call. */
export function approvalId({ items }: History, toolCallId: string): string {
  const asked = items.findLast(({ data }) => data['type'] === 'mcp_approval_request' && data['call_id'] === toolCallId)
  return asked?.id ?? toolCallId
}

export function withResults({ messages, pending }: History, results: ReadonlyMap<string, ToolResultPart>) {
  if (pending.length === 0) {
    const repaired = repairHistory(messages).messages
    return { messages: repaired, base: repaired.length }
  }
  const index = messages.findLastIndex(({ role }) => role === 'assistant')
  const caller = messages[index]
  const before = repairHistory(messages.slice(0, index)).messages
  const last = messages[index + 1]
  const given = new Map(results)
  if (last?.role === 'tool') for (const result of last.content) given.set(result.toolCallId, result)
  const calls = caller?.role === 'assistant' ? caller.content : []
  const content = calls.flatMap((part) => (part.type === 'tool-call' ? (given.get(part.toolCallId) ?? []) : []))
  const tool: readonly ToolMessage[] = content.length === 0 ? [] : [{ role: 'tool', content }]
  const head = caller === undefined ? before : [...before, caller]
  return { messages: [...head, ...tool], base: head.length }
}

/** Ids that the history has: of calls, and of items that show calls which were carried out here. */
export function knownCalls({ messages, items }: History): ReadonlySet<string> {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : []))
      : [],
  )
  return new Set([...calls, ...items.map(({ id }) => id)])
}

/** The items of a request's `input`. */
export function itemsOf(input: unknown): readonly JsonObject[] {
  if (typeof input === 'string')
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }]
  return Array.isArray(input) ? input.filter(isObject) : []
}
