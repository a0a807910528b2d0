import { createToolNames, legalName, type NameRule } from '@steploop/core/adapter'

/** Letters, digits and `_`, not beginning with a digit: `Tool.name` of the vendor's types. */
const toolName: NameRule = { legal: /^[a-zA-Z_][a-zA-Z0-9_]*$/, maxLength: 64, illegal: /[^a-zA-Z0-9_]/g }

/** The tool's name as the API takes it. A changed name ends in a hash, so that two names stay apart. */
export function wireToolName(name: string): string {
  return /^[0-9]/.test(name) ? `_${legalName(name, { ...toolName, maxLength: 63 })}` : legalName(name, toolName)
}

export const toolNames = createToolNames(wireToolName)
