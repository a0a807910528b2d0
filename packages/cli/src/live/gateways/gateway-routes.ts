import type { Subject } from '@steploop/conformance'

/** A way through a gateway: in by one wire format, out by the same or another one. */
export interface Route {
  readonly name: string
  readonly gateway: 'portkey' | 'llms'
  /** Wire format of the adapter. */
  readonly wire: string
  /** The gateway's name of the model. Default: the subject's. */
  readonly model?: string | undefined
  /** Which of its providers Portkey is to ask. */
  readonly provider?: 'openai' | 'anthropic' | undefined
  /** What the gateway cannot be made to show, each with its reason: see `Subject.noWordsFor`. */
  readonly limits: Readonly<Record<string, string>>
}

const losesThoughts = '@musistudio/llms loses the thoughts of llama-server, and thinking ends with a turn that has none'
const passesAny = '@musistudio/llms passes the `any` of Messages on to Chat Completions, which has no such word'

export const routes: readonly Route[] = [
  { name: 'portkey-chat', gateway: 'portkey', wire: 'openai-chat', provider: 'openai', limits: {} },
  { name: 'portkey-responses', gateway: 'portkey', wire: 'openai-responses', provider: 'openai', limits: {} },
  { name: 'portkey-messages', gateway: 'portkey', wire: 'anthropic-messages', provider: 'anthropic', limits: {} },
  {
    name: 'portkey-chat-to-messages',
    gateway: 'portkey',
    wire: 'openai-chat',
    provider: 'anthropic',
    limits: {},
  },
  {
    name: 'llms-messages-to-chat',
    gateway: 'llms',
    wire: 'anthropic-messages',
    model: 'llama,local',
    limits: {
      'tool-choice-required': passesAny,
      'structured-with-tools': passesAny,
      'reasoning-replay#same-builder': losesThoughts,
    },
  },
]

/** For recordings; the gateway listens where there is room. */
const baseURL = 'http://127.0.0.1:8787/v1'

/** A subject whose requests go that way to the server at `upstream`, a URL without a path. */
export function routed(subject: Subject, route: Route, upstream: string): Subject {
  const { provider } = route
  const model = route.model ?? subject.model
  const headers: Readonly<Record<string, string>> =
    provider === undefined ? {} : { 'x-portkey-provider': provider, 'x-portkey-custom-host': `${upstream}/v1` }
  return {
    ...subject,
    name: route.name,
    model,
    baseURL,
    noWordsFor: { ...subject.noWordsFor, ...route.limits },
    adapter: ({ fetch: send = fetch, ...options }) =>
      subject.adapter({
        model,
        baseURL,
        ...options,
        fetch: async (input, init) => {
          const all = new Headers(init?.headers)
          for (const [name, value] of Object.entries(headers)) all.set(name, value)
          return send(input, { ...init, headers: all })
        },
      }),
  }
}
