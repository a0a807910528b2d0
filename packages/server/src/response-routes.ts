import { isOver, type Page, type PageOptions, type StoredResponse } from '@steploop/store'
import { ApiError, badRequest, notFound } from './api-error.ts'
import { followResponse, pause } from './background.ts'
import type { JsonObject } from './json.ts'
import { shownItem } from './shown-item.ts'
import type { ServerState } from './server-state.ts'

export async function retrieveResponse(url: URL, id: string, tenant: string, state: ServerState): Promise<Response> {
  const stored = await found(state, tenant, id)
  const include = url.searchParams.getAll('include').concat(url.searchParams.getAll('include[]'))
  if (url.searchParams.get('stream') !== 'true') {
    return Response.json(await shownResponse(state, tenant, stored, include))
  }
  if (!stored.background) throw badRequest('Only background responses can be streamed afterwards.', { param: 'stream' })
  const after = wholeNumber(url, 'starting_after') ?? -1
  return followResponse(state, { tenant, id, after })
}

export async function deleteResponse(id: string, tenant: string, state: ServerState): Promise<Response> {
  const deleted = await state.options.store.deleteResponse(tenant, id)
  if (!deleted) throw notFound('Response', id)
  state.live.cancel(tenant, id)
  return Response.json({ id, object: 'response', deleted: true })
}

export async function cancelResponse(id: string, tenant: string, state: ServerState): Promise<Response> {
  const stored = await found(state, tenant, id)
  if (!stored.background) {
    throw badRequest('Only background responses can be cancelled. Close the connection to end another one.', {
      param: 'id',
    })
  }
  if (isOver(stored.status)) return Response.json(await shownResponse(state, tenant, stored, []))
  await state.options.store.requestCancel(tenant, id)
  state.live.cancel(tenant, id)
  const ended = await waitUntilOver(state, tenant, id, 3_000)
  return Response.json(await shownResponse(state, tenant, ended, []))
}

export async function listInputItems(url: URL, id: string, tenant: string, state: ServerState): Promise<Response> {
  const page = await listed(() => state.options.store.responseItems(tenant, id, 'input', pageOptions(url)))
  if (page === undefined) throw notFound('Response', id)
  return Response.json(pageObject(page, url))
}

async function found({ options }: ServerState, tenant: string, id: string): Promise<StoredResponse> {
  const stored = await options.store.response(tenant, id)
  if (stored === undefined) throw notFound('Response', id)
  return stored
}

/** Waits as long as the response is under way. Throws `ApiError` 404 for one that was deleted meanwhile. */
export async function waitUntilOver(
  state: ServerState,
  tenant: string,
  id: string,
  most = Infinity,
): Promise<StoredResponse> {
  const until = state.now() + most
  for (;;) {
    const stored = await found(state, tenant, id)
    if (isOver(stored.status) || state.now() > until) return stored
    await pause(50)
  }
}

/** The response with its output, as far as it is done. */
export async function shownResponse(
  { options }: ServerState,
  tenant: string,
  stored: StoredResponse,
  include: readonly string[],
): Promise<JsonObject> {
  const page = { limit: 10_000, order: 'asc' } as const
  const output = await options.store.responseItems(tenant, stored.id, 'output', page)
  const items = (output?.items ?? []).map(({ data }) => shownItem(data, include))
  return { ...stored.result, status: stored.status, output: items }
}

/** What a URL says of the part of a list that is wanted. Throws `ApiError` 400. */
export function pageOptions(url: URL): PageOptions {
  const limit = wholeNumber(url, 'limit') ?? 20
  const order = url.searchParams.get('order') ?? 'desc'
  const after = url.searchParams.get('after') ?? undefined
  if (limit < 1 || limit > 100) throw badRequest('`limit` is from 1 to 100.', { param: 'limit' })
  if (order !== 'asc' && order !== 'desc') throw badRequest('`order` is asc or desc.', { param: 'order' })
  return { limit, order, after }
}

/** Throws `ApiError` 400 for what is none. */
function wholeNumber(url: URL, param: string): number | undefined {
  const text = url.searchParams.get(param)
  if (text === null) return undefined
  if (!/^(-1|\d{1,15})$/.test(text)) throw badRequest(`\`${param}\` is a whole number.`, { param })
  return Number(text)
}

/** Throws `ApiError` 400 for a page after an item that is not in the list. */
export async function listed<T>(list: () => Promise<T>): Promise<T> {
  try {
    return await list()
  } catch (cause) {
    if (Reflect.get(Object(cause), 'code') !== 'item-not-found') throw cause
    throw new ApiError({ status: 400, message: 'The item in `after` is not in this list.', param: 'after', cause })
  }
}

export function pageObject({ items, hasMore }: Page, url: URL): JsonObject {
  const include = url.searchParams.getAll('include').concat(url.searchParams.getAll('include[]'))
  const data = items.map((item) => shownItem(item.data, include))
  return {
    object: 'list',
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: hasMore,
  }
}
