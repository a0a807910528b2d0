import { legalName, type NameRule, type ToolDefinition } from '@steploop/core/adapter'

const rule: NameRule = { legal: /^[A-Za-z0-9_-]{1,64}$/, maxLength: 64 }

/** A function name that the API takes: letters, digits, `_` and `-`, at most 64. Altered names end in a hash, so that two stay apart. */
export function wireToolName(name: string): string {
  return legalName(name, rule)
}

/** A call id that the API takes (at most 64 characters), for ids that another provider or an application made. */
export function wireCallId(toolCallId: string): string {
  return legalName(toolCallId, rule)
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
