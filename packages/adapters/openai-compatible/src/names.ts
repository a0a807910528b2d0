import { legalName, textHash, type NameRule } from '@steploop/core/adapter'

const callId: NameRule = { legal: /^[a-zA-Z0-9_-]{1,40}$/, maxLength: 40 }

/** Keeps a call id of at most 40 of letters, digits, `_` and `-` (OpenAI's limit); others get their hash as a suffix, so that two stay apart. */
export function defaultCallId(toolCallId: string): string {
  return legalName(toolCallId, callId)
}

/** Makes ids of exactly `length` letters and digits (Mistral wants nine): those that fit already are kept, others are hashed. */
export function alphanumericCallId(length: number): (toolCallId: string) => string {
  const legal = new RegExp(`^[a-zA-Z0-9]{${length}}$`)
  return (toolCallId) => (legal.test(toolCallId) ? toolCallId : alphanumericHash(toolCallId, length))
}

/** The name of a tool on the wire: as it is where it is legal, else cleaned and with its hash as a suffix. Depends on nothing but the name. */
export function wireToolName(toolName: string, legal: RegExp): string {
  return legalName(toolName, { legal, maxLength: 64 })
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Letters and digits, as many as wanted: hashes of the text, salted by the round, in a larger alphabet. */
function alphanumericHash(text: string, length: number): string {
  let result = ''
  for (let round = 0; result.length < length; round++) {
    let rest = Number.parseInt(textHash(`${round} ${text}`), 36)
    for (let digit = 0; digit < 5; digit++) {
      result += digits.charAt(rest % digits.length)
      rest = Math.floor(rest / digits.length)
    }
  }
  return result.slice(0, length)
}
