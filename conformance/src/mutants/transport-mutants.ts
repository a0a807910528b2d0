import { brokenFetch, type Mutant } from './mutant.ts'

const carriageReturn = 0x0d
const blank = 0x20

/** The response with each chunk of its body changed. */
function withChunks(response: Response, change: (chunk: Uint8Array) => Uint8Array): Response {
  if (response.body === null) return response
  const changed = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => controller.enqueue(change(chunk)),
    }),
  )
  return new Response(changed, { status: response.status, headers: response.headers })
}

export const transportMutants: readonly Mutant[] = [
  brokenFetch(
    'utf8-per-chunk',
    'Each chunk is decoded on its own, so characters cut by the network are lost.',
    (correct) => async (input, init) => {
      const response = await correct(input, init)
      return withChunks(response, (chunk) => new TextEncoder().encode(new TextDecoder().decode(chunk)))
    },
  ),
  brokenFetch(
    'split-on-lf-lf',
    'Events are split at two line feeds only, so a stream with CR LF is one long event.',
    (correct) => async (input, init) => {
      const response = await correct(input, init)
      return withChunks(response, (chunk) => chunk.map((byte) => (byte === carriageReturn ? blank : byte)))
    },
  ),
  brokenFetch('changed-header', 'A header of the request is not the recorded one.', (correct) => (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('content-type', 'application/json; charset=latin-1')
    return correct(input, { ...init, headers })
  }),
  brokenFetch('added-field', 'The body has a field that nobody asked for.', (correct) => (input, init) => {
    const body = typeof init?.body === 'string' ? `{"surprise":true,${init.body.slice(1)}` : init?.body
    return correct(input, { ...init, ...(body !== undefined && { body }) })
  }),
]
