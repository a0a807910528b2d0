/** What a provider takes as a tool name or a call id. */
export interface NameRule {
  /** Matches the whole of a legal text. */
  readonly legal: RegExp
  readonly maxLength: number
  /** One character that a legal text may not hold, with the `g` flag; never `_` or a small letter. Default: everything but letters, digits, `_` and `-`. */
  readonly illegal?: RegExp | undefined
}

const notPlain = /[^a-zA-Z0-9_-]/g

/**
 * The text itself where it is legal, else a cleaned form that ends in a hash of the text, so that two texts stay apart. It depends on
 * nothing but the text: a call and its result, and every turn, get the same.
 */
export function legalName(text: string, rule: NameRule): string {
  if (rule.legal.test(text)) return text
  const illegal = rule.illegal ?? notPlain
  // Where digits are illegal, letters stand for those of the hash.
  const suffix = `_${textHash(text).replace(illegal, (number) => 'ghijklmnop'.charAt(Number(number)))}`
  return text.replace(illegal, '_').slice(0, rule.maxLength - suffix.length) + suffix
}

/** FNV-1a over UTF-16 units, 32 bits, as seven characters of base 36: for telling apart a few texts, not for secrets. */
export function textHash(text: string): string {
  return spellHash(addToHash(emptyHash, text))
}

export const emptyHash = 0x811c9dc5

/** The hash of a text that goes on with this one. */
export function addToHash(hash: number, text: string): number {
  let value = hash
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return value
}

export function spellHash(value: number): string {
  const hash = value >>> 0
  const high = Math.floor(hash / 36 ** 3)
  const low = hash % 36 ** 3
  // Two digits at once: `toString(36)` of so large a number takes four times as long as all of the above.
  const first = twoDigits(Math.floor(high / 36 ** 2)) + twoDigits(high % 36 ** 2)
  return first + digits.charAt(Math.floor(low / 36 ** 2)) + twoDigits(low % 36 ** 2)
}

const digits = '0123456789abcdefghijklmnopqrstuvwxyz'
const pairs = Array<string | undefined>(36 ** 2)

function twoDigits(value: number): string {
  return (pairs[value] ??= digits.charAt(Math.floor(value / 36)) + digits.charAt(value % 36))
}
