import type { Adapter, TurnRequest } from '../contract/adapter.ts'
import { collectTurn, type Turn } from '../wire/collect-turn.ts'
import { checkError, wholeWarnings } from './whole-warnings.ts'
import { jsonOf, objectOf, type JsonObject } from '../wire/json.ts'

/** What one turn sent, and what became of it. */
export interface AskedOnce {
  /** `undefined` where the turn failed. */
  readonly turn: Turn | undefined
  /** What was thrown in its place. */
  readonly error: unknown
  /** How many requests were sent; 0 where the turn failed before it. */
  readonly requests: number
  readonly url: string
  readonly headers: Headers
  readonly body: JsonObject
}

/**
 * One turn of an adapter against a `fetch` that gives `response`, and keeps what it was asked. A turn that fails is told in `error`.
 *
 * @param make the adapter, over this `fetch`
 * @param response an answer; the turn streams where its content type is that of a stream
 * @param request default: one word of a user
 * @throws TypeError for a warning or an error of the adapter that is not whole
 */
export async function askOnce(
  make: (fetch: typeof globalThis.fetch) => Adapter,
  response: Response,
  request: Partial<TurnRequest> = {},
): Promise<AskedOnce> {
  const asked: { url: string; init: RequestInit }[] = []
  const adapter = make(async (url, init = {}) => {
    asked.push({ url: url instanceof Request ? url.url : url.toString(), init })
    return response
  })
  const mode = /event-?stream|ndjson/.test(response.headers.get('content-type') ?? '') ? 'stream' : 'generate'
  const events = adapter.turn({ messages: [{ role: 'user', content: 'Hello' }], turn: 0, ...request }, { mode })
  let turn: Turn | undefined
  let error: unknown
  try {
    turn = await collectTurn(events, { provider: adapter.provider, model: adapter.model })
  } catch (thrown) {
    error = thrown
    checkError(error)
  }
  wholeWarnings(turn?.warnings ?? [])
  const { url = '', init } = asked[0] ?? {}
  const body = typeof init?.body === 'string' ? objectOf(jsonOf(init.body)) : {}
  return { turn, error, requests: asked.length, url, headers: new Headers(init?.headers), body }
}
