/**
 * The adapter contract: what an adapter is asked (`TurnRequest`), what it yields (`TurnEvent`), how it fails (`AdapterErrorCode`) and what it
 * says of itself (`Capabilities`). `docs/write-an-adapter.md` is a whole adapter to copy; this file says what each member means. The data that
 * goes through it, messages and usage, is plain JSON, typed in `messages.ts` and `usage.ts`. Nothing in this folder knows anything outside of it.
 *
 * An adapter translates one *turn* (one request to a provider and its response). It has no loop, runs no tool and retries nothing:
 * the loop does that, once, for every provider. There are two ways to write one:
 *
 * 1. Nearly always: four pure, synchronous functions (`WireFormat`, in `wire-format.ts`) given to `defineHttpAdapter`, which owns url, auth,
 *    fetch, framing, size limits, abort and error mapping.
 * 2. For anything that is not HTTP: an object with `provider`, `model`, `capabilities` and `turn`.
 */
import type { Clock } from './clock.ts'
import type { TokenLogprob } from './logprobs.ts'
import type { Citation, Message, ProviderMetadata, ToolCallPart, ToolOutput, ToolOwner } from './messages.ts'
import type { Usage } from './usage.ts'

/** `generate`: one JSON response per turn; `stream`: an event stream. Both yield the same events. */
export type Mode = 'generate' | 'stream'

export interface Adapter {
  /** Key of `providerOptions` and the mark on every assistant message and `providerMetadata`. */
  readonly provider: string
  readonly model: string
  readonly capabilities: Capabilities
  /**
   * Makes exactly one request. Yields batches of events (what one network chunk gave), each a fresh array that the receiver owns:
   * `turn-start` first, `turn-end` last, each once. Throws `AdapterError`; events yielded before stay valid.
   */
  turn(request: TurnRequest, context: TurnContext): AsyncIterable<readonly TurnEvent[]>
}

export interface TurnContext {
  readonly mode: Mode
  /** Aborts the request; the adapter then stops at once and closes the connection. */
  readonly signal?: AbortSignal | undefined
  /**
   * For what a turn itself has to wait for, such as usage after an answer. Default: the system's. The loop does not hand its own on: that
   * one tells of retries and timeouts.
   */
  readonly clock?: Clock | undefined
}

/**
 * One turn to encode. The loop builds every turn of a run with the same builder: only `messages`, `turn`, `continuation`
 * and (after the first step) `toolChoice` differ, unless the application edits a step.
 */
export interface TurnRequest {
  /**
   * The whole conversation, paired and repaired: every call of the caller's is answered, each result once, after its call.
   * Within a run this is one array that only grows: never change it, copy it to keep it.
   *
   * A `system` message is a string, `user` a string or `text` and `file` parts. `assistant` has the parts that the events of its turn made:
   * `text`, `reasoning`, `refusal`, `tool-call`, `file`, `opaque`, and `tool-result` where the provider ran the call. A `tool` message has
   * one `tool-result` for each call of a step. Each may carry `providerMetadata`: encode your own as it is, leave out that of others.
   */
  readonly messages: readonly Message[]
  /** System prompt, kept apart from the messages. */
  readonly instructions?: string | undefined
  /** Tools that the model may call: the same array object on every turn of a run, so encode it once (`encodeOnce`). Never empty. */
  readonly tools?: readonly ToolDefinition[] | undefined
  /** Whether the model has to call, and what; only set together with `tools`. Absent: the provider's default, which is `auto`. */
  readonly toolChoice?: ToolChoice | undefined
  readonly settings?: Settings | undefined
  /** The answer has to be a JSON object of this schema; only set when `capabilities.structured` holds. */
  readonly responseFormat?: ResponseFormat | undefined
  /** Merged into the body by the adapter whose `provider` is the key, `tools` behind those of the turn; other keys are not looked at. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
  /** Extra HTTP headers of the caller; they win over the adapter's. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Only when `capabilities.continuation` holds: the provider has everything before `messages[from]` under this response id. */
  readonly continuation?: { readonly responseId: string; readonly from: number } | undefined
  /** The run has nothing kept at the provider (`continuation: 'off'`): whatever the adapter's own options say, nothing is stored. */
  readonly stateless?: boolean | undefined
  /** Number of assistant turns before this one. Ids for calls that come without one are made from it: `call_<turn>_<n>`. */
  readonly turn: number
}

export interface Settings {
  /** Upper limit of generated tokens, reasoning included where the provider counts it so. */
  readonly maxOutputTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly stopSequences?: readonly string[] | undefined
  readonly seed?: number | undefined
  /** How hard the model thinks; finer control belongs into `providerOptions`. */
  readonly reasoning?: 'none' | 'low' | 'medium' | 'high' | undefined
  /** `false` asks the provider for at most one call per turn. */
  readonly parallelToolCalls?: boolean | undefined
}

