import { expect } from 'vitest'

import { startSimulator } from '@steploop/conformance/simulator'

/** JSON data that a corruption may change. */
export type Draft = Record<string, unknown>

/** One way to break a good request, and how the provider says so. */
export interface Corruption {
  readonly name: string
  readonly corrupt: (draft: Draft) => void
  /** Members of the error object; a text has to be contained in the given one. */
  readonly error: { readonly message: string; readonly [member: string]: unknown }
  /** Default 400. */
  readonly status?: number
}

/** Puts a value at a path such as `messages.1.content.0.text`. */
export function set(path: string, value: unknown): (draft: Draft) => void {
  return (draft) => {
    const { parent, key } = locate(draft, path)
    parent[key] = value
  }
}

/** Removes a member, or an entry of a list. */
export function drop(path: string): (draft: Draft) => void {
  return (draft) => {
    const { parent, key } = locate(draft, path)
    if (Array.isArray(parent)) parent.splice(Number(key), 1)
    else delete parent[key]
  }
}

/** Puts an entry into a list, before the one at the end of the path. */
export function insert(path: string, value: unknown): (draft: Draft) => void {
  return (draft) => {
    const { parent, key } = locate(draft, path)
    if (!Array.isArray(parent)) throw new TypeError(`${path} is in no list`)
    parent.splice(Number(key), 0, value)
  }
}

/** Repeats an entry of a list right after itself. */
export function repeat(path: string): (draft: Draft) => void {
  return (draft) => {
    const { parent, key } = locate(draft, path)
    if (!Array.isArray(parent)) throw new TypeError(`${path} is in no list`)
    parent.splice(Number(key), 0, structuredClone(parent[Number(key)]))
  }
}

export function all(...steps: readonly ((draft: Draft) => void)[]): (draft: Draft) => void {
  return (draft) => {
    for (const step of steps) step(draft)
  }
}

function locate(draft: Draft, path: string): { readonly parent: Draft; readonly key: string } {
  const keys = path.split('.')
  let parent = draft
  for (const key of keys.slice(0, -1)) {
    const next = parent[key]
    if (typeof next !== 'object' || next === null) throw new TypeError(`${path}: there is no ${key}`)
    parent = next as Draft
  }
  return { parent, key: keys.at(-1) ?? '' }
}

export interface Provider {
  readonly wire: string
  /** Public base URL, for those who speak a wire format in their own way. */
  readonly baseURL?: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Asks for the first turn: a thought, a text and two calls. */
  readonly first: Draft
  /** The request that answers the calls, made from the body of the first response. */
  readonly second: (answer: Draft) => Draft
  /** Checks the error shape and gives the error object. */
  readonly errorOf: (body: unknown) => Draft
}

const script = [
  {
    type: 'answer',
    parts: [
      { type: 'reasoning', text: 'Zürich first, then the alerts.' },
      { type: 'text', text: 'One moment.' },
      { type: 'call', toolName: 'get_weather', input: { city: 'Zürich' } },
      { type: 'call', toolName: 'list_alerts', input: {} },
    ],
  },
  { type: 'answer', parts: [{ type: 'text', text: '21 °C, no alerts.' }] },
] as const

/** Sends the corrupted request, which has to be refused as told, and then the good one, which has to be answered. */
export async function expectRefused(provider: Provider, corruption: Corruption): Promise<void> {
  const simulator = await startSimulator({ wire: provider.wire, script, baseURL: provider.baseURL })
  try {
    const answer = (await (await post(simulator.url, provider, provider.first)).json()) as Draft
    const good = provider.second(answer)
    const bad = structuredClone(good)
    corruption.corrupt(bad)
    const refused = await post(simulator.url, provider, bad)
    const body: unknown = await refused.json()
    expect({ status: refused.status, body }).toMatchObject({ status: corruption.status ?? 400 })
    const { message, ...rest } = corruption.error
    expect(provider.errorOf(body)).toMatchObject({ ...rest, message: expect.stringContaining(message) as string })
    const accepted = await post(simulator.url, provider, good)
    const text = await accepted.text()
    expect({ status: accepted.status, text }).toMatchObject({ status: 200 })
  } finally {
    await simulator.close()
  }
}

function post(url: string, provider: Provider, body: Draft): Promise<Response> {
  return fetch(`${url}${provider.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...provider.headers },
    body: JSON.stringify(body),
  })
}

/** The error shape of both OpenAI endpoints. */
export function openaiError(body: unknown): Draft {
  const { error, ...others } = body as { readonly error: Draft }
  expect(others).toEqual({})
  expect(Object.keys(error).toSorted()).toEqual(['code', 'message', 'param', 'type'])
  expect(error['type']).toBe('invalid_request_error')
  return error
}
