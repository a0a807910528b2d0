import type { Exchange } from '@steploop/cassette'
import type { StreamFraming } from '@steploop/cassette/import'
import type { JsonObject } from '@steploop/core/adapter'
import type { Scenario } from '../scenario.ts'
import type { Conversation } from './read/conversation.ts'
import type { WireQuirk } from './variants/quirk.ts'
import type { RequestView } from '../request-view.ts'
import type { ResponseView } from './read/response-view.ts'
import type { Freedom } from './read/payload-types.ts'
import type { WireSimulation } from './simulate/wire-simulation.ts'
import type { StreamRewrite } from './variants/stream-rewrite.ts'
import type { WireError } from './simulate/wire-error.ts'
import type { WireMutation } from './variants/wire-mutation.ts'

/**
 * All that the suite knows of one wire format. A new format is one folder, whose `index.ts` gives this, and one line in `wires/index.ts`.
 *
 * It is written from the provider's documentation and from recorded traffic, never from an adapter. Simulator, readers and the evidence of
 * an end stay in files of their own that share no parsing: they judge each other. Only `name` and `detect` have to be there; what is left
 * out is not known, and what would need it does not apply.
 */
export interface WireKit {
  /** What `Subject.wire` says; also the name of the folder. */
  readonly name: string
  /** Tells the format in recorded traffic. */
  readonly detect: Detection

  /** Plays the providers that speak it, dialect by dialect, and refuses what they would refuse. */
  readonly simulation?: WireSimulation | undefined
  /** A request body as a neutral conversation, for the checks. */
  readonly readRequest?: ((body: unknown) => RequestView) | undefined
  /** The payloads of one response, one for `generate`, one per event of a stream, as a person reads them. */
  readonly readResponse?: ((payloads: readonly JsonObject[]) => ResponseView) | undefined
  /** A request body with all that is needed to have the loop say it again, for recorded conversations. */
  readonly readConversation?: ((body: JsonObject) => Omit<Conversation, 'opaque'>) | undefined

  /** How payloads stand in a stream. Default: server-sent events without names. Messages of AWS's event stream tell themselves. */
  readonly framing?: StreamFraming | undefined
  /** Whether an event of a stream proves that the turn ended. Without it no cut of a stream can be judged. */
  readonly isTerminal?: ((event: ScannedEvent) => boolean) | undefined
  /** Behind that event more of the turn may come, so that the end of the bytes is waited for. Default false. */
  readonly moreMayFollow?: boolean | undefined
  /** The kinds of event that a payload without a `type` stands for, in order; empty members say nothing. Default: `message`. */
  readonly eventLabels?: ((payload: JsonObject) => readonly string[]) | undefined
  /** Ends of the paths of what belongs to the application, not to the format. Default: echoes of tools and schemas. */
  readonly freedom?: Freedom | undefined

  readonly samples?: WireSamples | undefined
  /** Call ids that it takes; a dialect may take others. Default: any that is not empty. */
  readonly legalId?: RegExp | undefined
  /** Changes of what a provider sends, for the stressors `tolerate` and `refuse`. Default: none are known. */
  readonly mutations?: readonly WireMutation[] | undefined
  /** Faults in the words of the provider, for the stressor `errors`. Default: none are known. */
  readonly errors?: readonly WireError[] | undefined
  /** Other ways in which servers put the same calls into a stream, for the stressor `fragments`. Default: there is one way. */
  readonly callFragments?: readonly StreamRewrite[] | undefined
  /** What real servers send and a tidy simulator does not. */
  readonly quirks?: readonly (WireQuirk | Scenario)[] | undefined
  /** Scenarios for which it has no words; a dialect may have others. */
  readonly noWords?: NoWords | undefined
  /** Scenarios that recorded conversations of real providers show too (docs/traffic.md). */
  readonly shownOnTraffic?: readonly string[] | undefined

  /** What a recorded exchange left behind at the provider, for it to be deleted; gets the payloads of the response too. Default: nothing. */
  readonly storedObject?:
    | ((exchange: Exchange, payloads: readonly JsonObject[]) => StoredObject | undefined)
    | undefined
  /** Whose format it is, where a recording does not tell. */
  readonly provider?: string | undefined
  /** The address of a turn, for recordings that kept only responses. */
  readonly usualUrl?: ((turn: UsualTurn) => string) | undefined
  /** The body of a question, for fixtures that are in no wire format. */
  readonly question?: ((question: Question) => JsonObject) | undefined
}

/** Why there are no words for a scenario, by its id, alone or with `/<mode>`, which wins. `undefined`: there are, whatever the format says. */
export type NoWords = Readonly<Record<string, string | undefined>>

export interface Detection {
  /** Whether a turn is asked for under this path, in this body. */
  readonly isEndpoint: (path: string, body: unknown) => boolean
  /** Whether a path is that of what an endpoint made earlier, and so no turn. Default: there are none. */
  readonly isPart?: ((path: string) => boolean) | undefined
  /** Whether a path asks for a stream. Default: the body's `stream` tells. */
  readonly asksForStream?: ((path: string) => boolean) | undefined
  /** Whether a payload of a response is one of its own. */
  readonly isPayload?: ((payload: JsonObject, type: string) => boolean) | undefined
  /** The model that a URL names. Default: the body's `model`. */
  readonly modelOf?: ((url: string) => string | undefined) | undefined
  /** Names that recorders use for it. A provider's name stands for the format of its usual endpoint. */
  readonly recordedAs?: readonly string[] | undefined
}

/** One event of a recorded stream. */
export interface ScannedEvent {
  /** Empty where the data is no JSON object. */
  readonly payload: JsonObject
  /** The payload's own type, otherwise the event's name, otherwise empty. */
  readonly type: string
  readonly data: string
}

/** What is legal everywhere, for the scenarios; a subject may have its own. */
export interface WireSamples {
  /** Options of the provider that change nothing else. */
  readonly options?: JsonObject | undefined
  /** Declarations of a search and of a place to run code, both of the provider's own, by handle. */
  readonly providerTools?: Readonly<Record<string, JsonObject>> | undefined
  /** A text that the simulator puts beside calls that the provider ran itself, and that has to come back with them. */
  readonly rider?: string | undefined
  /** Options of the provider that turn its prompt cache on. */
  readonly cacheOptions?: JsonObject | undefined
}

/** An object that a recording left behind at the provider. */
export interface StoredObject {
  readonly id: string
  /** Where it can be deleted, under the public base URL. */
  readonly url: string
}

export interface UsualTurn {
  /** Base URL of the provider, where it is known. */
  readonly base: string
  readonly model: string
  readonly isStream: boolean
}

export interface Question {
  readonly model: string
  readonly system: string | undefined
  readonly user: string
  readonly isStream: boolean
}
