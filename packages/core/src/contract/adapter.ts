/**
 * The adapter contract: what an adapter is asked, and what it says of itself. What it yields is `TurnEvent` (`events.ts`), what it encodes
 * `Message` (`messages.ts`): with these three files one can write an adapter, and nothing in this folder knows anything outside of it.
 *
 * An adapter translates one *turn* (one request to a provider and its response). It has no loop, runs no tool and retries nothing:
 * the loop does that, once, for every provider. There are two ways to write one:
 *
 * 1. Nearly always: four pure, synchronous functions (`WireFormat`) given to `defineHttpAdapter`, which owns url, auth, fetch, framing,
 *    size limits, abort and error mapping.
 * 2. For anything that is not HTTP: an object with `provider`, `model`, `capabilities` and `turn`.
 */
import type { Clock } from './clock.ts'
import type { TurnEvent, Warning } from './events.ts'
import type { Message } from './messages.ts'

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
   */
  readonly messages: readonly Message[]
  /** System prompt, kept apart from the messages. */
  readonly instructions?: string | undefined
  /** The same array object on every turn of a run, so encode it once (`encodeOnce`). Never empty. */
  readonly tools?: readonly ToolDefinition[] | undefined
  /** Only set together with `tools`. Absent: the provider's default, which is `auto`. */
  readonly toolChoice?: ToolChoice | undefined
  readonly settings?: Settings | undefined
  /** The answer has to be a JSON object of this schema; only set when `capabilities.structured` holds. */
  readonly responseFormat?: ResponseFormat | undefined
  /** Merged into the body by the adapter whose `provider` is the key; other keys are not looked at. */
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
  /** Other files in user messages. Without: `encode` throws `unsupported`. */
  readonly fileInput?: Flag | undefined
  /** Images in tool results. Without: `encode` puts a text in their place, with a warning. */
  readonly toolResultImages?: Flag | undefined
  /** Usage arrives in this mode. Without: usage of such turns is unknown and leaves totals as they are. */
  readonly streamUsage?: Flag | undefined
  /** Cache switches reach the wire. Without: they are dropped, with a warning. */
  readonly cacheControl?: Flag | undefined
}

/** One frame of a stream: an SSE event (`event` may be absent, docs/wire.md#no-event-lines) or one NDJSON line. */
export interface Frame {
  readonly event?: string | undefined
  readonly data: string
}

/** Cuts a byte stream into frames, for formats that are neither SSE nor NDJSON. Synchronous. */
export interface Framer {
  push(bytes: Uint8Array, onFrame: (frame: Frame) => void): void
  /** The stream ended: gives what is left. */
  end(onFrame: (frame: Frame) => void): void
}

export interface EncodedRequest {
  /** Appended to the base URL, with its leading slash and query. */
  readonly path: string
  /** Headers of this request beside content type and auth. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The body as JSON text, joined from fragments that `encodeOnce` keeps. */
  readonly body: string
  /** What was dropped or coerced. Never silent. */
  readonly warnings: readonly Warning[]
}

/**
 * How far a streamed answer is.
 *
 * - `done`: the wire format's end mark came (`[DONE]`, `message_stop`, `done: true`), so nothing follows that counts.
 * - `answered`: the terminal evidence is there, but usage, or an end mark, may still follow (a `finish_reason` before `[DONE]`).
 * - `open`: neither.
 */
export type TurnProgress = 'open' | 'answered' | 'done'

/** Decodes one streamed turn. Synchronous; keeps its own state. */
export interface TurnDecoder {
  /** Appends what the frame means to `out`. Throws `AdapterError` for an error inside the stream (it is then over). */
  push(frame: Frame, out: TurnEvent[]): void
  /**
   * Asked once per network chunk, after its frames: not every server closes the connection when the answer is over. With `done` the turn
   * ends at once, with `answered` as soon as 2 seconds have brought no further event; `end` is then called and the connection let go.
   * While `open`, and in a decoder without this function, the stream is read to the end of its bytes.
   */
  progress?(): TurnProgress
  /**
   * The stream ended. Appends closing events and `turn-end`, or throws `incomplete-stream` unless the terminal evidence that the
   * wire format declares was seen.
   */
  end(out: TurnEvent[]): void
}

/** What `decodeError` finds out about a failed response; the transport adds provider, model and status. */
export interface ErrorFacts {
  readonly code: AdapterErrorCode
  /** The provider's own words, shortened and without secrets by the transport. */
  readonly providerMessage?: string | undefined
  /** Default: by code. */
  readonly retryable?: boolean | undefined
  /** Milliseconds until the provider wants to be asked again. */
  readonly retryAfterMs?: number | undefined
  readonly requestId?: string | undefined
}

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

/**
 * The four pure functions of an HTTP adapter. None touches the network, a clock or randomness, so all are tested with plain data.
 * What arrives is `unknown` until checked: be loose about unknown fields and events, strict about those you use.
 */
export interface WireFormat {
  /** Name of the wire format, for example `openai-chat`. */
  readonly name: string
  readonly framing: 'sse' | 'ndjson' | (() => Framer)
  encode(request: TurnRequest, mode: Mode): EncodedRequest
  /** One JSON body. Appends all events of the turn; throws `AdapterError` for an error inside a 200. */
  decode(json: unknown, request: TurnRequest, out: TurnEvent[]): void
  createDecoder(request: TurnRequest): TurnDecoder
  /** A response that is not 2xx. `text` is the body, JSON or not; header names are case-insensitive. */
  decodeError(status: number, headers: Headers, text: string): ErrorFacts
}
