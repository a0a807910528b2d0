import {
  collectTurn,
  isObject,
  type Adapter,
  type JsonObject,
  type Turn,
  type TurnRequest,
} from '@steploop/core/adapter'

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
 * One turn of a dialect's adapter against a `fetch` that gives `response`, and keeps what it was asked. Never rejects.
 *
 * @param make the adapter, over this `fetch`
 * @param response default: a text; the turn streams where it is `chatStream(...)`
 * @param request default: one word of a user
 */
export async function askOnce(
  make: (fetch: typeof globalThis.fetch) => Adapter,
  response: Response = chatAnswer({ content: 'Hi' }),
  request: Partial<TurnRequest> = {},
): Promise<AskedOnce> {
  const asked: { url: string; init: RequestInit }[] = []
  const adapter = make(async (url, init = {}) => {
    asked.push({ url: url instanceof Request ? url.url : url.toString(), init })
    return response
  })
  const mode = response.headers.get('content-type') === 'text/event-stream' ? 'stream' : 'generate'
  const events = adapter.turn({ messages: [{ role: 'user', content: 'Hello' }], turn: 0, ...request }, { mode })
  let turn: Turn | undefined
  let error: unknown
  try {
    turn = await collectTurn(events, { provider: adapter.provider, model: adapter.model })
  } catch (thrown) {
    error = thrown
  }
  const { url = '', init } = asked[0] ?? {}
  const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : {}
  const headers = new Headers(init?.headers)
  return { turn, error, requests: asked.length, url, headers, body: isObject(body) ? body : {} }
}

/** A JSON answer of Chat Completions with this message; `more` are members beside `choices`. */
export function chatAnswer(message: JsonObject, finish = 'stop', more: JsonObject = {}): Response {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }]
  return Response.json({ id: 'chat_1', model: 'm-1', choices, ...more })
}

/** An event stream; chunks become `data:` lines, texts stand as they are. */
export function chatStream(...frames: readonly (JsonObject | string)[]): Response {
  const texts = frames.map((frame) => (typeof frame === 'string' ? frame : `data: ${JSON.stringify(frame)}\n\n`))
  return new Response(texts.join(''), { headers: { 'content-type': 'text/event-stream' } })
}

/** One chunk of a stream, with this delta. */
export function chatChunk(delta: JsonObject, finish: string | null = null, more: JsonObject = {}): JsonObject {
  return { id: 'chat_1', model: 'm-1', choices: [{ index: 0, delta, finish_reason: finish }], ...more }
}
