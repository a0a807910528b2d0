import type { AdapterErrorCode, JsonObject } from '@steploop/core/adapter'

/** A fault in the words of a provider, and what an adapter has to call it. It comes from documentation or recordings, never from an adapter. */
export interface WireError {
  /** Part of the variant's name. */
  readonly id: string
  /** Where it is documented, or who was seen to answer so. */
  readonly why: string
  readonly code: AdapterErrorCode
  /** Default 200: the fault stands in place of an answer, or inside a stream. */
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A text is sent as it is. */
  readonly body: JsonObject | string
  /** Milliseconds after which the provider wants to be asked again. Default: not looked at. */
  readonly retryAfterMs?: number | undefined
  /** What else of it people have to read, beside the `message`. */
  readonly says?: string | undefined
  /** By which the provider finds the request again. Default: not looked at. */
  readonly requestId?: string | undefined
  /** Only in this mode. Default: both. */
  readonly mode?: 'generate' | 'stream' | undefined
}

export const pageOfProxy: WireError = {
  id: 'page',
  why: 'a proxy answers with a page',
  status: 502,
  code: 'server-error',
  body: '<html>Bad Gateway</html>',
}
