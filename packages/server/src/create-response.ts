import type { Accepted, StoredResponse } from '@steploop/store'
import { ApiError, badRequest } from './api-error.ts'
import { followResponse, startBackground } from './background.ts'
import { hashOf, readBody } from './http.ts'
import type { JsonObject } from './json.ts'
import { leaseMs, type LiveRun } from './live-runs.ts'
import { prepareRun, type RunPlan } from './prepare-run.ts'
import { alreadyAnswered } from './read-history.ts'
import { readRequest } from './read-request.ts'
import { createRecorder } from './record-run.ts'
import { shownResponse, waitUntilOver } from './response-routes.ts'
import { beginningOf, runResponse, terminalType } from './run-response.ts'
import type { ServerState } from './server-state.ts'
import { eventResponse, type SequencedEvent, type Tell } from './sse.ts'

/** POST /responses. */
export async function createResponse(request: Request, tenant: string, state: ServerState): Promise<Response> {
  const { options, limits, sealer, now } = state
  const { text, value } = await readBody(request, limits)
  const { request: wanted, ignored } = readRequest(value, options.strict === true)
  const key = request.headers.get('idempotency-key') ?? ''
  const plan = await prepareRun(wanted, { options, limits, sealer, tenant, now: now() })
  const isBackground = wanted.background === true
  const headers: Readonly<Record<string, string>> =
    ignored.length === 0 ? {} : { 'x-steploop-ignored-fields': asTokens(ignored.slice(0, 32)) }
  let live: LiveRun | undefined
  let handedOn = false
  try {
    live = state.live.start({ tenant, id: plan.id, isBackground, isStored: plan.isStored })
    const idempotency = key === '' ? undefined : { key, body: await hashOf(text) }
    const accepted = await accept(plan, state, idempotency)
    if (accepted.type === 'repeated') return await repeat(accepted.response, plan, { state, tenant, headers })
    handedOn = true
    return await answer(plan, live, { state, headers, signal: request.signal })
  } finally {
    if (!handedOn) {
      if (live !== undefined) state.live.end(live)
      await plan.close()
    }
  }
}

/** Header text of as many fields as fit: clients and proxies refuse long headers. */
function asTokens(fields: readonly string[]): string {
  let text = ''
  for (const field of fields) {
    const more = text === '' ? asToken(field) : `${text}, ${asToken(field)}`
    if (more.length > 2048) break
    text = more
  }
  return text
}

/** A header takes no text of every kind. */
function asToken(field: string): string {
  return encodeURIComponent(field.slice(0, 64).toWellFormed())
}

async function accept(
  plan: RunPlan,
  { options, owner, now }: ServerState,
  idempotency: { readonly key: string; readonly body: string } | undefined,
): Promise<Accepted> {
  const { store } = options
  const lease = { owner, until: now() + leaseMs }
  const isBackground = plan.request.background === true
  const head = beginningOf(plan, isBackground ? 'queued' : 'in_progress')
  const accepted = await createRecorder(plan, store, owner).accept(head, lease, idempotency)
  switch (accepted.type) {
    case 'accepted':
    case 'repeated':
      return accepted
    case 'locked': {
      const message = 'Another response of this conversation is under way. Try again when it is over.'
      throw badRequest(message, { code: 'conversation_locked', param: 'conversation' })
    }
    case 'key-reused': {
      const message = 'This Idempotency-Key came with another body before. Use a new key for a new request.'
      throw new ApiError({ status: 422, message, code: 'idempotency_key_reused' })
    }
    case 'answered':
      throw alreadyAnswered(accepted.itemId, accepted.responseId)
    case 'not-found':
      throw badRequest('What the response goes on from is gone.', { code: 'previous_response_not_found' })
    default:
      return accepted satisfies never
  }
}

interface AnswerContext {
  readonly state: ServerState
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

async function answer(plan: RunPlan, live: LiveRun, { state, headers, signal }: AnswerContext): Promise<Response> {
  const { request, tenant, id } = plan
  const { keepAlive } = state.limits
  if (live.isBackground) {
    startBackground(plan, live, state)
    if (request.stream !== true) return Response.json(beginningOf(plan, 'queued'), { headers })
    return followResponse(state, { tenant, id, after: -1 }, headers)
  }
  const { controller } = live
  const leave = (): void => controller.abort()
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  const run = async (tell: Tell): Promise<JsonObject> => {
    try {
      return await runResponse(plan, state, { signal: controller.signal, tell })
    } finally {
      signal.removeEventListener('abort', leave)
      state.live.end(live)
    }
  }
  if (request.stream !== true) return Response.json(await run(() => undefined), { headers })
  const begun = Promise.withResolvers<void>()
  const source = (tell: Tell): Promise<unknown> => {
    const over = run((events) => {
      begun.resolve()
      return tell(events)
    })
    over.catch(begun.reject)
    return over
  }
  const response = eventResponse(source, { controller, headers, keepAlive })
  await begun.promise
  return response
}

interface RepeatContext {
  readonly state: ServerState
  readonly tenant: string
  readonly headers: Readonly<Record<string, string>>
}

/** Answers the same request once more with what came of it the first time, when it is over. */
async function repeat(
  first: StoredResponse,
  plan: RunPlan,
  { state, tenant, headers }: RepeatContext,
): Promise<Response> {
  const { stream, background, include } = plan.request
  const { keepAlive } = state.limits
  if (background === true && stream === true) {
    return followResponse(state, { tenant, id: first.id, after: -1 }, headers)
  }
  const stored = background === true ? first : await waitUntilOver(state, tenant, first.id)
  const response = await shownResponse(state, tenant, stored, include ?? [])
  if (stream !== true) return Response.json(response, { headers })
  const source = async (tell: Tell): Promise<void> => tell(replay(response))
  return eventResponse(source, { controller: new AbortController(), headers, keepAlive })
}

/** The events of a response that is over, without the pieces in which it came. */
function replay(response: JsonObject): readonly SequencedEvent[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null, completed_at: null }
  const { status, output } = response
  const items: readonly unknown[] = Array.isArray(output) ? output : []
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: terminalType(status), response },
  ]
  return events.map((event, sequence_number) => ({ ...event, sequence_number }))
}
