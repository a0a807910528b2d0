import type { Adapter, JsonObject, TurnRequest } from '@steploop/core/adapter'
import { askOnce as askAny, type AskedOnce } from '@steploop/core/testing'

export type { AskedOnce }

/** One turn of a dialect's adapter: `askOnce` of `@steploop/core/testing`, whose answer is a text unless you give another. */
export function askOnce(
  make: (fetch: typeof globalThis.fetch) => Adapter,
  response: Response = chatAnswer({ content: 'Hi' }),
  request?: Partial<TurnRequest>,
): Promise<AskedOnce> {
  return askAny(make, response, request)
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
