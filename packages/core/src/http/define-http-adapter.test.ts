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
