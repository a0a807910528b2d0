import { createRequire } from 'node:module'
import { Socket } from 'node:net'

interface RequestEvent {
  readonly request: Request
  readonly initiator: unknown
  readonly controller: { readonly respondWith: (response: Response) => void }
}

interface Interceptor {
  readonly apply: () => void
  readonly dispose: () => void
  readonly on: (event: 'request', listener: (event: RequestEvent) => Promise<void>) => void
}

/**
 * Answers HTTP requests that are made neither with the global fetch nor with node:http, such as those of the undici package. MSW's
 * `setupServer` sees them and lets them out to the network (measured with 3.0.5). `answer` gives undefined to let one out.
 *
 * Returns how to stop.
 */
export function answerRawRequests(answer: (request: Request) => Promise<Response | undefined>): () => void {
  HttpInterceptor ??= httpInterceptor()
  const interceptor = new HttpInterceptor()
  interceptor.apply()
  interceptor.on('request', async ({ request, initiator, controller }) => {
    if (!(initiator instanceof Socket)) return
    const response = await answer(request)
    if (response !== undefined) controller.respondWith(response)
  })
  return () => interceptor.dispose()
}

/** Looked up once: that takes longer than to replay a small cassette. */
let HttpInterceptor: (new () => Interceptor) | undefined

// Resolved from MSW, because only MSW's own copy shares the sockets that it has patched.
function httpInterceptor(): new () => Interceptor {
  const fromHere = createRequire(import.meta.url)
  const fromMsw = createRequire(fromHere.resolve('msw/node'))
  const module = fromMsw('@mswjs/interceptors/http') as { HttpRequestInterceptor: new () => Interceptor }
  return module.HttpRequestInterceptor
}
