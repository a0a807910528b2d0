import type { Citation, ToolCallPart, ToolOutput, ToolOwner, ProviderMetadata } from './messages.ts'
import type { TokenLogprob } from './logprobs.ts'
import type { Usage } from './usage.ts'

/** Something that was dropped, changed or doubtful on the way to or from a provider. Never silent, never fatal. */
export interface Warning {
  readonly type: 'dropped' | 'coerced' | 'unsupported' | 'repaired' | 'unproven-end'
  /** What is concerned, for example `settings.topK` or `messages[3].content[0].citations`. */
  readonly path: string
  readonly message: string
}

/**
 * Why a turn ended, decided from its content first: complete calls for the caller give `tool-calls` whatever the provider's word,
 * unless the turn was cut by length or by a filter. `pause`: the provider wants the turn sent back as it is.
 */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'pause' | 'error' | 'unknown'

/**
 * What one turn yields, in both modes. `turn-start` comes first, `turn-end` last, each once.
 * `part` is the slot of the part in the assistant message, numbered by start order; the fold sorts by it. A slot holds one part: an event
 * for a slot of another part fails the run (`adapter-contract`).
 * `providerMetadata` rides on the event that closes a part. Errors are thrown, never yielded.
 */
export type TurnEvent =
  | {
      readonly type: 'turn-start'
      readonly responseId?: string | undefined
      /** The model that answers, as the provider names it. */
      readonly model?: string | undefined
      readonly warnings?: readonly Warning[] | undefined
    }
  | { readonly type: 'text-start'; readonly part: number }
  | { readonly type: 'text-delta'; readonly part: number; readonly text: string }
  | { readonly type: 'text-end'; readonly part: number; readonly providerMetadata?: ProviderMetadata | undefined }
  | { readonly type: 'reasoning-start'; readonly part: number }
  | { readonly type: 'reasoning-delta'; readonly part: number; readonly text: string }
  | { readonly type: 'reasoning-end'; readonly part: number; readonly providerMetadata?: ProviderMetadata | undefined }
  | {
      readonly type: 'refusal-delta'
      readonly part: number
      readonly text: string
      readonly providerMetadata?: ProviderMetadata | undefined
    }
  | {
      readonly type: 'tool-call-start'
      readonly part: number
      readonly toolCallId: string
      readonly toolName: string
      readonly owner: ToolOwner
    }
  | {
      readonly type: 'tool-call-delta'
      readonly part: number
      readonly toolCallId: string
      readonly inputText: string
    }
  /** A call whose arguments are complete (or marked `invalid`). Adapters set `owner` to `client` or `provider`. */
  | (ToolCallPart & { readonly part: number })
  | {
      /** The result of a provider-executed call. */
      readonly type: 'tool-result'
      readonly part: number
      readonly toolCallId: string
      readonly toolName: string
      readonly output: ToolOutput
      readonly providerMetadata?: ProviderMetadata | undefined
    }
  /** `part` is the slot of the text part that is supported; a slot without text becomes an empty text part. */
  | { readonly type: 'citation'; readonly part: number; readonly citation: Citation }
  | {
      readonly type: 'file'
      readonly part: number
      readonly mediaType: string
      readonly data?: string | undefined
      readonly url?: string | undefined
      readonly filename?: string | undefined
      readonly providerMetadata?: ProviderMetadata | undefined
    }
  | { readonly type: 'opaque'; readonly part: number; readonly providerMetadata: ProviderMetadata }
  | {
      readonly type: 'turn-end'
      readonly finishReason: FinishReason
      /** The provider's own word, `undefined` if it gave none. */
      readonly rawFinishReason?: string | undefined
      /** `undefined`: the provider sent none. */
      readonly usage?: Usage | undefined
      readonly responseId?: string | undefined
      readonly model?: string | undefined
      /** Of the tokens of the answer, where they were asked for. */
      readonly logprobs?: readonly TokenLogprob[] | undefined
      /** Message-level payload, replayed with the whole message. */
      readonly providerMetadata?: ProviderMetadata | undefined
      readonly warnings?: readonly Warning[] | undefined
    }
