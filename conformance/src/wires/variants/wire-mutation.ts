import { isObject } from '@steploop/core/adapter'

/** One change of what a provider sends, and what an adapter has to make of it. */
export interface WireMutation {
  /** Part of the variant's name. */
  readonly id: string
  /** Who sends such a thing, or which rule says so. */
  readonly why: string
  /** `tolerate`: the turn says the same. `refuse`: it fails with a typed error, and is no answer. */
  readonly verdict: 'tolerate' | 'refuse'
  /** The payloads that stand in the place of one, as texts; `undefined` where there is nothing to change. */
  readonly change: (payload: Readonly<Record<string, unknown>>) => readonly string[] | undefined
}

type Edit = (holder: Record<string, unknown>, name: string) => boolean

/** The payload without what stands at the path, for example `choices[].delta.role`. */
export function without(path: string): WireMutation['change'] {
  return edited(path, (holder, name) => name in holder && delete holder[name])
}

/** The payload with another value at the path, where it has one. */
export function having(path: string, value: unknown): WireMutation['change'] {
  return edited(path, (holder, name) => name in holder && assign(holder, name, value))
}

/** The payload with a value at the path, where the object is there and has none. */
export function adding(path: string, value: unknown): WireMutation['change'] {
  return edited(path, (holder, name) => !(name in holder) && assign(holder, name, value))
}

/** The payload, and another one before it. */
export function after(other: unknown): WireMutation['change'] {
  return (payload) => [JSON.stringify(other), JSON.stringify(payload)]
}

/** Another payload, or any text, in its place. */
export function replacedBy(text: string): WireMutation['change'] {
  return () => [text]
}

type MutationRow = readonly [id: string, why: string, change: WireMutation['change']]

/** The first half of the payload: JSON that does not parse. No format takes it. */
const brokenJson: MutationRow = [
  'broken-json',
  'a proxy that cuts lines',
  (payload) => [JSON.stringify(payload).slice(0, Math.ceil(JSON.stringify(payload).length / 2))],
]

/** What an adapter of the format has to tolerate, and what it has to refuse beside JSON that is cut, a row each. */
export function wireMutations(rows: {
  readonly tolerated: readonly MutationRow[]
  readonly refused: readonly MutationRow[]
}): readonly WireMutation[] {
  return [
    ...rows.tolerated.map(([id, why, change]) => ({ id, why, verdict: 'tolerate' as const, change })),
    ...[brokenJson, ...rows.refused].map(([id, why, change]) => ({ id, why, verdict: 'refuse' as const, change })),
  ]
}

function assign(holder: Record<string, unknown>, name: string, value: unknown): boolean {
  holder[name] = value
  return true
}

function edited(path: string, edit: Edit): WireMutation['change'] {
  return (payload) => {
    // What came from JSON goes through it in a third of the time of a structured clone.
    const copy: unknown = JSON.parse(JSON.stringify(payload))
    return visit(copy, path.split('.'), edit) ? [JSON.stringify(copy)] : undefined
  }
}

/** Applies the edit at every location that the path leads to; `name[]` goes into each entry of a list. */
function visit(value: unknown, [step = '', ...rest]: readonly string[], edit: Edit): boolean {
  if (!isObject(value)) return false
  const holder: Record<string, unknown> = value
  const name = step.replace('[]', '')
  if (rest.length === 0) return edit(holder, name)
  const next = holder[name]
  if (!step.endsWith('[]')) return visit(next, rest, edit)
  return Array.isArray(next) && next.map((entry: unknown) => visit(entry, rest, edit)).includes(true)
}
