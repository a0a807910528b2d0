import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Mode } from '@steploop/core'
import type { Subject } from './subject.ts'

/** Where the recording of a case stands. */
export function cassettePath(subject: Subject, scenario: string, mode: Mode): string {
  const { cassettes } = subject
  const isUrl = cassettes instanceof URL || cassettes.startsWith('file:')
  return join(isUrl ? fileURLToPath(cassettes) : cassettes, `${scenario}.${mode}.yaml`)
}
