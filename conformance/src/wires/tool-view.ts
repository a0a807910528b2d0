import { textOf, type JsonObject } from '@steploop/core'
import { memberText } from '../json.ts'
import type { ToolView } from './request-view.ts'

/** A declaration as most wire formats have it, with the members that may hold the schema of its input. */
export function toolView(declared: JsonObject, ...schemaNames: readonly string[]): ToolView {
  return {
    name: memberText(declared, 'name'),
    description: textOf(declared['description']),
    inputSchema: schemaNames.map((name) => declared[name]).find((schema) => schema !== undefined),
    strict: declared['strict'] === true,
  }
}
