import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import type { WireFormat } from '../contract/wire-format.ts'
import { defineHttpAdapter } from './define-http-adapter.ts'

const wire: WireFormat = {
  name: 'silent',
  framing: 'sse',
  encode: () => ({ path: '/', body: '{}', warnings: [] }),
  decode: () => undefined,
  createDecoder: () => ({ push: () => undefined, end: () => undefined }),
  decodeError: () => ({ code: 'unknown' }),
}

/** The error of a turn that has this `fetch` and this signal. */
async function errorOf(fetch: typeof globalThis.fetch, signal: AbortSignal): Promise<unknown> {
  const origin = { provider: 'toy', model: 'toy-1', capabilities: {} }
  const adapter = defineHttpAdapter(wire, { ...origin, baseURL: 'https://api.example.com', apiKey: 'key', fetch })
  try {
    for await (const batch of adapter.turn({ messages: [], turn: 0 }, { mode: 'stream', signal })) void batch
  } catch (error) {
    return error
  }
  return undefined
}

test('an abort before the turn makes no request', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>()
  expect(await errorOf(fetch, AbortSignal.abort())).toMatchObject({ code: 'aborted', retryable: false })
  expect(fetch).not.toHaveBeenCalled()
})

test('an abort in the middle of a stream is `aborted`, and a timeout signal is `timeout`', async () => {
  const controller = new AbortController()
  const fetch: typeof globalThis.fetch = (_url, init) => {
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        init?.signal?.addEventListener('abort', () => stream.error(init.signal?.reason))
        queueMicrotask(() => controller.abort(new DOMException('late', 'TimeoutError')))
      },
    })
    return Promise.resolve(new Response(body))
  }
  expect(await errorOf(fetch, controller.signal)).toMatchObject({ code: 'timeout' })
})

test('an adapter keeps nothing of a request that is over', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const bodies: WeakRef<object>[] = []
  const encode: WireFormat['encode'] = () => {
    // Of a text nobody can tell whether it is still there.
    const body = {}
    bodies.push(new WeakRef(body))
    return { path: '/', body: body as never, warnings: [] }
  }
  const origin = { provider: 'toy', model: 'toy-1', capabilities: {}, baseURL: 'https://api.example.com' }
  const fetch: typeof globalThis.fetch = () => Promise.resolve(new Response('data: x\n\n'))
  const adapter = defineHttpAdapter({ ...wire, encode }, { ...origin, apiKey: 'key', fetch })
  for (const turn of [0, 1])
    for await (const batch of adapter.turn({ messages: [], turn }, { mode: 'stream' })) void batch
  await vi.waitFor(() => {
    collect()
    expect(bodies.map((body) => body.deref() === undefined)).toEqual([true, true])
  })
  expect(adapter.model).toBe('toy-1')
})
