import type { Message, PendingCall, ToolResultPart } from '@steploop/core'
import type { History, StoredConversation, StoredItem } from '@steploop/store'
import { badRequest, notFound } from './api-error.ts'
import { coverItems } from './cover-items.ts'
import { readBody } from './http.ts'
import { newId } from './ids.ts'
import type { JsonObject } from './json.ts'
import { inputItem } from './prepare-run.ts'
import { knownCalls, loadHistory, refuseOrphans, resolveReferences, withResults } from './read-history.ts'
import { readInput, type ReadInput } from './read-input.ts'
import { readConversation, readItems } from './read-request.ts'
import { listed, pageObject, pageOptions } from './response-routes.ts'
import { shownItem } from './shown-item.ts'
import type { ServerState } from './server-state.ts'

/** What every route of a conversation has. */
export interface ConversationRequest {
  readonly request: Request
  readonly tenant: string
  readonly id: string
}

export async function createConversation(request: Request, tenant: string, state: ServerState): Promise<Response> {
  const { value } = await readBody(request, state.limits)
  const { metadata, items } = readConversation(value)
  const conversation = { id: newId('conversation'), metadata: metadata ?? {}, createdAt: state.now() }
  await state.options.store.createConversation(tenant, conversation)
  if (items != null && items.length > 0) await insertItems(state, { tenant, id: conversation.id }, items)
  return Response.json(conversationObject(conversation))
}

export async function retrieveConversation(
  { tenant, id }: ConversationRequest,
  { options }: ServerState,
): Promise<Response> {
  const conversation = await options.store.conversation(tenant, id)
  if (conversation === undefined) throw notFound('Conversation', id)
  return Response.json(conversationObject(conversation))
}

export async function updateConversation(
  { request, tenant, id }: ConversationRequest,
  state: ServerState,
): Promise<Response> {
  const { value } = await readBody(request, state.limits)
  const { metadata } = readConversation(value)
  const changed = await state.options.store.updateConversation(tenant, id, metadata ?? {})
  if (changed === undefined) throw notFound('Conversation', id)
  return Response.json(conversationObject(changed))
}

export async function deleteConversation(
  { tenant, id }: ConversationRequest,
  { options }: ServerState,
): Promise<Response> {
  if (!(await options.store.deleteConversation(tenant, id))) throw notFound('Conversation', id)
  return Response.json({ id, object: 'conversation.deleted', deleted: true })
}

export async function addItems({ request, tenant, id }: ConversationRequest, state: ServerState): Promise<Response> {
  const { value } = await readBody(request, state.limits)
  const { items } = readItems(value)
  const url = new URL(request.url)
  const added = await insertItems(state, { tenant, id }, items)
  return Response.json(pageObject({ items: added, hasMore: false }, url))
}

export async function listItems(
  { request, tenant, id }: ConversationRequest,
  { options }: ServerState,
): Promise<Response> {
  const url = new URL(request.url)
  const page = await listed(() => options.store.conversationItems(tenant, id, pageOptions(url)))
  if (page === undefined) throw notFound('Conversation', id)
  return Response.json(pageObject(page, url))
}

export async function retrieveItem(
  { request, tenant, id }: ConversationRequest,
  itemId: string,
  { options }: ServerState,
): Promise<Response> {
  const item = await options.store.conversationItem(tenant, id, itemId)
  if (item === undefined) throw notFound('Item', itemId)
  return Response.json(shownItem(item.data, new URL(request.url).searchParams.getAll('include')))
}

export async function deleteItem(asked: ConversationRequest, itemId: string, state: ServerState): Promise<Response> {
  const { tenant, id } = asked
  if (!(await state.options.store.deleteConversationItem(tenant, id, itemId))) throw notFound('Item', itemId)
  return retrieveConversation(asked, state)
}

/** Puts items into a conversation without a run. A call may come before its output, in a request of its own. */
async function insertItems(
  { options, sealer, now }: ServerState,
  { tenant, id }: { readonly tenant: string; readonly id: string },
  items: readonly JsonObject[],
): Promise<readonly StoredItem[]> {
  const { store } = options
  const history = await loadHistory(store, tenant, { previousId: undefined, conversationId: id })
  const resolved = await resolveReferences(store, { tenant, items, name: 'items' })
  const read = await readInput(resolved, {
    known: knownCalls(history),
    unseal: (sealed, param) => sealer.open(tenant, sealed, param),
  })
  refuseOrphans(history, read)
  const { messages, base } = withResults(history, resultsOf(history, read))
  const own = [...messages.slice(base), ...(read.messages as readonly Message[])]
  const kept = coverItems(
    own,
    resolved.map(({ data }) => inputItem(data)),
  )
  const accepted = await store.accept(tenant, {
    id: newId('response'),
    kind: 'insert',
    conversationId: id,
    // What waited may have been carried out meanwhile.
    revision: history.pending.length > 0 ? history.revision : undefined,
    status: 'completed',
    request: {},
    result: {},
    transcriptId: history.transcriptId ?? newId('conversation'),
    messages: own,
    items: kept,
    pending: waitingIn([...messages.slice(0, base), ...own], history, read),
    createdAt: now(),
  })
  if (accepted.type === 'locked') {
    const message = 'A response of this conversation is under way. Try again when it is over.'
    throw badRequest(message, { code: 'conversation_locked' })
  }
  if (accepted.type === 'not-found') throw notFound('Conversation', id)
  return kept
}

function resultsOf({ pending }: History, { outputs }: ReadInput): ReadonlyMap<string, ToolResultPart> {
  return new Map(
    pending.flatMap(({ toolCallId, toolName }) => {
      const output = outputs.get(toolCallId)
      return output === undefined
        ? []
        : [[toolCallId, { type: 'tool-result', toolCallId, toolName, output: output.value }]]
    }),
  )
}

/** Calls of the last turn without a result. Whatever comes after them shows that nobody waits any more. */
function waitingIn(messages: readonly Message[], { pending }: History, { open }: ReadInput): readonly PendingCall[] {
  const index = messages.findLastIndex(({ role }) => role === 'assistant')
  const [caller, results, ...rest] = messages.slice(index)
  if (caller?.role !== 'assistant' || rest.length > 0 || (results !== undefined && results.role !== 'tool')) return []
  const answered = new Set(results?.content.map(({ toolCallId }) => toolCallId))
  const fresh = open.map(({ value: { toolCallId, toolName, input } }): PendingCall => ({
    toolCallId,
    toolName,
    input,
    reason: 'client-tool',
  }))
  const ids = new Set(caller.content.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : [])))
  return [...pending, ...fresh].filter(({ toolCallId }) => ids.has(toolCallId) && !answered.has(toolCallId))
}

function conversationObject({ id, metadata, createdAt }: StoredConversation): JsonObject {
  return { id, object: 'conversation', created_at: Math.floor(createdAt / 1000), metadata }
}