/** A JSON Schema (draft 2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>

export type ToolDefinition = FunctionToolDefinition | ProviderToolDefinition

export interface FunctionToolDefinition {
  readonly type: 'function'
  readonly name: string
  readonly description?: string | undefined
  /** Schema of the input; its root is an object. */
  readonly inputSchema: JsonSchema
  /** Ask the provider to enforce the schema, where it can. */
  readonly strict?: boolean | undefined
  /** More members of the declaration, for the adapter whose `provider` is the key; name, schema and the like are never overwritten. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
}

/** A tool that the provider runs itself. `definition` goes into the body verbatim, to that provider only. */
export interface ProviderToolDefinition {
  readonly type: 'provider'
  readonly provider: string
  readonly name: string
  readonly definition: Readonly<Record<string, unknown>>
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly type: 'tool'; readonly toolName: string }

export interface ResponseFormat {
  readonly name: string
  readonly description?: string | undefined
  readonly schema: JsonSchema
}

/** True or false in both modes, or per mode. Absent means no. */
export type Flag = boolean | { readonly generate: boolean; readonly stream: boolean }

/** What the provider and the adapter can do, as data. The conformance suite checks claims; it never skips. */
export interface Capabilities {
  /** Function calls. Without: the loop refuses tools for this model (`unsupported`). */
  readonly tools?: Flag | undefined
  /** Several calls in one turn. Without: there is one at most, and more steps are needed. */
  readonly parallel?: Flag | undefined
  /** Kinds of `toolChoice` that the provider honours. Others are coerced to `auto` by the adapter, with a warning. Default: none. */
  readonly toolChoice?: readonly ('auto' | 'none' | 'required' | 'tool')[] | undefined
  /** Native JSON output by schema. Without: the loop uses a synthetic tool. */
  readonly structured?: Flag | undefined
  /** Native JSON output while tools are present. Without: the loop constrains the final answer only. */
  readonly structuredWithTools?: Flag | undefined
  /** Reasoning is delivered apart from text. Without: no reasoning parts. */
  readonly reasoning?: Flag | undefined
  /** Reasoning has to be, and is, sent back (signatures, encrypted items). Without: it is left out of later requests. */
  readonly reasoningReplay?: Flag | undefined
  /** `continuation` is understood. Without: the loop sends the full history. */
  readonly continuation?: Flag | undefined
  /** Tools that the provider runs itself. Without: the loop refuses provider tools (`unsupported`). */
  readonly providerTools?: Flag | undefined
  /** The provider may pause a turn and wants it sent back. Without: never asked. */
  readonly pause?: Flag | undefined
  /** Images in user messages. Without: `encode` throws `unsupported`. */
  readonly imageInput?: Flag | undefined
  /** Files other than images in user messages. Without: `encode` throws `unsupported`. */
  readonly fileInput?: Flag | undefined
  /** Images in tool results. Without: `encode` puts a text in their place, with a warning. */
  readonly toolResultImages?: Flag | undefined
  /** Usage arrives in this mode. Without: usage of such turns is unknown and leaves totals as they are. */
  readonly streamUsage?: Flag | undefined
  /** Cache switches reach the wire. Without: they are dropped, with a warning. */
  readonly cacheControl?: Flag | undefined
}

/** What an `AdapterError` says went wrong; the loop decides by it whether to ask again. */
export type AdapterErrorCode =
  | 'missing-api-key'
  | 'authentication'
  | 'permission'
  | 'not-found'
  | 'bad-request'
  | 'context-overflow'
  | 'content-filter'
  | 'rate-limit'
  | 'insufficient-credit'
  | 'overloaded'
  | 'server-error'
  | 'connection'
  | 'timeout'
  | 'aborted'
  | 'incomplete-stream'
  | 'malformed-response'
  | 'empty-response'
  | 'response-too-large'
  | 'tool-use-failed'
  | 'continuation-not-found'
  | 'unsupported'
  | 'unknown'

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
  /** A call whose arguments are complete, with `inputText` as they were sent. Adapters set `owner` to `client` or `provider`. */
  | {
      readonly type: 'tool-call'
      readonly part: number
      readonly toolCallId: string
      readonly toolName: string
      /** The parsed arguments; `undefined` when they could not be parsed. */
      readonly input: unknown
      readonly inputText: string
      /** Why it never runs: the arguments are no JSON object, or the turn ended by `length` and this call was its last. */
      readonly invalid?: ToolCallPart['invalid']
      readonly owner: ToolOwner
      readonly providerMetadata?: ProviderMetadata | undefined
    }
  | {
      /** The result of a provider-executed call: its output is text, JSON, an error's text, or a list of texts and files. */
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
      /** Log-probabilities of the tokens of the answer, where they were asked for. */
      readonly logprobs?: readonly TokenLogprob[] | undefined
      /** Message-level payload, replayed with the whole message. */
      readonly providerMetadata?: ProviderMetadata | undefined
      readonly warnings?: readonly Warning[] | undefined
    }
