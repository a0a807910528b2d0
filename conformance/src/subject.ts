import type { Adapter, Capabilities } from '@steploop/core'

/** What a subject's factory is called with. The harness always injects `fetch` and a key that is no secret. */
export interface SubjectAdapterOptions {
  readonly fetch?: typeof fetch | undefined
  readonly apiKey?: string | undefined
  readonly baseURL?: string | undefined
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
  /** Public base URL: cassettes hold it, whatever server a recording was made from. */
  readonly baseURL: string
  readonly adapter: (options: SubjectAdapterOptions) => Adapter
  /** Folder with `<scenario>.<mode>.yaml`; a `file:` URL or a path from the current directory. */
  readonly cassettes: string | URL
  /** Environment variable that holds the key when recording live. */
  readonly apiKeyVariable?: string | undefined
  /** Hosts (suffixes) whose recorded traffic this subject decodes; others of its wire format fall to the subject without `hosts`. */
  readonly hosts?: readonly string[] | undefined
  /**
   * Legal options of this provider that change nothing else, for the scenario `provider-options`. Default: those of its wire format.
   */
  readonly sampleOptions?: Readonly<Record<string, unknown>> | undefined
  /** Ids of the scenarios that it runs, for a second door to a provider that another subject tests whole. Default: all that exist for it. */
  readonly scenarios?: readonly string[] | undefined
  /**
   * Why the provider lacks a capability that the adapter does not declare, each with its source (a page of the provider, a WIRE number):
   * reports give the reason beside `not-applicable`.
   */
  readonly limits?: Readonly<Partial<Record<keyof Capabilities, string>>> | undefined
  /** Why nobody knows whether its wire format is right: fewer than ten recorded turns. Reports print it as "unverified by traffic". */
  readonly unverified?: string | undefined
  /** What turns prompt caching on, for the scenario `prompt-cache`. Default: what its wire format has. */
  readonly cacheSwitch?: CacheSwitch | undefined
  /** Deviations from the shared golden skeletons, by scenario id, each with its reason. */
  readonly quirks?: Readonly<Record<string, Quirk>> | undefined
}

export interface CacheSwitch {
  /** Options of the provider, as an application gives them. */
  readonly options: Readonly<Record<string, unknown>>
  /** The member that has to be in every body then, at any depth. */
  readonly member: string
}

export interface Quirk {
  /** Why this provider differs, with the source of the rule. */
  readonly reason: string
  /** The golden skeleton that holds instead. */
  readonly golden: string
}

/** Checks a subject when it is defined; a wrong one throws a `TypeError` that names the field. */
export function defineSubject(subject: Subject): Subject {
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
  return subject
}
