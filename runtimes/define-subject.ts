import type { Subject } from '@steploop/conformance'

/** Stands for `@steploop/conformance` inside the runtimes: the suite itself needs Node, and the list of subjects does not. */
export function defineSubject(subject: Subject): Subject {
  return subject
}
