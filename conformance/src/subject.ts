import type { Adapter, Capabilities, Mode } from '@steploop/core'
import type { MakeLoop } from './loop.ts'
import type { Prices } from './prices.ts'
import type { ScriptedAnswer, ScriptedFailure } from './script.ts'
import type { ProviderPlay, SimulatedProvider } from './provider-script.ts'
import type { RequestView } from './request-view.ts'

/** What a subject's factory is called with. The harness always injects `fetch` and a key that is no secret. */
export interface SubjectAdapterOptions {
  readonly fetch?: typeof fetch | undefined
  readonly apiKey?: string | undefined
  readonly baseURL?: string | undefined
  /** Go with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Default: `Subject.model`. */
  readonly model?: string | undefined
}

/** What is under test: all that an adapter author exports. */
export interface Subject {
  /** First part of every check address, and the name of the cassette folder: lower case, digits and dashes. */
  readonly name: string
  /** The wire format that it speaks, for example `openai-chat`; picks the simulator and the traffic that it decodes. */
  readonly wire: string
  /** Model id that the scenarios use. */
  readonly model: string
  /** Other models of the adapter whose requests differ: the stressor `requests` asks them for what is asked of `model`. Default: none. */
  readonly models?: readonly string[] | undefined
  /** Public base URL: cassettes hold it, whatever server a recording was made from. */
  readonly baseURL: string
  readonly adapter: (options: SubjectAdapterOptions) => Adapter
  /** Makes the loop that the scenarios drive, where something is built around it. Default: `new StepLoop(options)`. */
  readonly loop?: MakeLoop | undefined
  /** Folder with `<scenario>.<mode>.yaml`; a `file:` URL or a path from the current directory. */
  readonly cassettes: string | URL
  /**
   * Folder of the package in which the adapter is published, for claims: a `file:` URL, or a path from the config's folder. Default: the
   * config's folder. The nearest `package.json` upward that has a name and a version counts.
   */
  readonly package?: string | URL | undefined
  /** Environment variable that holds the key when recording live. */
  readonly apiKeyVariable?: string | undefined
  /** What the provider bills for `model`, for the estimate of `steploop record`. Default: the cost is unknown. */
  readonly prices?: Prices | undefined
  /** Hosts (suffixes) whose recorded traffic this subject decodes; others of its wire format fall to the subject without `hosts`. */
  readonly hosts?: readonly string[] | undefined
  /**
   * Legal options of this provider that change nothing else, for the scenario `provider-options`. Default: those of its wire format.
   */
  readonly sampleOptions?: Readonly<Record<string, unknown>> | undefined
  /** Ids of the scenarios that it runs, for another endpoint of a provider that another subject tests whole. Default: all that exist for it. */
  readonly scenarios?: readonly string[] | undefined
  /**
   * Groups of scenarios that only those play who name them. `openai-chat/any-server`: what was seen at servers of Chat Completions that
   * nobody can tell by their address. Default: none.
   */
  readonly scopes?: readonly string[] | undefined
  /**
   * Why the provider lacks a capability that the adapter does not declare, each with its source (a page of the provider, or a
   * heading of docs/wire.md): reports give the reason beside `not-applicable`.
   */
  readonly limits?: Readonly<Partial<Record<keyof Capabilities, string>>> | undefined
  /** Why its wire format is not verified: fewer than ten recorded turns. Reports print it as "unverified by traffic". */
  readonly unverified?: string | undefined
  /**
   * Declarations of a search and of a place to run code that this provider runs itself, by handle, for the scenarios of provider tools.
   * Default: those of its wire format.
   */
  readonly providerTools?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
  /**
   * Frames of its streams bear checksums, so that a damaged one has to be an error: the stressor `checksum` flips bits. Default: of responses
   * of the type `application/vnd.amazon.eventstream`, whose frames do.
   */
  readonly checksums?: boolean | undefined
  /** Options of this provider that turn prompt caching on, for the scenario `prompt-cache`. Default: those of its wire format. */
  readonly cacheOptions?: Readonly<Record<string, unknown>> | undefined
  /** Options of this provider that make it keep answers, so that a turn may go on from one: `continuation`. Default: `{ store: true }`. */
  readonly storeOptions?: Readonly<Record<string, unknown>> | undefined
  /**
   * What cannot be shown over this provider, each with the reason: scenarios by id, and single checks as `<scenario>#<check>`, or
   * `*#<check>` in all scenarios. Reported as not applicable.
   */
  readonly noWordsFor?: Readonly<Record<string, string>> | undefined
  /**
   * Claims that nothing shows here, because another subject of the same adapter shows them: without this, a claim whose scenario stands in
   * `noWordsFor` is red.
   */
  readonly shownElsewhere?: readonly (keyof Capabilities)[] | undefined
  /** Deviations from the shared golden skeletons, by scenario id, each with its reason. */
  readonly quirks?: Readonly<Record<string, Quirk>> | undefined
  /**
   * Plays the provider, for a wire format that the suite does not speak: `steploop record --simulator` records from it. Called once for each
   * play of a scenario; see `SimulatedProvider`. The tools that a request offers are those that `readRequest` sees, or what stands under a member
   * `tools` or `functions`; a script whose tool was sent in other words is refused.
   */
  readonly simulate?: ((play: ProviderPlay) => SimulatedProvider) | undefined
  /**
   * Matches what the provider takes as the name of a tool, where that is less than letters, digits and `_` from a letter on: other names may, and
   * have to, be changed. A simulator is then told the names that the request declares.
   */
  readonly toolNames?: RegExp | undefined
  /** Reads a request body as a conversation, so that the checks of requests apply. Default: the suite's reader of the wire format. */
  readonly readRequest?: ((body: unknown) => RequestView) | undefined
  /** Names of request headers that cassettes hold beside the usual ones. Credentials and cookies never stand in one. */
  readonly requestHeaders?: readonly string[] | undefined
  /** Names of response headers that the adapter reads, and that cassettes hold beside the usual ones. */
  readonly responseHeaders?: readonly string[] | undefined
  /** Set for an adapter that speaks no HTTP, in place of cassettes: see `ScriptedSubject`. */
  readonly turnScript?: ((script: TurnScript) => Adapter) | undefined
}

