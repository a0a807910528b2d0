import type { Message, PendingCall, ToolResultPart, Transcript } from '@steploop/core'
import type { Accepted, Lease, NewResponse, OpenStore, ResponseStatus } from '@steploop/store'
import { coverItems } from './cover-items.ts'
import type { JsonObject } from './json.ts'
import type { OpenItem } from './output-items.ts'
import { newResponse, type RunPlan } from './prepare-run.ts'
import { lostResult } from './read-history.ts'
import { storableRequest } from './response-object.ts'

export interface RunEnd {
  readonly status: ResponseStatus
  /** Transcript as far as it is known: absent where the run never began. */
  readonly transcript: Transcript | undefined
  readonly result: JsonObject
}

/** Keeps what a run reached. For a run that is not stored nothing is ever written. */
export interface RunRecorder {
  accept(result: JsonObject, lease: Lease, idempotency: NewResponse['idempotency']): Promise<Accepted>
  begin(): Promise<void>
  save(transcript: Pick<Transcript, 'messages' | 'pendingCalls'>, items: readonly OpenItem[]): Promise<void>
  finish(end: RunEnd, items: readonly OpenItem[]): Promise<void>
  discard(): Promise<void>
}

export function createRecorder(plan: RunPlan, store: OpenStore, owner: string): RunRecorder {
  const { tenant, id, isStored, base, inputMessages, inputItems, hasApprovals } = plan
  /** Written so far; what a client decides changes the results that were written first, and with them which parts its items show. */
  let written = hasApprovals ? 0 : (plan.resumed?.messages ?? inputMessages.length)
  let writtenItems = hasApprovals ? 0 : (plan.resumed?.items ?? inputItems.length)
  const progressOf = (messages: readonly Message[], items: readonly OpenItem[], pending: readonly PendingCall[]) => {
    const outputs = items.filter(({ done }) => done)
    const isWhole = outputs.length === items.length
    const all = [...inputItems, ...outputs.map((item) => ({ ...item, direction: 'output' as const }))]
    const covered = coverItems(messages, all)
    const progress = {
      owner,
      messages: { from: written, list: messages.slice(written) },
      items: { from: writtenItems, list: covered.slice(writtenItems) },
      pending,
    }
    return { progress, messages: messages.length, items: isWhole ? covered.length : writtenItems }
  }
  const keep = (made: ReturnType<typeof progressOf>): void => {
    written = made.messages
    writtenItems = made.items
  }
  return {
    async accept(result, lease, idempotency) {
      if (!isStored) return store.answer(tenant, id, plan.approvals)
      const request = storableRequest(plan.request)
      return store.accept(tenant, { ...newResponse(plan, result, request), lease, idempotency })
    },
    async begin() {
      if (isStored) await store.save(tenant, id, { owner, status: 'in_progress' })
    },
    async save({ messages, pendingCalls }, items) {
      if (!isStored) return
      const made = progressOf(messages.slice(base), items, pendingCalls)
      await store.save(tenant, id, made.progress)
      keep(made)
    },
    async finish({ status, transcript, result }, items) {
      if (!isStored) return
      const isFailed = status === 'failed' || status === 'cancelled'
      const reached = transcript?.messages.slice(base) ?? inputMessages
      const messages = isFailed ? answerOpenCalls(reached) : reached
      const made = progressOf(messages, items, isFailed ? [] : (transcript?.pendingCalls ?? []))
      await store.save(tenant, id, { ...made.progress, status, result })
    },
    async discard() {
      if (isStored) await store.discard(tenant, id, owner)
    },
  }
}

/** Calls at the end that have no result get one: whoever goes on must know that they may have run. */
export function answerOpenCalls(messages: readonly Message[]): readonly Message[] {
  const index = messages.findLastIndex(({ role }) => role === 'assistant')
  const caller = messages[index]
  if (caller?.role !== 'assistant') return messages
  const calls = caller.content.filter((part) => part.type === 'tool-call' && part.owner !== 'provider')
  const next = messages[index + 1]
  const results = new Map(next?.role === 'tool' ? next.content.map((result) => [result.toolCallId, result]) : [])
  if (calls.every((call) => call.type === 'tool-call' && results.has(call.toolCallId))) return messages
  const content = calls.flatMap((call): readonly ToolResultPart[] => {
    return call.type === 'tool-call' ? [results.get(call.toolCallId) ?? lostResult(call)] : []
  })
  const rest = messages.slice(next?.role === 'tool' ? index + 2 : index + 1)
  return [...messages.slice(0, index + 1), { role: 'tool', content }, ...rest]
}
