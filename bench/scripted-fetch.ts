export interface ScriptedFetchOptions {
  readonly stream?: boolean | undefined
  /** The request's body is joined into one text, as sending it would. Default true. */
  readonly readBody?: boolean | undefined
  /** Gets the milliseconds from the last byte of a streamed answer to the next request. */
  readonly onGap?: ((ms: number) => void) | undefined
}

/** A `fetch` without network: it gives the answers in order. */
export function scriptedFetch(
  answers: readonly (readonly Uint8Array[])[],
  { stream = false, readBody = true, onGap }: ScriptedFetchOptions = {},
): typeof fetch {
  let turn = 0
  let lastByte: number | undefined
  const headers = { 'content-type': stream ? 'text/event-stream' : 'application/json' }
  return (_url, init) => {
    if (lastByte !== undefined && turn % answers.length > 0) onGap?.(performance.now() - lastByte)
    const chunks = answers[turn++ % answers.length] ?? []
    if (readBody && typeof init?.body === 'string') Buffer.byteLength(init.body)
    if (!stream) return Promise.resolve(new Response(chunks[0] as BodyInit | undefined, { headers }))
    let next = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = chunks[next++]
        if (chunk !== undefined) controller.enqueue(chunk)
        else {
          controller.close()
          lastByte = performance.now()
        }
      },
    })
    return Promise.resolve(new Response(body, { headers }))
  }
}
