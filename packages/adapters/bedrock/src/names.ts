import { legalName, type NameRule, type ToolDefinition } from '@steploop/core/adapter'

const rule: NameRule = { legal: /^[a-zA-Z0-9_-]{1,64}$/, maxLength: 64 }

/** The tool's name as the API takes it. A changed name ends in a hash, so that two names stay apart. */
export function wireToolName(name: string): string {
  return legalName(name, rule)
}

/** An id from elsewhere as the API takes it. */
export function wireCallId(id: string): string {
  return legalName(id, rule)
}

/** Names that differ on the wire, mapped back. */
export function toolNames(tools: readonly ToolDefinition[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const tool of tools) {
    const name = wireToolName(tool.name)
    if (tool.type === 'function' && name !== tool.name) names.set(name, tool.name)
  }
  return names
}
