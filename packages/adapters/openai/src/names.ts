import type { ToolDefinition } from '@steploop/core'

const legalName = /^[A-Za-z0-9_-]{1,64}$/
const illegalCharacters = /[^A-Za-z0-9_-]/g
const maximalLength = 64

/** A function name that the API takes: letters, digits, `_` and `-`, at most 64. Altered names end in a hash, so that two stay apart. */
export function wireToolName(name: string): string {
  return legalName.test(name) ? name : legalForm(name, 'tool')
}

/** A call id that the API takes (at most 64 characters), for ids that another provider or an application made. */
export function wireCallId(toolCallId: string): string {
  return legalName.test(toolCallId) ? toolCallId : legalForm(toolCallId, 'call')
}

/** Maps names on the wire back to the names of the request's tools. */
export function toolNamesOf(tools: readonly ToolDefinition[] | undefined): (wireName: string) => string {
  const altered = new Map<string, string>()
  for (const tool of tools ?? []) {
    const wireName = tool.type === 'function' ? wireToolName(tool.name) : tool.name
    if (wireName !== tool.name) altered.set(wireName, tool.name)
  }
  return (wireName) => altered.get(wireName) ?? wireName
}

function legalForm(text: string, fallback: string): string {
  const suffix = `_${hashOf(text)}`
  const rest = text.replace(illegalCharacters, '_').slice(0, maximalLength - suffix.length)
  return (rest || fallback) + suffix
}

/** FNV-1a over UTF-16 units: short, stable, and good enough to keep apart what was equal after the mapping. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(36)
}
