import type { Tool } from '@modelcontextprotocol/client'
import { canonicalJson } from '@steploop/core/adapter'

/** SHA-256 of each definition in canonical form, hexadecimal, by the server's own name. `_meta` may change from answer to answer, and is left out. */
export async function pinsOf(definitions: readonly Tool[]): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(await Promise.all(definitions.map(async (tool) => [tool.name, await pinOf(tool)] as const)))
}

export async function pinOf({ _meta, ...definition }: Tool): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(definition))
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
