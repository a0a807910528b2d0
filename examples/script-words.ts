import type { Script } from './example.ts'

type Turn = Script[number]
type Part = Extract<Turn, { readonly type: 'answer' }>['parts'][number]

/** Short forms, so that a script reads as what the model says. */
export function answer(...parts: readonly Part[]): Turn {
  return { type: 'answer', parts }
}

export function say(text: string): Part {
  return { type: 'text', text }
}

export function call(toolName: string, input: Readonly<Record<string, unknown>>): Part {
  return { type: 'call', toolName, input }
}

export function overloaded(): Turn {
  return { type: 'failure', failure: 'overloaded' }
}
