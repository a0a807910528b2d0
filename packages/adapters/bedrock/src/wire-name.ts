import { legalName, type NameRule, type ToolDefinition } from '@steploop/core/adapter'

const rule: NameRule = { legal: /^[a-zA-Z0-9_-]{1,64}$/, maxLength: 64 }

/** The tool's name, or an id of a call, as the API takes it. A changed one ends in a hash, so that two stay apart. */
export function wireName(name: string): string {
  return legalName(name, rule)
}

/** Names that differ on the wire, mapped back. */
export function toolNames(tools: readonly ToolDefinition[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const tool of tools) {
    const name = wireName(tool.name)
    if (tool.type === 'function' && name !== tool.name) names.set(name, tool.name)
  }
  return names
}
