import type { Message, ToolSet, Transcript } from '@steploop/core'
import { isOver, type StoredItem, type StoredResponse } from '@steploop/store'
import { startBackground } from './background.ts'
import { leaseMs } from './live-runs.ts'
import { prepareRun, type RunPlan } from './prepare-run.ts'
import { readRequest } from './read-request.ts'
import { answerOpenCalls } from './record-run.ts'
import type { ServerState } from './server-state.ts'

const day = 86_400_000
const mostAttempts = 3

/** Takes over what no server has any more, and removes what is kept no longer. */
export async function maintain(state: ServerState): Promise<number> {
  const { options, owner, now, onError } = state
  const { store, retention } = options
  await state.live.settle(async (tenant, id) => {
    const stored = await store.response(tenant, id)
    if (stored !== undefined && !isOver(stored.status)) await fail(state, tenant, stored)
  })
  let taken = 0
  for (const { tenant, responseId } of await store.maintenance.expired(now())) {
    const stored = await store.claim(tenant, responseId, { owner, until: now() + leaseMs }, now())
    if (stored === undefined) continue
    taken++
    try {
      await recover(state, tenant, stored)
    } catch (error) {
      onError(error)
      await fail(state, tenant, stored)
    }
  }
  const age = (kept: number): number => (kept === 0 ? -Infinity : now() - kept)
  await store.maintenance.purge(age(retention?.responses ?? 30 * day), age(retention?.events ?? 3_600_000))
  return taken
}

async function recover(state: ServerState, tenant: string, stored: StoredResponse): Promise<void> {
  const plan = stored.background && stored.attempt <= mostAttempts ? await planAgain(state, tenant, stored) : undefined
  if (plan === undefined) return fail(state, tenant, stored)
  const live = state.live.start({ tenant, id: stored.id, isBackground: true, isStored: true })
  startBackground(plan, live, state)
  return undefined
}

/** The response as it can be gone on with; `undefined` where readers were told of a step that is lost, which nobody can take back. */
async function planAgain(state: ServerState, tenant: string, stored: StoredResponse): Promise<RunPlan | undefined> {
  const { options, limits, sealer, now } = state
  const { store } = options
  const events = await store.events(tenant, stored.id, -1)
  const begun = events.filter(({ data }) => data['type'] === 'response.output_item.added').length
  const output = await itemsOf(state, tenant, stored, 'output')
  if (begun > output.length || stored.cancelRequested) return undefined
  const { request } = readRequest(stored.request, false)
  const plan = await prepareRun(request, { options, limits, sealer, tenant, now: now() })
  const own = await store.messages(tenant, stored.id)
  const { tools = {} } = plan.options
  const reached = withoutLostCalls(own, tools)
  const mayHaveRun = stored.status === 'in_progress' && !onlyRead(plan.approvedTools, tools)
  const isAnswer = ({ role }: Message, index: number): boolean =>
    role === 'assistant' && index >= plan.inputMessages.length
  const hasBegun = mayHaveRun || reached.some(isAnswer)
  const input = await itemsOf(state, tenant, stored, 'input')
  const transcript: Transcript = {
    version: 1,
    id: stored.transcriptId,
    messages: [...plan.before, ...reached],
    pendingCalls: [],
  }
  return {
    ...plan,
    id: stored.id,
    createdAt: stored.createdAt,
    transcriptId: stored.transcriptId,
    inputItems: input,
    ...(hasBegun && { input: { transcript }, hasApprovals: false }),
    resumed: {
      output: output.map(({ data }) => data),
      messages: hasBegun ? 0 : plan.inputMessages.length,
      items: input.length + output.length,
      sequence: (events.at(-1)?.sequence ?? -1) + 1,
    },
  }
}

async function itemsOf(
  { options }: ServerState,
  tenant: string,
  { id }: StoredResponse,
  direction: StoredItem['direction'],
): Promise<readonly StoredItem[]> {
  const page = await options.store.responseItems(tenant, id, direction, { limit: 100_000, order: 'asc' })
  return page?.items ?? []
}

/**
 * Calls that were begun and have no result may have run. Where all of them only read, the model is asked again; the others are answered, so
 * that nothing runs twice.
 */
function withoutLostCalls(messages: readonly Message[], tools: ToolSet): readonly Message[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return messages
  const names = last.content.flatMap((part) => (part.type === 'tool-call' ? part.toolName : []))
  return onlyRead(names, tools) ? messages.slice(0, -1) : answerOpenCalls(messages)
}

function onlyRead(names: readonly string[], tools: ToolSet): boolean {
  return names.every((name) => {
    const declared = tools[name]
    return declared?.type === 'function' && declared.effect === 'read'
  })
}

/** Ends a response that is not carried out any more. Its calls are answered: whoever goes on must know that they may have run. */
async function fail({ options, owner }: ServerState, tenant: string, stored: StoredResponse): Promise<void> {
  const { store } = options
  const { id } = stored
  const isCancelled = stored.cancelRequested
  const status = isCancelled ? 'cancelled' : 'failed'
  const error = isCancelled
    ? null
    : { code: 'server_error', message: 'The server stopped before the response was over.' }
  const result = { ...stored.result, status, error }
  const messages = answerOpenCalls(await store.messages(tenant, id))
  await store.save(tenant, id, { owner, status, result, pending: [], messages: { from: 0, list: messages } })
  if (!stored.background) return
  const events = await store.events(tenant, id, -1)
  const sequence = (events.at(-1)?.sequence ?? -1) + 1
  const data = { type: 'response.failed', response: result, sequence_number: sequence }
  await store.addEvents(tenant, id, [{ sequence, data }])
}
