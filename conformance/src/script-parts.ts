import type { ScriptedAnswer, ScriptedPart } from './script.ts'

/** Short forms for scripts, so that a scenario reads as a conversation. */
export function say(text: string): ScriptedPart {
  return { type: 'text', text }
}

export function call(toolName: string, input: Readonly<Record<string, unknown>> = {}): ScriptedPart {
  return { type: 'call', toolName, input }
}

export function answer(...parts: readonly ScriptedPart[]): ScriptedAnswer {
  return { type: 'answer', parts }
}
