/**
 * Messages and their parts: the provider-neutral conversation that the loop keeps and every adapter encodes.
 * Everything here is plain JSON data and is treated as immutable: an edit makes a new object.
 */

/**
 * An opaque payload of one provider (a signature, an encrypted item, a block without neutral form).
 * Core never reads `data`. It returns verbatim and in order to the same provider and is dropped for another one.
 */
export interface ProviderMetadata {
  /**
   * `Adapter.provider` of the adapter that made it; replayed to that provider only, whatever the model. Where a provider has models of
   * several vendors, thoughts that one vendor signed are not sent to another's, and a warning says so.
   */
  readonly provider: string
  /** The model that answered, for diagnosis. */
  readonly model: string
  /** JSON data whose meaning only that adapter knows. */
  readonly data: unknown
}

/** Where a statement of the answer comes from. Only what the provider gave is set. */
export interface Citation {
  /** What the source is. Absent: a web page. `work`: an existing text that the answer repeats. */
  readonly kind?: 'place' | 'file' | 'image' | 'work' | undefined
  readonly url?: string | undefined
  readonly title?: string | undefined
  /** The quoted passage of the source. */
  readonly citedText?: string | undefined
  /** Range in the text part that the citation supports, in UTF-16 units as far as the provider says so. */
  readonly startIndex?: number | undefined
  readonly endIndex?: number | undefined
}

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  /**
   * A report of the answer to the application, which the transcript keeps. A model gets the text, whole; its sources go back only to the provider
   * that named them, in `providerMetadata`, where its API takes them. That others do not get them is no loss that a warning speaks of.
   */
  readonly citations?: readonly Citation[] | undefined
  readonly providerMetadata?: ProviderMetadata | undefined
}

/** An image, document or other file: base64 `data` or a `url`, exactly one of them. */
export interface FilePart {
  readonly type: 'file'
  /** IANA media type, for example `image/png` or `application/pdf`. */
  readonly mediaType: string
  /** Base64 without a `data:` prefix. */
  readonly data?: string | undefined
  readonly url?: string | undefined
  readonly filename?: string | undefined
  readonly providerMetadata?: ProviderMetadata | undefined
}

/**
 * Visible reasoning. `text` may be empty while `providerMetadata` holds a signature that has to be sent back (docs/wire.md#responses-empty-reasoning,
 * docs/wire.md#anthropic-thinking-without-text, docs/wire.md#gemini-signatures).
 */
export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
  readonly providerMetadata?: ProviderMetadata | undefined
}

/** The model declined; never part of the text. */
export interface RefusalPart {
  readonly type: 'refusal'
  readonly text: string
  readonly providerMetadata?: ProviderMetadata | undefined
}

/** `loop`: a tool with `execute`; `client`: the caller answers; `provider`: the provider ran it itself. */
export type ToolOwner = 'loop' | 'client' | 'provider'

export interface ToolCallPart {
  readonly type: 'tool-call'
  /** Unique in the run. The provider's own id, where it differs, is in `providerMetadata`. */
  readonly toolCallId: string
  readonly toolName: string
  /** The parsed arguments; `undefined` when they could not be parsed. */
  readonly input: unknown
  /** The arguments as the provider sent them. */
  readonly inputText: string
  /**
   * Set where `input` is no usable JSON object; such a call never runs. In a turn that ended by `length` a call at its end is
   * `truncated`, whatever its arguments look like.
   */
  readonly invalid?: 'unparsable' | 'truncated' | undefined
  readonly owner: ToolOwner
  readonly providerMetadata?: ProviderMetadata | undefined
}

/** What an error output tells the model; encoded as `{"error":{"code","message",...}}`. */
export interface ToolErrorValue {
  readonly code: ToolErrorCode
  readonly message: string
  readonly [detail: string]: unknown
}

export type ToolErrorCode =
  | 'tool-failed'
  | 'tool-timeout'
  | 'unknown-tool'
  | 'invalid-input'
  | 'unparsable-input'
  | 'truncated-call'
  | 'too-many-calls'
  | 'limit-reached'
  | 'denied'
  | 'aborted'
  | 'repeated-call'
  | 'not-executed'

/** `json` holds plain JSON data; `content` holds text and files for providers that take them in results. */
export type ToolOutput =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'error'; readonly value: ToolErrorValue }
  | { readonly type: 'content'; readonly value: readonly (TextPart | FilePart)[] }

export interface ToolResultPart {
  readonly type: 'tool-result'
  readonly toolCallId: string
  readonly toolName: string
  readonly output: ToolOutput
  readonly providerMetadata?: ProviderMetadata | undefined
}

/** Keeps the slot of a provider block that has no neutral form. */
export interface OpaquePart {
  readonly type: 'opaque'
  readonly providerMetadata: ProviderMetadata
}

export type UserPart = TextPart | FilePart

/** A tool result inside an assistant message belongs to a provider-executed call. */
export type AssistantPart =
  | TextPart
  | FilePart
  | ReasoningPart
  | RefusalPart
  | ToolCallPart
  | ToolResultPart
  | OpaquePart

export type Part = UserPart | AssistantPart

export interface SystemMessage {
  readonly role: 'system'
  readonly content: string
}

export interface UserMessage {
  readonly role: 'user'
  readonly content: string | readonly UserPart[]
  /** Not the user's words: the loop, or a policy, says this to the model. Providers see no difference. */
  readonly synthetic?: boolean | undefined
}

export interface AssistantMessage {
  readonly role: 'assistant'
  /** Parts in the order in which the provider started them. */
  readonly content: readonly AssistantPart[]
  /** `Adapter.provider` and `Adapter.model` of the turn; absent on messages that an application wrote. */
  readonly provider?: string | undefined
  readonly model?: string | undefined
  readonly responseId?: string | undefined
  readonly providerMetadata?: ProviderMetadata | undefined
}

/** All results of one step, in call order. */
export interface ToolMessage {
  readonly role: 'tool'
  readonly content: readonly ToolResultPart[]
}

/** What an application may give in place of a message: an answer as a text, which becomes a text part. */
export type InputMessage = Message | { readonly role: 'assistant'; readonly content: string }

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage
