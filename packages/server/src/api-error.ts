export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'server_error'

export interface ApiErrorOptions {
  readonly status: number
  readonly message: string
  readonly type?: ErrorType | undefined
  readonly code?: string | undefined
  /** The path in the request that is concerned, for example `input[2].call_id`. */
  readonly param?: string | undefined
  /** Seconds until asking again makes sense. */
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** What a client is answered in place of what it asked for. */
export class ApiError extends Error {
  readonly status: number
  readonly type: ErrorType
  readonly code: string | undefined
  readonly param: string | undefined
  readonly retryAfter: number | undefined

  constructor({ status, message, type, code, param, retryAfter, cause }: ApiErrorOptions) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ApiError'
    this.status = status
    this.type = type ?? (status < 500 ? 'invalid_request_error' : 'server_error')
    this.code = code
    this.param = param
    this.retryAfter = retryAfter
  }
}

export function badRequest(message: string, details: Omit<ApiErrorOptions, 'status' | 'message'> = {}): ApiError {
  return new ApiError({ status: 400, message, ...details })
}

export function notFound(what: string, id: string): ApiError {
  return new ApiError({ status: 404, message: `${what} with id '${id}' not found.` })
}

/** The body that OpenAI's clients read. */
export function errorBody({ message, type, code, param }: ApiError): object {
  return { error: { message, type, param: param ?? null, code: code ?? null } }
}
