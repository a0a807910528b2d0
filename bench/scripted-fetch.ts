/** A `fetch` without network: it gives the answers in order. `readBody`: the request's body is joined into one text, as sending it would. */
export function scriptedFetch(
  answers: readonly (readonly Uint8Array[])[],
  { stream = false, readBody = true }: { stream?: boolean; readBody?: boolean } = {},
): typeof fetch {
  let turn = 0
  const headers = { 'content-type': stream ? 'text/event-stream' : 'application/json' }
  return (_url, init) => {
    const chunks = answers[turn++ % answers.length] ?? []
    if (readBody && typeof init?.body === 'string') Buffer.byteLength(init.body)
    if (!stream) return Promise.resolve(new Response(chunks[0] as BodyInit | undefined, { headers }))
    let next = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = chunks[next++]
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk)
      },
    })
    return Promise.resolve(new Response(body, { headers }))
  }
}
