/**
 * What the adapter needs of the world outside. Whatever connects you to my-llm implements this, and the suite has one of its own in
 * src/scripted-connection.ts. Change the words to those of my-llm.
 */
export interface Connection {
  /** Sends one question. Replies come as the model makes them; `signal` ends it at once. A broken connection throws. */
  readonly ask: (question: Question, signal: AbortSignal | undefined) => AsyncIterable<Reply>
}

export interface Question {
  readonly model: string
  readonly instructions: string | undefined
  readonly sayings: readonly Saying[]
  readonly tools: readonly {
    readonly name: string
    readonly description: string | undefined
    /** JSON Schema of the arguments. */
    readonly schema: Readonly<Record<string, unknown>>
  }[]
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  /** The application's options for my-llm. */
  readonly options: Readonly<Record<string, unknown>>
}

/** One thing in the conversation. */
export type Saying =
  | { readonly by: 'system' | 'user' | 'model'; readonly text: string }
  | {
      readonly by: 'model'
      readonly call: { readonly id: string; readonly name: string; readonly argumentsText: string }
    }
  | { readonly by: 'tool'; readonly id: string; readonly text: string }

export type Reply =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly argumentsText: string }
  | {
      readonly type: 'error'
      readonly kind: string
      readonly message: string
      /** Milliseconds until my-llm wants to be asked again. */
      readonly retryAfterMs?: number | undefined
    }
  | {
      /** The last one. What ends without it was cut. */
      readonly type: 'done'
      readonly reason: string
      readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
    }
