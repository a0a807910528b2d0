import type { ToolDefinition } from '@steploop/core'

const legalCallId = /^[a-zA-Z0-9_-]{1,40}$/
const illegalCharacter = /[^a-zA-Z0-9_-]+/g

/** Keeps a call id of at most 40 of letters, digits, `_` and `-` (OpenAI's limit); others get their hash as a suffix, so that two stay apart. */
export function defaultCallId(toolCallId: string): string {
  return legalCallId.test(toolCallId) ? toolCallId : withHash(toolCallId, 40)
}

/** Makes ids of exactly `length` letters and digits (Mistral wants nine): those that fit already are kept, others are hashed. */
export function alphanumericCallId(length: number): (toolCallId: string) => string {
  const legal = new RegExp(`^[a-zA-Z0-9]{${length}}$`)
  return (toolCallId) => (legal.test(toolCallId) ? toolCallId : shortHash(toolCallId, length))
}

/** The name of a tool on the wire: as it is where it is legal, else cleaned and with its hash as a suffix. Depends on nothing but the name. */
export function wireToolName(toolName: string, legal: RegExp): string {
  return legal.test(toolName) ? toolName : withHash(toolName, 64)
}

/** Maps names on the wire back; `undefined` when every name is legal. */
export function toolNamesOf(
  tools: readonly ToolDefinition[] | undefined,
  legal: RegExp,
): ReadonlyMap<string, string> | undefined {
  let names: Map<string, string> | undefined
  for (const tool of tools ?? []) {
    if (tool.type !== 'function' || legal.test(tool.name)) continue
    names ??= new Map()
    names.set(wireToolName(tool.name, legal), tool.name)
  }
  return names
}

function withHash(text: string, length: number): string {
  const readable = text.replaceAll(illegalCharacter, '_').slice(0, length - 9)
  return `${readable}_${shortHash(text, 8)}`
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** The same letters and digits for the same text, without any crypto: five from each round of FNV-1a with a seed of its own. */
function shortHash(text: string, length: number): string {
  let result = ''
  for (let round = 0; result.length < length; round++) {
    let rest = fnv1a(text, round)
    for (let digit = 0; digit < 5; digit++) {
      result += digits.charAt(rest % digits.length)
      rest = Math.floor(rest / digits.length)
    }
  }
  return result.slice(0, length)
}

function fnv1a(text: string, round: number): number {
  let hash = (0x811c9dc5 ^ Math.imul(round + 1, 0x9e3779b1)) >>> 0
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  }
  // Mixes the high bits into the low ones, which become the first digits.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
  return (hash ^ (hash >>> 13)) >>> 0
}
