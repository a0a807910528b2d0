/** `usage`: wrong arguments; `target`: the folder cannot be used. Both exit with 2. `cancelled`: the questions were left; exit 130. */
export type ScaffoldErrorCode = 'usage' | 'target' | 'cancelled'

export class ScaffoldError extends Error {
  override readonly name = 'ScaffoldError'
  readonly code: ScaffoldErrorCode

  /** @param message what happened, with which value, and how to fix it */
  constructor(code: ScaffoldErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
