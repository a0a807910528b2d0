import { createToolNames, legalName, type NameRule } from '@steploop/core/adapter'

const toolName: NameRule = { legal: /^[a-zA-Z0-9_-]{1,128}$/, maxLength: 128 }
const callId: NameRule = { legal: /^[a-zA-Z0-9_-]+$/, maxLength: 128 }

/** The tool's name as the API takes it: `^[a-zA-Z0-9_-]{1,128}$`. A changed name ends in a hash, so that two names stay apart. */
export function wireToolName(name: string): string {
  return legalName(name, toolName)
}

/** An id from elsewhere as the API takes it: `^[a-zA-Z0-9_-]+$`. */
export function wireCallId(id: string): string {
  return legalName(id, callId)
}

export const toolNames = createToolNames(wireToolName)
