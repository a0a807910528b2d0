import type { SentRequest } from '../evidence.ts'
import { parsed } from '../json.ts'
import type { RequestView } from '../request-view.ts'
import { PlainHeaders } from './plain-classes.ts'

export interface ObserveFetchOptions {
  readonly fetch: typeof globalThis.fetch
  /** Absent where the wire format cannot be read. */
  readonly read: ((body: unknown) => RequestView | undefined) | undefined
  /** Brings a URL back to the provider's public one, where a front-end has another. */
  readonly publicUrl: (url: string) => string
  readonly onRequest: (request: SentRequest) => void
}

/** Wraps `fetch`: each request is told before it is sent, whatever becomes of it. */
export function observeFetch(options: ObserveFetchOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const facts = await factsOf(input, init)
    options.onRequest(sentRequest({ ...facts, url: options.publicUrl(facts.url) }, options.read))
    return options.fetch(input, init)
  }
}

type Facts = Omit<SentRequest, 'body' | 'view'>

/** What `fetch` is asked for; the body can still be sent. No `Request` is made where none is given: that costs as much as a turn. */
export async function factsOf(...[input, init]: Parameters<typeof fetch>): Promise<Facts> {
  // A Request is read from a copy.
  const request = input instanceof Request ? new Request(input.clone(), init) : undefined
  return {
    method: request?.method ?? init?.method ?? 'GET',
    url: input instanceof Request ? (request?.url ?? input.url) : input.toString(),
    headers: Object.fromEntries(new PlainHeaders(request?.headers ?? init?.headers)),
    text: request === undefined ? await bodyText(init?.body) : await request.text(),
  }
}

/** Most plays are variants, whose requests are not read: a body is parsed when it is read. */
function sentRequest(facts: Facts, read: ObserveFetchOptions['read']): SentRequest {
  let seen: Pick<SentRequest, 'body' | 'view'> | undefined
  const look = (): Pick<SentRequest, 'body' | 'view'> => {
    const body = parsed(facts.text)
    return { body, view: body === undefined ? undefined : read?.(body) }
  }
  return {
    ...facts,
    get body() {
      return (seen ??= look()).body
    },
    get view() {
      return (seen ??= look()).view
    },
  }
}

async function bodyText(body: RequestInit['body'] | undefined): Promise<string> {
  if (typeof body === 'string') return body
  return body === undefined || body === null ? '' : new Response(body).text()
}
