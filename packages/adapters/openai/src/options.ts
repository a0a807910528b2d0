import type { Capabilities, ProviderOptions } from '@steploop/core/adapter'

/** Options of `createOpenAI`. */
export interface OpenAIOptions extends ProviderOptions {
  /** Sent as `openai-organization`. */
  readonly organization?: string | undefined
  /** Sent as `openai-project`. */
  readonly project?: string | undefined
  /**
   * True: OpenAI keeps every response, which makes continuation (`previous_response_id`) possible. Default false: nothing is stored and
   * each request carries the whole history. `providerOptions.openai.store` overrides it per run.
   */
  readonly store?: boolean | undefined
  /**
   * How a text of the assistant's goes out that is no answer of this provider. Default `plain`: a string. `output_text`: a list with one
   * part, for servers that take nothing else (llama.cpp: `Cannot determine type of 'item'`).
   */
  readonly assistantText?: 'plain' | 'output_text' | undefined
}

/** Options of one model. */
export interface ModelOptions {
  /** Whether the model reasons. Default: by its name; give it for names that do not say (Azure deployments, gateways). */
  readonly reasoning?: boolean | undefined
}

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
  /** See `OpenAIOptions.assistantText`. */
  readonly assistantText?: OpenAIOptions['assistantText']
  /** Kinds of `toolChoice` that the provider honours; others become `auto`, with a warning. Default: all. */
  readonly toolChoice?: NonNullable<Capabilities['toolChoice']> | undefined
  /** Top-level fields that the provider refuses: never sent, whoever sets them. */
  readonly omit?: readonly string[] | undefined
}

/**
 * Whether a model name is that of a reasoning model: the o-series, and GPT from 5 on except its chat variants
 * (docs/wire.md#openai-responses). Gateways' prefixes (`openai/gpt-5`) and fine-tunes (`ft:o4-mini:...`) are looked through.
 */
export function isReasoningModel(model: string): boolean {
  const name = model.slice(model.lastIndexOf('/') + 1).replace(/^(ft|openai)[:.]/, '')
  if (/^(o\d|codex|computer-use)/.test(name)) return true
  const generation = /^gpt-(\d+)/.exec(name)?.[1]
  return (generation !== undefined && Number(generation) >= 5 && !name.includes('-chat')) || name.startsWith('gpt-oss')
}
