import type { Accepted, StoredResponse } from '@steploop/store'
import { ApiError, badRequest } from './api-error.ts'
import { startBackground, followEvents } from './background.ts'
import { hashOf, readBody } from './http.ts'
import type { JsonObject } from './json.ts'
import { leaseMs, type LiveRun } from './live-runs.ts'
import type { EventData } from './output-items.ts'
import { prepareRun, type RunPlan } from './prepare-run.ts'
import { readRequest } from './read-request.ts'
import { createRecorder } from './record-run.ts'
import { shownResponse, waitUntilOver } from './response-routes.ts'
import { beginningOf, runResponse, type ResponseEvents } from './run-response.ts'
import type { ServerState } from './server-state.ts'
import { eventResponse, putBack, sequenced } from './sse.ts'

/** POST /responses. */
export async function createResponse(request: Request, tenant: string, state: ServerState): Promise<Response> {
  const { options, limits, sealer, now } = state
  const { text, value } = await readBody(request, limits)
  const { request: wanted, ignored } = readRequest(value, options.strict === true)
  const key = request.headers.get('idempotency-key')
  const plan = await prepareRun(wanted, { options, limits, sealer, tenant, now: now() })
  const isBackground = wanted.background === true
  const headers: HeadersInit =
    ignored.length === 0 ? {} : { 'x-steploop-ignored-fields': ignored.map(asToken).join(', ') }
  let live: LiveRun | undefined
  let handedOn = false
  try {
    live = state.live.start({ tenant, id: plan.id, isBackground, isStored: plan.isStored })
    const idempotency = key === null ? undefined : { key, body: await hashOf(text) }
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

/** A header takes no text of every kind. */
function asToken(field: string): string {
  return encodeURIComponent(field.slice(0, 64))
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
    case 'not-found':
      throw badRequest('What the response goes on from is gone.', { code: 'previous_response_not_found' })
    default:
      return accepted satisfies never
  }
}

interface AnswerContext {
  readonly state: ServerState
  readonly headers: HeadersInit
  readonly signal: AbortSignal
}

async function answer(plan: RunPlan, live: LiveRun, { state, headers, signal }: AnswerContext): Promise<Response> {
  const { request, tenant, id } = plan
  const { keepAlive } = state.limits
  if (live.isBackground) {
    startBackground(plan, live, state)
    if (request.stream !== true) return Response.json(beginningOf(plan, 'queued'), { headers })
    return eventResponse(followEvents(state, { tenant, id, after: -1 }), { headers, keepAlive })
  }
  const { options, sealer, limits, owner, now, onError } = state
  const { abandon } = state.live
  const common = { store: options.store, sealer, limits, owner, now, onError, abandon }
  const leave = (): void => live.controller.abort()
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  const events = untilOver(runResponse(plan, { ...common, signal: live.controller.signal }), () => {
    signal.removeEventListener('abort', leave)
    state.live.end(live)
  })
  if (request.stream !== true) return Response.json(await drain(events), { headers })
  const numbered = sequenced(events)
  return eventResponse(putBack(await numbered.next(), numbered), { leave, headers, keepAlive })
}

async function* untilOver(events: ResponseEvents, over: () => void): ResponseEvents {
  try {
    return yield* events
  } finally {
    over()
  }
}

async function drain(events: ResponseEvents): Promise<JsonObject> {
  for (;;) {
    const next = await events.next()
    if (next.done === true) return next.value
  }
}

interface RepeatContext {
  readonly state: ServerState
  readonly tenant: string
  readonly headers: HeadersInit
}

/** The same request once more: what came of it the first time, when it is over. */
async function repeat(
  first: StoredResponse,
  plan: RunPlan,
  { state, tenant, headers }: RepeatContext,
): Promise<Response> {
  const { stream, background, include } = plan.request
  const { keepAlive } = state.limits
  if (background === true && stream === true) {
    return eventResponse(followEvents(state, { tenant, id: first.id, after: -1 }), { headers, keepAlive })
  }
  const stored = background === true ? first : await waitUntilOver(state, tenant, first.id)
  const response = await shownResponse(state, tenant, stored, include ?? [])
  if (stream !== true) return Response.json(response, { headers })
  return eventResponse(sequenced(replay(response)), { headers, keepAlive })
}

/** The events of a response that is over, without the pieces in which it came. */
async function* replay(response: JsonObject): AsyncGenerator<EventData, undefined, undefined> {
  const begun = { ...response, status: 'in_progress', output: [], usage: null, completed_at: null }
  yield { type: 'response.created', response: begun }
  yield { type: 'response.in_progress', response: begun }
  const output = response['output']
  for (const [index, item] of (Array.isArray(output) ? output : []).entries()) {
    yield { type: 'response.output_item.added', output_index: index, item }
    yield { type: 'response.output_item.done', output_index: index, item }
  }
  const { status } = response
  yield { type: status === 'completed' || status === 'incomplete' ? `response.${status}` : 'response.failed', response }
  return undefined
}
