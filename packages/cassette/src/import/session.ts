import type { Chunk, Ending } from '../cassette.ts'

type Headers = readonly (readonly [name: string, value: string])[]

/** Another tool's recording, before it becomes a cassette: what it says, and nothing made up. */
export interface ImportedSession {
  readonly exchanges: readonly ImportedExchange[]
  /** What the recording does not say and a cassette needs, or what its recorder changed: sentences without a full stop. */
  readonly guessed: readonly string[]
  /** What was left out, and why. */
  readonly left: readonly string[]
  /** Where the recording came from and under which licence, when it says so. */
  readonly source?: string | undefined
  readonly licence?: string | undefined
  /** Day of the recording, `YYYY-MM-DD`, when it says so. */
  readonly date?: string | undefined
}

export interface ImportedExchange {
  /** Undefined when only the response was recorded. */
  readonly request?: ImportedRequest | undefined
  readonly response: ImportedResponse
  /** What the recorder called the protocol and the provider. */
  readonly wire?: string | undefined
  readonly provider?: string | undefined
}

export interface ImportedRequest {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly headers: Headers
  readonly body: Uint8Array
}

export interface ImportedResponse {
  /** 0: no response began. */
  readonly status: number
  readonly headers: Headers
  /** After content-decoding. */
  readonly body: Uint8Array
  /** Undefined when the recording does not say how the body arrived. */
  readonly chunks?: readonly Chunk[] | undefined
  /** Default: `eof`, or `reset` for status 0. */
  readonly ending?: Ending | undefined
}
