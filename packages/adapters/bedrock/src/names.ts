import { createToolNames, legalName, type NameRule } from '@steploop/core/adapter'

const rule: NameRule = { legal: /^[a-zA-Z0-9_-]{1,64}$/, maxLength: 64 }

/** The tool's name as the API takes it. A changed name ends in a hash, so that two names stay apart. */
export function wireToolName(name: string): string {
  return legalName(name, rule)
}

/** An id from elsewhere as the API takes it. */
export function wireCallId(id: string): string {
  return legalName(id, rule)
}

export const toolNames = createToolNames(wireToolName)
