import type { SimulatedRequest } from '../../provider-script.ts'
import type { ScriptedAnswer, ScriptedFailure } from '../../script.ts'
import type { WireError } from './wire-error.ts'
import type { Body } from './body-bytes.ts'

/** A JSON object whose members are not known yet. */
export type JsonObject = Readonly<Record<string, unknown>>

export type FailureKind = ScriptedFailure['failure']

/**
 * Why a request is not answered, in neutral words; `WireSimulation.errorBody` gives it the provider's shape.
 */
export interface Rejection {
  /** HTTP status. */
  readonly status: number
  /** In the provider's style, naming the field. */
  readonly message: string
  /** The provider's class of error, for example `invalid_request_error`. */
  readonly type: string
  /** The provider's error code, where its format has one. */
  readonly code?: string | null | undefined
  /** The field that is wrong, where the provider's format has a place for it. */
  readonly param?: string | null | undefined
  /** Further members of the error, where the provider gives some. */
  readonly members?: JsonObject | undefined
  /** Headers beside the usual ones, for example `retry-after`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** What an answer may depend on. Nothing here is random and no clock is read: the same script gives the same bytes. */
export interface AnswerContext {
  /** Ordinal of the answer in this simulator, from 1; all ids are made from it. */
  readonly turn: number
  /** The body that was asked with; it passed `check`. */
  readonly request: JsonObject
}

/** A streamed answer: `frames[i]` is the text of one event with its closing blank line, or its bytes in a binary framing. */
export interface StreamedAnswer<Frame extends Body = string> {
  readonly frames: readonly Frame[]
  /** Index of the first frame that proves the end of the turn (docs/wire.md#the-end-of-a-stream). */
  readonly terminal: number
  /** Frame of a binary framing whose payload is no JSON. */
  readonly rubbish?: Body | undefined
}

/** What a simulator remembers between requests; providers without state on the server leave it alone. */
export interface Memory {
  readonly responses: Map<string, StoredResponse>
  /** Every item ever issued, by its id. */
  readonly items: Map<string, IssuedItem>
}

export interface StoredResponse {
  /** Input and output items up to and including this response, in order. */
  readonly items: readonly JsonObject[]
}

export interface IssuedItem {
  /** False for answers to requests with `store: false`: such an item cannot be referred to by id. */
  readonly stored: boolean
  /** Id of the reasoning item that was issued right before it and has to come back with it. */
  readonly reasoning?: string | undefined
}

/** What a provider may do in its own way in a wire format that it shares with others. */
type Deviations = Partial<Omit<WireSimulation, 'wire' | 'dialects'>>

/** A provider that speaks a wire format: what it accepts, and how it deviates in anything else. */
export interface SimulatedDialect extends Deviations {
  readonly name: string
  /** Ends of host names. */
  readonly hosts: readonly string[]
  check(body: unknown, memory?: Memory, named?: JsonObject): Rejection | undefined
  /** Call ids that it takes, where the format takes others. */
  readonly legalId?: RegExp | undefined
  /** Faults in its words, where the format has others: see `WireKit.errors`. */
  readonly errors?: readonly WireError[] | undefined
  /** Scenarios for which it has no words, beside those of the format: see `NoWords`. */
  readonly noWords?: Readonly<Record<string, string | undefined>> | undefined
}

/** What a provider does not let out although the model said it. */
export interface Withheld {
  readonly rejection: Rejection
  /** What was delivered before it was noticed; streams only. */
  readonly before: ScriptedAnswer
}

/**
 * One provider's side of one wire format, as pure functions. A new wire format is one folder with these functions and
 * one line in `wires/index.ts`. Written from the provider's documentation and from recorded traffic, never from an adapter.
 */
export interface WireSimulation {
  readonly wire: string
  /** Path that stands for the public base URL, for example `/v1`. */
  readonly basePath: string
  /** Path of the endpoint after the base path, for example `/responses`. */
  readonly path: string
  /**
   * For endpoints whose path names the model or the mode: what a path says, as members that the request of `AnswerContext` has beside
   * those of the body; `undefined` for the path of another endpoint. Default: the path is `path` and says nothing.
   */
  readPath?(path: string): JsonObject | undefined
  /** Content type of a streamed answer. Default: that of server-sent events. */
  readonly streamType?: string | undefined
  /** The provider's classes of error for a wrong path and for faults of its own. */
  readonly errorTypes: { readonly notFound: string; readonly server: string }
  /**
   * Checks credentials and other required headers; names are lower case. With `apiKey` any other key is refused;
   * without it every key that is not empty is good.
   *
   * @param request what a signature is of
   */
  authorise(
    headers: Readonly<Record<string, string>>,
    apiKey?: string,
    request?: SimulatedRequest,
  ): Rejection | undefined
  /**
   * Refuses what the provider would refuse. Without `memory` nothing is known about earlier answers: continuation ids are taken
   * on trust and opaque payloads (signatures, encrypted content) are checked for their form only.
   *
   * @param named what `readPath` gave
   */
  check(body: unknown, memory?: Memory, named?: JsonObject): Rejection | undefined
  /** All providers that speak this format. The first one is the one that is played unless a host names another. */
  readonly dialects: readonly SimulatedDialect[]
  /** Whether a checked body asks for an event stream. */
  isStream(request: JsonObject): boolean
  answerJson(answer: ScriptedAnswer, context: AnswerContext): JsonObject
  answerStream(answer: ScriptedAnswer, context: AnswerContext): StreamedAnswer<Body>
  /** For providers that check what the model says before they let it out. Default: everything is let out. */
  withhold?(answer: ScriptedAnswer, context: AnswerContext): Withheld | undefined
  /** The provider's status, words and headers for a fault. */
  failure(kind: FailureKind, context: AnswerContext): Rejection
  /** The body of a fault inside a 200: not streamed. */
  failureJson(rejection: Rejection, context: AnswerContext): JsonObject
  /** The body of a fault that is streamed, after the content of `before`. */
  failureStream(rejection: Rejection, before: ScriptedAnswer, context: AnswerContext): readonly Body[]
  /** The provider's error shape. */
  errorBody(rejection: Rejection, requestNumber: number): JsonObject
  /** Response headers beside content type: request id, rate limits, timing. `requestNumber` counts from 1. */
  headers(requestNumber: number): Readonly<Record<string, string>>
  /** Keeps what later requests may refer to. */
  remember?(request: JsonObject, answer: JsonObject, memory: Memory): void
}
