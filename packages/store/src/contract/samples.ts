import type { Message } from '@steploop/core'
import type { NewResponse, OpenStore, StoredItem } from '../store.ts'

/** What databases, encodings and careless copies lose: control characters, half a pair, members named like the prototype's, big texts. */
export const hardTexts = [
  '\u0000 \u001f "\\ \u2028 \u{1f600} \ud800',
  "'; drop table steploop_response; --",
  '%_$1 ?',
  'x'.repeat(100_000),
]

export function userMessage(text: string): Message {
  return { role: 'user', content: text }
}

export function answer(text: string): Message {
  const data = JSON.parse('{"__proto__": {"a": 1}, "z": null, "a": [1.5e300, -0.1]}') as unknown
  return { role: 'assistant', content: [{ type: 'text', text, providerMetadata: { provider: 'p', model: 'm', data } }] }
}

export function shownItem(id: string, direction: StoredItem['direction'], covers: StoredItem['covers']): StoredItem {
  return { id, direction, data: { id, type: 'message', text: `item ${id}` }, covers }
}

/** A response under way, whose lease `me` has. */
export function begun(id: string, more: Partial<NewResponse> = {}): NewResponse {
  return {
    id,
    status: 'in_progress',
    request: { model: 'm' },
    result: { id },
    transcriptId: `t-${id}`,
    messages: [userMessage(`in ${id}`)],
    items: [shownItem(`${id}-in`, 'input', [[0, 0]])],
    lease: { owner: 'me', until: 1_000 },
    createdAt: 100,
    ...more,
  }
}

/** Accepts a response and ends it with an answer. */
export async function complete(
  store: OpenStore,
  tenant: string,
  id: string,
  more: Partial<NewResponse> = {},
): Promise<void> {
  await store.accept(tenant, begun(id, more))
  await store.save(tenant, id, {
    owner: 'me',
    messages: { from: 1, list: [answer(`out ${id}`)] },
    items: { from: 1, list: [shownItem(`${id}-out`, 'output', [[1, 0]])] },
    status: 'completed',
    result: { id, done: true },
  })
}

export const page = { limit: 20, order: 'asc' } as const
