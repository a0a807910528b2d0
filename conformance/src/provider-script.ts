import type { ScriptedAnswer, ScriptedFailure, ScriptedLoss, ScriptedUsage } from './script.ts'

/** What a simulator of one's own has to say: see `Subject.simulate`. What breaks on the way is broken by the suite. */
export type SimulatedTurn = SimulatedAnswer | ScriptedFailure | ScriptedLoss

/** What the model says. An object of a schema comes as the call, or as the text, that the request asks for. */
export interface SimulatedAnswer extends Omit<ScriptedAnswer, 'usage' | 'cutAfter'> {
  /** Ordinal of the answer in the conversation, from 1: ids that are made from it are like no other. */
  readonly turn: number
  /** Tokens to tell, which the suite looks for again; 0 for what is not there. Counts that the format has no place for are left out. */
  readonly usage: Readonly<Record<keyof ScriptedUsage, number>>
}

/** What is played. */
export interface ProviderPlay {
  /** Id of the scenario. */
  readonly scenario: string
  /** `Subject.model`. */
  readonly model: string
}

/** A request as it arrived. Header names are lower case. */
export interface SimulatedRequest {
  readonly method: string
  /** Path with the query, after the host. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The body as it came. */
  readonly text: string
}

export interface ProviderRequest extends SimulatedRequest {
  /** The parsed body; `undefined` when it is no JSON. */
  readonly body: unknown
}

/** What goes back: a whole body, or the events of a stream. */
export interface ProviderReply {
  /** HTTP status. Default 200. */
  readonly status?: number | undefined
  /** Default: a `content-type` of JSON, or of server-sent events where there are `frames`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A text or bytes as they are; anything else is sent as JSON. Default: an empty body. */
  readonly body?: unknown
  /** Events of a stream, each as it goes over the wire, in a text framing or a binary one. */
  readonly frames?: readonly (string | Uint8Array)[] | undefined
  /** Index of the first frame that proves the end of the answer; streams that are cut end before it. Default: the last one. */
  readonly terminal?: number | undefined
  /**
   * An event whose payload is no JSON and begins with `{`, for `broken-json`: needed where frames are bytes. Default: made from a frame. The second
   * turn may break what else the format has to keep, such as a count or an end tag: whoever does not look at that is red.
   */
  readonly rubbish?: string | Uint8Array | undefined
}

/**
 * One provider's side of a wire format. Servers learn words that clients of today do not know: put an event or a block of such a kind into the answers.
 *
 * @param next gives the turn of the script that answers the request; to be called once for each request that is not refused. A request that
 * is answered without it is one that the provider refuses, and a recording with one is not written. It throws when the script is over: the
 * adapter asks more often than the scenario expects.
 */
export type SimulatedProvider = (
  request: ProviderRequest,
  next: () => SimulatedTurn,
) => ProviderReply | Promise<ProviderReply>
