import { isObject } from '@steploop/core/adapter'

/** Members that hold what only the provider understands. */
const opaqueMembers = new Set([
  'signature',
  'redactedContent',
  'encrypted_content',
  'encrypted_stdout',
  'encrypted_index',
  'thoughtSignature',
  'thought_signature',
  'fingerprint',
])

/** Shorter strings under these names are placeholders. */
const shortestOpaque = 24

/** In document order; the members of one object in the order of their names, which clients and recorders change freely. */
export function opaqueStrings(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(opaqueStrings)
  if (!isObject(value)) return []
  const members = Object.keys(value).toSorted()
  return members.flatMap((name) => {
    const member = value[name]
    if (typeof member !== 'string') return opaqueStrings(member)
    return isOpaque(name, member, value) ? [canonical(member)] : []
  })
}

/** Google's own client answers standard base64 in its URL-safe alphabet; both mean the same bytes. */
function canonical(text: string): string {
  return text.replaceAll('-', '+').replaceAll('_', '/')
}

function isOpaque(name: string, text: string, owner: Readonly<Record<string, unknown>>): boolean {
  // The id of a reasoning item is no secret, but without it the item is refused (docs/wire.md#histories-that-are-refused).
  if (name === 'id') return owner['type'] === 'reasoning' && text !== ''
  if (text.length < shortestOpaque) return false
  if (name === 'data') return /redacted|encrypted/.test(String(owner['type']))
  return opaqueMembers.has(name)
}
