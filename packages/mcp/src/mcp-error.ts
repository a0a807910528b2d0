import { StepLoopError } from '@steploop/core/adapter'

/**
 * `connect-failed`: the server could not be reached, or is none. `unauthorized`: a login is needed. `closed`: `close` was called.
 * `list-failed`, `too-many-pages`: it did not give its tools. `pin-mismatch`: a tool is not the one that was pinned.
 */
export type McpErrorCode =
  | 'connect-failed'
  | 'unauthorized'
  | 'closed'
  | 'list-failed'
  | 'too-many-pages'
  | 'pin-mismatch'
  | 'invalid-options'

export interface McpErrorOptions {
  /** Name of the server, or its address without query. */
  readonly server: string
  readonly authorizationUrl?: string | undefined
  readonly cause?: unknown
}

/** Something is wrong with a server, outside of a call: what goes wrong within one is the answer of that call. */
export class McpError extends StepLoopError<McpErrorCode> {
  /** Name of the server, or its address without query. */
  readonly server: string
  /** Where a person has to log in (`unauthorized`), as far as the `authProvider` was told of it. */
  readonly authorizationUrl: string | undefined

  constructor(code: McpErrorCode, message: string, { server, authorizationUrl, cause }: McpErrorOptions) {
    super(code, message, cause === undefined ? undefined : { cause })
    this.name = 'McpError'
    this.server = server
    this.authorizationUrl = authorizationUrl
  }

  static override isInstance(value: unknown): value is McpError {
    return StepLoopError.isInstance(value) && value.name === 'McpError'
  }
}

/** What something thrown says, for a message: at most 500 characters of it. Secrets go first, since half of one is not known any more. */
export function causeText(cause: unknown, redact: (text: string) => string = (text) => text): string {
  try {
    const text = cause instanceof Error ? cause.message || cause.name : String(cause)
    return shorten(redact(text.slice(0, 5000)), 500)
  } catch {
    return 'an error whose message cannot be read'
  }
}

/** At most so many characters of a server's own words. */
export function shorten(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** What was thrown, as far as it is the same for everybody: others hang headers, arguments and answers on their errors. */
export function plainCause(cause: unknown, redact: (text: string) => string): Error {
  const plain = new Error(causeText(cause, redact))
  if (cause instanceof Error) plain.name = cause.name
  return plain
}
