import type { JsonObject } from '@steploop/core/adapter'

type Detail = Record<string, unknown>

/**
 * OpenRouter's `reasoning_details`: typed entries that have to come back verbatim and in order. A stream sends them in fragments, which
 * belong together by type and `id` or `index`; some upstreams send an entry again with all that it has so far.
 *
 * @param details the entries so far; grows, and its entries too
 */
export function addDetail(details: Detail[], fragment: JsonObject): void {
  const entry = details.slice(-mostAtOnce).findLast((candidate) => continues(candidate, fragment))
  if (entry === undefined) {
    details.push({ ...fragment })
    return
  }
  for (const name in fragment) {
    const value = fragment[name]
    if (value === null || value === undefined || value === '') continue
    entry[name] = name === 'text' || name === 'summary' ? joined(entry[name], value) : value
  }
}

/** Entries whose fragments interleave stand within this many: an answer of thousands is not looked through for each fragment. */
const mostAtOnce = 100

/** True where the fragment carries something that counts: those with nothing but these members only announce an entry. */
export function hasSubstance(fragment: JsonObject): boolean {
  return Object.keys(fragment).some((name) => !announcing.has(name) && Boolean(fragment[name]))
}

const announcing: ReadonlySet<string> = new Set(['type', 'format', 'index', 'id'])

/** The visible text of an entry, whatever its type. */
export function detailText({ text, summary }: JsonObject): string {
  if (typeof text === 'string' && text !== '') return text
  return typeof summary === 'string' ? summary : ''
}

/** An entry that is signed or encrypted is whole: another one of the same index begins a new entry, unless it is the same again. */
function continues(entry: Detail, fragment: JsonObject): boolean {
  if (entry['type'] !== fragment['type']) return false
  const { id, index } = fragment
  const sameId = typeof id === 'string' && id !== '' && typeof entry['id'] === 'string' && entry['id'] !== ''
  if (sameId ? entry['id'] !== id : entry['index'] !== index) return false
  if (entry['data'] && fragment['data']) return entry['data'] === fragment['data']
  if (!entry['signature']) return true
  if (fragment['signature']) return entry['signature'] === fragment['signature']
  return !fragment['text'] && !fragment['summary']
}

/** Shorter repetitions may be deltas that happen to be equal. */
const resentLength = 32

function joined(before: unknown, text: unknown): unknown {
  if (typeof before !== 'string' || typeof text !== 'string') return text
  if (before.length >= resentLength && text.startsWith(before)) return text
  return before + text
}

/** Anthropic refuses its own thinking when the signature is missing, so such an entry is left out (docs/wire.md#openrouter). */
export function isReplayable({ type, format, signature }: JsonObject): boolean {
  const anthropic = typeof format === 'string' && format.startsWith('anthropic')
  return !(anthropic && type === 'reasoning.text' && !signature)
}
