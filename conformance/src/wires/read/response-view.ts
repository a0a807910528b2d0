/** A response as a person reads it, whatever the wire format; streams are folded. */
export interface ResponseView {
  readonly id: string | undefined
  readonly model: string | undefined
  /** In the order in which they began. */
  readonly parts: readonly ResponsePart[]
  /** The provider's own word. */
  readonly finish: string | undefined
  readonly usage: ResponseUsage | undefined
  /** The provider's message, when it answered with an error. */
  readonly error: string | undefined
}

export type ResponsePart =
  | { readonly type: 'text' | 'reasoning' | 'refusal'; readonly text: string }
  | {
      readonly type: 'call'
      readonly id: string
      readonly toolName: string
      /** Parsed arguments; their text when they are no JSON. */
      readonly input: unknown
    }
  /** A block that only this provider has. */
  | { readonly type: 'other'; readonly kind: string }

/** Tokens, as the provider counts them. */
export interface ResponseUsage {
  readonly input: number | undefined
  readonly output: number | undefined
  readonly cached?: number | undefined
  readonly reasoning?: number | undefined
}
