import type { Exchange } from '@steploop/cassette'
import { objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { parsed } from '../../json.ts'
import type { StoredObject } from '../wire-kit.ts'

/**
 * The response that a provider of the Responses API keeps: unless it was asked for with `store: false`. It is kept for 30 days
 * unless it is deleted (https://platform.openai.com/docs/api-reference/responses/delete; xAI: https://docs.x.ai/docs/api-reference).
 * A stream that was cut has said its id in the first event.
 */
export function storedObject(
  { request, response }: Exchange,
  payloads: readonly JsonObject[],
): StoredObject | undefined {
  const url = new URL(request.url)
  const isKept = objectOf(parsed(new TextDecoder().decode(request.body)))['store'] !== false
  if (request.method !== 'POST' || !url.pathname.endsWith('/responses') || response.status !== 200 || !isKept)
    return undefined
  const id = payloads.map((payload) => textOf(objectOf(payload['response'])['id'] ?? payload['id'])).find(Boolean)
  return id === undefined
    ? undefined
    : { id, url: `${url.origin}${url.pathname}/${encodeURIComponent(id)}${url.search}` }
}