/**
 * A subject whose adapter speaks no HTTP. There is nothing to record: `turnScript` makes the adapter over a transport in memory,
 * and that transport answers each request with the next turn of the scenario's script, in words of its own.
 *
 * What a script leaves open: `rate-limited` asks for a pause of one second, other failures for none; a provider's message must not be empty.
 * Checks that look into requests, and stressors that change bytes, do not apply.
 */
export interface ScriptedSubject extends Pick<
  Subject,
  | 'name'
  | 'wire'
  | 'model'
  | 'package'
  | 'sampleOptions'
  | 'scenarios'
  | 'limits'
  | 'noWordsFor'
  | 'unverified'
  | 'quirks'
> {
  readonly turnScript: (script: TurnScript) => Adapter
}

/** A scenario's script while it is played. All adapters of one play share it. */
export interface TurnScript {
  readonly mode: Mode
  readonly model: string
  /**
   * The turn that answers the next request. The transport calls it once per request.
   *
   * @throws Error when the script is over: the adapter asks more often than the scenario expects
   */
  readonly next: () => PlayableTurn
}

/** Scenarios that break bytes on the way have other turns too; they are not played from a `turnScript`. */
export type PlayableTurn = ScriptedAnswer | ScriptedFailure

export interface Quirk {
  /** Why this provider differs, with the source of the rule. */
  readonly reason: string
  /** The golden skeleton that holds instead. */
  readonly golden: string
}

/** Checks a subject when it is defined; a wrong one throws a `TypeError` that names the field. */
export function defineSubject(options: Subject | ScriptedSubject): Subject {
  const subject = completed(options)
  const texts = { name: subject.name, wire: subject.wire, model: subject.model, baseURL: subject.baseURL }
  for (const [field, value] of Object.entries(texts)) {
    if (typeof value !== 'string' || value === '') throw new TypeError(`defineSubject: \`${field}\` must be a text`)
  }
  if (!/^[a-z0-9][a-z0-9-]*$/.test(subject.name)) {
    throw new TypeError(`defineSubject: name '${subject.name}' may hold lower case letters, digits and dashes only`)
  }
  if (typeof subject.adapter !== 'function') {
    throw new TypeError(`defineSubject('${subject.name}'): \`adapter\` must be a function that makes the adapter`)
  }
  for (const field of ['simulate', 'readRequest'] as const) {
    if (subject[field] === undefined || typeof subject[field] === 'function') continue
    throw new TypeError(`defineSubject('${subject.name}'): \`${field}\` must be a function`)
  }
  return subject
}

/** A scripted subject has no address and no folder. Its adapter outside of a play shows what it can do, and answers nothing. */
function completed(subject: Subject | ScriptedSubject): Subject {
  if (isComplete(subject)) return subject
  const { turnScript } = subject
  if (typeof turnScript !== 'function') {
    throw new TypeError(`defineSubject('${subject.name}'): \`turnScript\` must be a function that makes the adapter`)
  }
  const next = (): never => {
    throw new Error(`The adapter of '${subject.name}' asks for a turn while no scenario is played`)
  }
  return {
    ...subject,
    baseURL: 'about:blank',
    cassettes: '.',
    adapter: ({ model = subject.model }) => turnScript({ mode: 'stream', model, next }),
  }
}

function isComplete(subject: Subject | ScriptedSubject): subject is Subject {
  return 'adapter' in subject || subject.turnScript === undefined
}
