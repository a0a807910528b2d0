import { Hono, type Context } from 'hono'
import { ApiError } from './api-error.ts'
import {
  addItems,
  createConversation,
  deleteConversation,
  deleteItem,
  listItems,
  retrieveConversation,
  retrieveItem,
  updateConversation,
  type ConversationRequest,
} from './conversation-routes.ts'
import { createResponse } from './create-response.ts'
import { errorResponse } from './http.ts'
import { createLiveRuns } from './live-runs.ts'
import { cancelResponse, deleteResponse, listInputItems, retrieveResponse } from './response-routes.ts'
import { maintain } from './recover.ts'
import { runApiError } from './run-error.ts'
import { createSealer } from './seal.ts'
import { limitsOf, type ServerOptions } from './server-options.ts'
import type { ServerState } from './server-state.ts'

export interface ResponsesServer {
  /** Answers a request. Never rejects. */
  fetch(request: Request): Promise<Response>
  /**
   * Takes over responses whose server died, and removes what is kept no longer. To be called every few seconds, as `serve` does. Gives the
   * number of responses that were taken over.
   */
  maintain(): Promise<number>
  /** Lets what is under way end, within `graceMs` (default 10 seconds), and takes nothing new. The store stays open. */
  stop(graceMs?: number): Promise<void>
}

/**
 * A server of the Responses API in front of any adapter. Every response is a run of `StepLoop`; what it said is kept in the store.
 * Throws `RangeError` for sealing keys and limits that are none.
 */
export function createServer(options: ServerOptions): ResponsesServer {
  const limits = limitsOf(options.limits)
  const onError = options.onError ?? (() => undefined)
  const owner = crypto.randomUUID()
  const now = Date.now
  const live = createLiveRuns({ store: options.store, owner, limits, now, onError })
  const sealer = createSealer(options.sealingKeys ?? [ownKey()])
  const state = { options, limits, sealer, owner, live, now, onError }
  const app = routes(state)
  return {
    fetch: async (request) => app.fetch(request),
    maintain: () => maintain(state),
    stop: async (graceMs = 10_000) => live.stop(graceMs),
  }
}

function ownKey(): { readonly id: string; readonly key: Uint8Array } {
  return { id: 'own', key: crypto.getRandomValues(new Uint8Array(32)) }
}

type App = Hono<{ Variables: { tenant: string } }>

function routes(state: ServerState): App {
  const { options, onError } = state
  const app = new Hono<{ Variables: { tenant: string } }>()
  app.onError((error) => {
    const api = runApiError(error)
    if (api.status >= 500) onError(error)
    return errorResponse(api)
  })
  app.notFound(() =>
    errorResponse(new ApiError({ status: 404, message: 'There is no such route.', code: 'unknown_url' })),
  )
  app.use('*', async ({ req }, next) => {
    // No id holds one, and no database takes it.
    if (req.url.includes('%00'))
      throw new ApiError({ status: 404, message: 'No address has a NUL.', code: 'unknown_url' })
    await next()
  })
  app.use('*', async (context, next) => {
    await next()
    // The body of an answer to HEAD is not read: a stream would wait for that, and be held, without end.
    if (context.req.method === 'HEAD') await context.res.body?.cancel()
  })
  app.get('/health', () => Response.json({ status: 'ok' }))
  app.use('/v1/*', async (context, next) => {
    const who = options.authenticate === undefined ? { tenant: 'default' } : await options.authenticate(context.req.raw)
    if (who === undefined) {
      const message = 'Incorrect or missing credentials.'
      throw new ApiError({ status: 401, type: 'authentication_error', code: 'invalid_api_key', message })
    }
    context.set('tenant', who.tenant)
    await next()
  })
  app.get('/v1/models', () => Response.json({ object: 'list', data: Object.keys(options.models).map(modelObject) }))
  app.get('/v1/models/:id', (context) => {
    const id = context.req.param('id')
    if (Object.hasOwn(options.models, id)) return Response.json(modelObject(id))
    throw new ApiError({ status: 404, message: `The model '${id}' does not exist here.`, code: 'model_not_found' })
  })
  app.post('/v1/responses', (context) => createResponse(context.req.raw, context.get('tenant'), state))
  app.get('/v1/responses/:id', (context) =>
    retrieveResponse(new URL(context.req.url), context.req.param('id'), context.get('tenant'), state),
  )
  app.delete('/v1/responses/:id', (context) => deleteResponse(context.req.param('id'), context.get('tenant'), state))
  app.post('/v1/responses/:id/cancel', (context) =>
    cancelResponse(context.req.param('id'), context.get('tenant'), state),
  )
  app.get('/v1/responses/:id/input_items', (context) =>
    listInputItems(new URL(context.req.url), context.req.param('id'), context.get('tenant'), state),
  )
  conversationRoutes(app, state)
  return app
}

function conversationRoutes(app: App, state: ServerState): void {
  const asked = (context: Context<{ Variables: { tenant: string } }>): ConversationRequest => ({
    request: context.req.raw,
    tenant: context.get('tenant'),
    id: context.req.param('id') ?? '',
  })
  app.post('/v1/conversations', (context) => createConversation(context.req.raw, context.get('tenant'), state))
  app.get('/v1/conversations/:id', (context) => retrieveConversation(asked(context), state))
  app.post('/v1/conversations/:id', (context) => updateConversation(asked(context), state))
  app.delete('/v1/conversations/:id', (context) => deleteConversation(asked(context), state))
  app.post('/v1/conversations/:id/items', (context) => addItems(asked(context), state))
  app.get('/v1/conversations/:id/items', (context) => listItems(asked(context), state))
  app.get('/v1/conversations/:id/items/:item', (context) =>
    retrieveItem(asked(context), context.req.param('item'), state),
  )
  app.delete('/v1/conversations/:id/items/:item', (context) =>
    deleteItem(asked(context), context.req.param('item'), state),
  )
}

function modelObject(id: string): object {
  return { id, object: 'model', created: 0, owned_by: 'steploop' }
}
