import { canonicalJson } from '../wire/canonical-json.ts'
import { textHash } from '../wire/legal-name.ts'
import type { Message } from '../contract/messages.ts'

const hashes = new WeakMap<Message, string>()

/**
 * Tells whether messages are those of before: 64 bits over each one's JSON, with sorted keys, each message hashed once. For changes that
 * happen, not against an attacker who wants a hash to fit.
 */
export function historyHash(messages: readonly Message[]): string {
  return twice(messages.map(messageHash).join(' '))
}

function messageHash(message: Message): string {
  const known = hashes.get(message)
  if (known !== undefined) return known
  const made = twice(canonicalJson(message))
  hashes.set(message, made)
  return made
}

function twice(text: string): string {
  return textHash(text) + textHash(`${text.length} ${text}`)
}
