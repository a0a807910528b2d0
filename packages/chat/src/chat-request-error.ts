import { StepLoopError } from '@steploop/core'

/**
 * `bad-request` (400): the body cannot be read; `too-large` (413); `wrong-type` (415): it is not declared as JSON, or the method is another;
 * `not-found` (404): no such chat for the caller; `conflict` (409): the chat has gone on, or a run is under way, and the answer tells how
 * it stands.
 */
export type ChatRequestErrorCode = 'bad-request' | 'too-large' | 'wrong-type' | 'not-found' | 'conflict'

const statuses: Readonly<Record<ChatRequestErrorCode, number>> = {
  'bad-request': 400,
  'too-large': 413,
  'wrong-type': 415,
  'not-found': 404,
  conflict: 409,
}

/** A request of a page that is not run. Its message says why, for a person, and quotes nothing of the request but names. */
export class ChatRequestError extends StepLoopError<ChatRequestErrorCode> {
  /** Status of the HTTP response. */
  readonly status: number

  constructor(code: ChatRequestErrorCode, message: string) {
    super(code, message)
    this.name = 'ChatRequestError'
    this.status = statuses[code]
  }

  static override isInstance(value: unknown): value is ChatRequestError {
    return StepLoopError.isInstance(value) && value.name === 'ChatRequestError'
  }
}
