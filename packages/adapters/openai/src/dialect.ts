import type { Capabilities } from '@steploop/core/adapter'

/** How a provider that speaks the Responses format deviates from OpenAI. Everything but the origin has a default. */
export interface ResponsesOptions {
  /** `Adapter.provider`: the key of `providerOptions` and the mark on `providerMetadata`. */
  readonly provider: string
  readonly model: string
  /** Appended to the base URL, with a query where one is needed. Default `/responses`. */
  readonly path?: string | undefined
  /** Default of the `store` field. Default false. */
  readonly store?: boolean | undefined
  /** Whether the model reasons. Default: by its name, see `isReasoningModel`. */
  readonly reasoning?: boolean | undefined
  /**
   * Where the system prompt goes. Default `top-level`: the `instructions` field, which is not carried over by `previous_response_id`
   * and so is sent with every turn and can change between turns. `message`: a system message at the head of the input, for servers
   * without that field; it is then part of what the provider stores.
   */
  readonly instructions?: 'top-level' | 'message' | undefined
  /**
   * How a text of the assistant's goes out that is no answer of this provider. Default `plain`: a string. `output_text`: a list with one
   * part, for servers that take nothing else (llama.cpp: `Cannot determine type of 'item'`).
   */
  readonly assistantText?: 'plain' | 'output_text' | undefined
  /** Kinds of `toolChoice` that the provider honours; others become `auto`, with a warning. Default: all. */
  readonly toolChoice?: NonNullable<Capabilities['toolChoice']> | undefined
  /** Top-level fields that the provider refuses: never sent. */
  readonly omit?: readonly string[] | undefined
}
