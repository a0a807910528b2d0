import { StepLoopError } from '@steploop/core'

/**
 * `config`: a configuration that cannot be used; `unreadable-input`: a file or folder that cannot be read or is not what it should be;
 * `usage`: options that contradict each other. All three are the caller's to fix: the command line exits with 2.
 */
export type HarnessErrorCode = 'config' | 'unreadable-input' | 'usage'

/** The harness itself cannot go on. What an adapter does wrong is a finding in a report, never this error. */
export class HarnessError extends StepLoopError<HarnessErrorCode> {
  /** The file or folder concerned, where there is one. */
  readonly file: string | undefined

  /** @param message what happened, with which value, and how to fix it */
  constructor(code: HarnessErrorCode, message: string, facts: { file?: string | undefined; cause?: unknown } = {}) {
    super(code, message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = 'HarnessError'
    this.file = facts.file
  }

  static override isInstance(value: unknown): value is HarnessError {
    return StepLoopError.isInstance(value) && value.name === 'HarnessError'
  }
}
