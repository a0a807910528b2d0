import type { Transcript } from '@steploop/core'
import { isObject } from '@steploop/core/adapter'

/** Shorter texts are names and places, no payload that only its provider can read. */
export const shortest = 24

/**
 * The texts in the `providerMetadata.data` of a transcript that only the provider understands (signatures, encrypted content, ids of items), in order.
 * What stands in the neutral parts too is no secret of the provider: texts, arguments, call ids.
 */
export function opaquePayloads({ messages }: Pick<Transcript, 'messages'>): readonly string[] {
  const parts = messages.flatMap((message) =>
    typeof message.content === 'string' ? [message] : [message, ...message.content],
  )
  const data = parts.flatMap((part) => ('providerMetadata' in part ? textsIn(part.providerMetadata?.data) : []))
  const neutral = textsIn(withoutWire(messages))
  const opaque = data.filter((text) => text.length >= shortest && !neutral.some((known) => known.includes(text)))
  return [...new Set(opaque)]
}

/** Every text in JSON data, in document order. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.values(value).flatMap(textsIn) : []
}

function withoutWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWire)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([name]) => name !== 'providerMetadata')
  return Object.fromEntries(members.map(([name, member]) => [name, withoutWire(member)]))
}
