import type { ScriptedObject } from './script.ts'

/** Core's own tool for structured answers, where the provider has no other way. It is part of what goes over the wire. */
export const structuredToolName = 'output_structured_data'

/** The model gives an object, as it is asked to. */
export function give(input: Readonly<Record<string, unknown>>): ScriptedObject {
  return { type: 'object', toolName: structuredToolName, input }
}
