import { expect } from 'vitest'

import { post, started } from './started.ts'

/** JSON data that a corruption may change. */
export type Draft = Record<string, unknown>

/** A line of a table in `refusals/`: one way to break a good request, and how the provider says so. */
export interface Corruption {
  readonly name: string
  /** `a.0.b = 1`, `drop a.0`, `insert a.0 = 1`, `repeat a.0`, `move a.0 to a.2` (as it is without it) and `copy a to b`; several with ` & `. */
  readonly edits: string
  /** Members of the error object; of the message, and of a fact written with `~`, a part is given. */
  readonly error: Draft
  /** Default 400. */
  readonly status: number
}

const shorthand: Readonly<Record<string, readonly [code: string, message: string]>> = {
  unknown: ['unknown_parameter', 'Unknown parameter'],
  missing: ['missing_required_parameter', 'Missing required parameter'],
}

/** A line is `name | edits | message | facts`; `unknown a` and `missing a` stand for what OpenAI says of the member `a`. */
export function corruptionOf(line: string): Corruption {
  const [name = '', edits = '', said = '', facts = ''] = line.split(' | ')
  const [, kind = '', param] = /^(unknown|missing) (\S+)$/.exec(said) ?? []
  const [code, words] = shorthand[kind] ?? []
  const message: unknown = expect.stringContaining(words === undefined ? said : `${words}: '${param}'.`)
  const { status = 400, ...error } = Object.fromEntries(facts === '' ? [] : facts.split(', ').map(factOf))
  return {
    name,
    edits,
    error: { ...(code !== undefined && { code, param }), ...error, message },
    status: Number(status),
  }
}

function factOf(text: string): readonly [name: string, expected: unknown] {
  const [, name = '', sign, value = ''] = /^(\w+)([=~])(.*)$/.exec(text) ?? []
  if (sign === '~') return [name, expect.stringContaining(value)]
  return [name, /^(null|\d+|".*")$/.test(value) ? (JSON.parse(value) as unknown) : value]
}

export function apply(edits: string, draft: Draft): void {
  for (const edit of edits.split(' & ')) {
    const [, verb = 'set', path = '', target, value] =
      /^(?:(drop|insert|repeat|move|copy) )?(\S+)(?: to (\S+)| = (.*))?$/.exec(edit) ?? []
    const { parent, key } = locate(draft, path)
    const given: unknown = value === undefined ? parent[key] : JSON.parse(value)
    if (verb === 'set') parent[key] = given
    else if (verb === 'copy') put(draft, target, given)
    else if (verb === 'drop' && !Array.isArray(parent)) delete parent[key]
    else if (!Array.isArray(parent)) throw new TypeError(`${path} is in no list`)
    else if (verb === 'insert') parent.splice(Number(key), 0, given)
    else if (verb === 'repeat') parent.splice(Number(key), 0, structuredClone(given))
    else parent.splice(Number(key), 1)
    if (verb === 'move') put(draft, target, given)
  }
}

/** Into a list before the entry at the end of the path, or as a member of an object. */
function put(draft: Draft, path: string | undefined, value: unknown): void {
  const { parent, key } = locate(draft, path ?? '')
  if (Array.isArray(parent)) parent.splice(Number(key), 0, value)
  else parent[key] = value
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
  const simulator = await started({ wire: provider.wire, script, baseURL: provider.baseURL })
  const ask = (body: Draft): Promise<Response> => post(simulator, provider.path, body, provider.headers)
  const answer = (await (await ask(provider.first)).json()) as Draft
  const good = provider.second(answer)
  const bad = structuredClone(good)
  apply(corruption.edits, bad)
  const refused = await ask(bad)
  const body: unknown = await refused.json()
  expect({ status: refused.status, body }).toMatchObject({ status: corruption.status })
  expect(provider.errorOf(body)).toMatchObject(corruption.error)
  const accepted = await ask(good)
  const text = await accepted.text()
  expect({ status: accepted.status, text }).toMatchObject({ status: 200 })
}
