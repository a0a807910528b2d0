import { createToolNames, legalName, type NameRule } from '@steploop/core/adapter'

const rule: NameRule = { legal: /^[A-Za-z0-9_-]{1,64}$/, maxLength: 64 }

/** A function name that the API takes: letters, digits, `_` and `-`, at most 64. Altered names end in a hash, so that two stay apart. */
export function wireToolName(name: string): string {
  return legalName(name, rule)
}

/** A call id that the API takes (at most 64 characters), for ids that another provider or an application made. */
export function wireCallId(toolCallId: string): string {
  return legalName(toolCallId, rule)
}

export const toolNames = createToolNames(wireToolName)
