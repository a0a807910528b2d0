/**
 * Every way in which a cassette, or a request held against one, can be wrong.
 *
 * - `missing` no such file · `syntax` not a cassette at all · `duplicate-key` a key stands twice · `version` made by a newer release
 * - `schema` a key is unknown, absent or of the wrong kind · `truncated` the end marker is gone · `hash` the content was edited
 * - `no-match` no unconsumed exchange fits a request · `unconsumed` exchanges were left over · `network-denied` a request outside the cassette
 * - `secret-found` writing refused · `outside-base-url` recording refused · `write-failed` the file system refused
 */
export type CassetteErrorCode =
  | 'missing'
  | 'syntax'
  | 'duplicate-key'
  | 'version'
  | 'schema'
  | 'truncated'
  | 'hash'
  | 'no-match'
  | 'unconsumed'
  | 'network-denied'
  | 'secret-found'
  | 'outside-base-url'
  | 'write-failed'

/** The facts from which a {@link CassetteError} builds its message. */
export interface CassetteErrorFacts {
  /** What happened, with which value. Never a secret. */
  readonly what: string
  /** What to do next. */
  readonly fix: string
  /** The cassette's file name, when there is one. */
  readonly file?: string | undefined
  /** Where in the file or in the traffic: `line 12, request.headers of exchange 2`. */
  readonly location?: string | undefined
  readonly cause?: unknown
}

const brand: unique symbol = Symbol.for('@steploop/cassette/CassetteError')

/** The one error class of this package. `code` says which rule was broken; the message says where, and how to fix it. */
export class CassetteError extends Error {
  override readonly name = 'CassetteError'
  readonly code: CassetteErrorCode
  readonly file: string | undefined
  readonly location: string | undefined
  readonly fix: string
  /** Asking again gives the same: clients that look at this do not. */
  readonly retryable = false
  readonly [brand] = true

  constructor(code: CassetteErrorCode, facts: CassetteErrorFacts) {
    const where = [facts.file, facts.location].filter((part) => part !== undefined).join(', ')
    // After a list the fix stands on a line of its own.
    const gap = facts.what.endsWith('\n') ? '' : ' '
    super(`${where === '' ? '' : `${where}: `}${facts.what}${gap}${facts.fix}`.trim(), { cause: facts.cause })
    this.code = code
    this.file = facts.file
    this.location = facts.location
    this.fix = facts.fix
  }

  /** True for a CassetteError of any copy of this package, which `instanceof` is not. */
  static isInstance(value: unknown): value is CassetteError {
    return typeof value === 'object' && value !== null && brand in value
  }
}
