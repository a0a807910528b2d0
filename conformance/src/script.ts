/**
 * What a simulated model answers, turn by turn, without a word of any provider. The simulator speaks it in a wire format;
 * a scenario carries it as data.
 */
export type ScriptedTurn = ScriptedAnswer | ScriptedFailure | ScriptedObject | ScriptedBreakage | ScriptedLoss

export interface ScriptedAnswer {
  readonly type: 'answer'
  /** In the order in which the model produces them. */
  readonly parts: readonly ScriptedPart[]
  /**
   * In the provider's own words. Default: `tool-calls` when there are calls for the caller, else `stop`. `guardrail`: another word than that of
   * `content-filter`, where a provider has several, for something outside of the model that stops it. `unheard-of`: a word not known yet.
   */
  readonly finish?: 'stop' | 'length' | 'content-filter' | 'guardrail' | 'pause' | 'unheard-of' | undefined
  /** Default: numbers that depend on the turn only. */
  readonly usage?: ScriptedUsage | undefined
  /**
   * The bytes end (cleanly) too early. In streams: after this share, from 0 to 1, of the events before the terminal evidence.
   * In `generate`: after this share of the JSON text, of which the last character is always missing.
   */
  readonly cutAfter?: number | undefined
}

export interface ScriptedUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens?: number | undefined
  /** Shown where the provider counts them apart. */
  readonly cacheWriteTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
}

export type ScriptedPart =
  | {
      readonly type: 'text'
      readonly text: string
      /** Where the text has it from. Providers that have no field for sources say nothing of them. */
      readonly citations?: readonly ScriptedCitation[] | undefined
    }
  /** Shown as far as the request asks for it: providers hide thoughts unless a setting turns them on. */
  | {
      readonly type: 'reasoning'
      readonly text: string
      /** Nobody but the provider can read it: it comes encrypted, without a text, and has to come back. Default false. */
      readonly sealed?: boolean | undefined
    }
  | { readonly type: 'refusal'; readonly text: string }
  | {
      readonly type: 'call'
      readonly toolName: string
      /** A JSON object; `{}` is sent the way the provider sends no arguments. */
      readonly input: Readonly<Record<string, unknown>>
      /** Sent instead of `input`, for arguments that are no JSON. */
      readonly inputText?: string | undefined
      /**
       * The tool is called by the name under which the request declares the tool with this description; for names that a wire format
       * refuses. Default: `toolName`.
       */
      readonly described?: string | undefined
      /** The provider's call id; default: made from counters in the provider's own shape. */
      readonly id?: string | undefined
    }
  /**
   * A tool that the provider runs itself, and what it gave; shown as the provider shows it. Chat Completions and Ollama have no words for
   * it and leave it out.
   */
  | {
      readonly type: 'provider-call'
      readonly tool: 'search' | 'code'
      /** The query, or the code. */
      readonly text: string
      /** What was found, or printed; of a tool that fails, why. */
      readonly output: string
      /** Default false. */
      readonly fails?: boolean | undefined
    }
  /** Made by the model. Formats that have no place for files in an answer leave it out. */
  | {
      readonly type: 'file'
      readonly mediaType: string
      /** Base64. */
      readonly data: string
    }

export interface ScriptedCitation {
  readonly url: string
  readonly title: string
  /** The words of the text that it supports. */
  readonly supports: string
  /** The passage of the source. */
  readonly quote: string
}

/** An answer that is an object of a schema, given in the way in which the request asks for it. */
export interface ScriptedObject {
  readonly type: 'object'
  /** The object is the input of a call of this tool where the request offers it, and the text of the answer otherwise. */
  readonly toolName: string
  readonly input: Readonly<Record<string, unknown>>
}

export interface ScriptedFailure {
  readonly type: 'failure'
  /** Which fault; the simulator knows the provider's status and body for it. */
  readonly failure:
    | 'bad-key'
    | 'forbidden'
    | 'unknown-model'
    | 'bad-request'
    | 'context-overflow'
    | 'rate-limited'
    | 'insufficient-credit'
    | 'overloaded'
    | 'server-error'
  /** Where the failure shows: as an HTTP status (default), or inside a 200. */
  readonly location?: 'status' | 'body' | undefined
  /** With `location: 'body'`, streams only: what is delivered before the failure. Default: nothing. */
  readonly after?: readonly ScriptedPart[] | undefined
}

/** What no provider has words for: a proxy, a crash or the network gets between the answer and its reader. */
export interface ScriptedBreakage {
  readonly type: 'breakage'
  /**
   * - `html-page`: a page for people stands where the answer should be.
   * - `empty-body`: status 200 and the right content type, and not one byte.
   * - `broken-json`: data that is no JSON stands in the middle of the answer; streams go on after it as if nothing had happened.
   * - `reset`: the connection breaks.
   */
  readonly breakage: 'html-page' | 'empty-body' | 'broken-json' | 'reset'
  /** Status of an `html-page`. Default 502, as a gateway says that it could not reach what is behind it. */
  readonly status?: number | undefined
  /** What the model says in the answer that breaks. Without it a `reset` comes before the answer has begun. */
  readonly says?: readonly ScriptedPart[] | undefined
}

/**
 * The provider loses the responses that it kept (they expire), and refuses the request that names one in its own words. Only where
 * there is such a request: the turn stands for that refusal.
 */
export interface ScriptedLoss {
  readonly type: 'loss'
}
