import type { Evidence } from './evidence.ts'

/** One thing that must hold, judged from what a case left behind. */
export interface Check {
  /** Last part of the check's address: `<subject>/<scenario>/<mode>#<id>`. */
  readonly id: string
  /** What must hold, as one sentence. */
  readonly sentence: string
  /** The check knows the very words of the script, which no real model says: recordings of real ones are not held against it. Default false. */
  readonly isOfScript?: boolean | undefined
  /** Why this evidence shows nothing of it, so that it is neither held nor broken; `undefined` when it does. Default: it always does. */
  readonly notSeen?: ((evidence: Evidence) => string | undefined) | undefined
  /** Pure: the same evidence gives the same failures. Nothing returned means that it holds. */
  readonly judge: (evidence: Evidence) => readonly Failure[]
}

export interface Failure {
  /** What is wrong, with which value; readable without the code. */
  readonly message: string
  /** Where to look: a run, a step, a path in a request body. */
  readonly where?: string | undefined
}

/** `<subject>/<scenario>/<mode>#<check>` */
export function checkAddress(subject: string, scenario: string, mode: string, check: string): string {
  return `${caseAddress(subject, scenario, mode)}#${check}`
}

export function caseAddress(subject: string, scenario: string, mode: string): string {
  return `${subject}/${scenario}/${mode}`
}

/** A failure unless the condition holds. */
export function unless(holds: boolean, message: string, where?: string): readonly Failure[] {
  return holds ? [] : [{ message, where }]
}
