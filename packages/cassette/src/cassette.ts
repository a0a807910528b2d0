/** What one cassette file holds: a header and the HTTP exchanges in the order in which they were started. */
export interface Cassette {
  readonly header: CassetteHeader
  readonly exchanges: readonly Exchange[]
}

export interface CassetteHeader {
  readonly scenario: string
  /** `generate`: one JSON response per request. `stream`: server-sent events or lines of JSON. */
  readonly mode: 'generate' | 'stream'
  readonly provider: string
  /** The HTTP protocol spoken, such as `anthropic-messages`. */
  readonly wire: string
  readonly model: string
  readonly origin: Origin
  /**
   * Fields of JSON bodies that hold something private, as dotted paths in which `*` stands for any member (`metadata.user_id`,
   * `messages.*.name`). They were masked when the cassette was recorded and are masked again when a request is matched.
   */
  readonly mask?: readonly string[] | undefined
}

/**
 * Where the exchanges come from. `live`: the provider itself. `local`: a real model server on this machine or network.
 * `simulated`: a program that imitates a provider. `imported`: another tool's recording. `derived`: made from another cassette.
 */
export type OriginKind = 'live' | 'local' | 'simulated' | 'imported' | 'derived'

export interface Origin {
  readonly kind: OriginKind
  /** The program that made the recording, with its version. */
  readonly by: string
  /** The day of the recording, `YYYY-MM-DD`. */
  readonly date: string
  /** Host and port really connected to; kept for `live` and `local`. */
  readonly host?: string | undefined
  /** What answered there, with its version: `llama-server 0.7.0 (build 11669)`. For `local`, whose answers belong to a server, not to a provider. */
  readonly server?: string | undefined
  /** How a `derived` cassette was made. */
  readonly recipe?: string | undefined
  /** Where an `imported` recording came from, and under which licence. */
  readonly source?: string | undefined
  readonly licence?: string | undefined
  /** What an import had to guess, such as chunk boundaries. */
  readonly guessed?: string | undefined
}

export interface Exchange {
  readonly request: RecordedRequest
  readonly response: RecordedResponse
}

export interface RecordedRequest {
  /** Upper case. */
  readonly method: string
  /** Absolute, with the provider's public host. */
  readonly url: string
  /** Lower-case names. Credentials are `[redacted]`, with their scheme kept. */
  readonly headers: Readonly<Record<string, string>>
  /** Bytes sent. JSON bodies are re-indented when a cassette is printed; their tokens stay as they were. */
  readonly body: Uint8Array
  /** Day on which the request half was rewritten without recording anew, `YYYY-MM-DD`. */
  readonly rebased?: string | undefined
}

export interface RecordedResponse {
  /** HTTP status; 0 when the connection ended before a response began, which replay repeats. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Bytes received, after content-decoding. */
  readonly body: Uint8Array
  /** How the body arrived; the sizes add up to the body's. */
  readonly chunks: readonly Chunk[]
  readonly ending: Ending
}

/** `ms`: milliseconds since the chunk before it (the first: since the response's head). `bytes`: its size. */
export interface Chunk {
  readonly ms: number
  readonly bytes: number
}

/**
 * How the body ended. `eof`: complete. `reset`: the connection broke. `stall`: nothing more came. `abort`: the consumer stopped
 * reading; replay gives the bytes up to there and then nothing until the consumer stops again.
 */
export type Ending = 'eof' | 'reset' | 'stall' | 'abort'
