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
    // A Request is read from a copy, so that its body can still be sent.
    const request = input instanceof Request ? new Request(input.clone(), init) : undefined
    const text = request === undefined ? await bodyText(init?.body) : await request.text()
    const facts = {
      method: request?.method ?? init?.method ?? 'GET',
      url: options.publicUrl(request?.url ?? (input instanceof Request ? input.url : input.toString())),
      headers: Object.fromEntries(new PlainHeaders(request?.headers ?? init?.headers)),
      text,
    }
    options.onRequest(sentRequest(facts, options.read))
    return options.fetch(input, init)
  }
}

/** Most plays are variants, whose requests are not read: a body is parsed when it is read. */
function sentRequest(facts: Omit<SentRequest, 'body' | 'view'>, read: ObserveFetchOptions['read']): SentRequest {
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
