import { expect, test } from 'vitest'
import type { Adapter, TurnEvent } from '../../contract/adapter.ts'
import type { WireFormat } from '../../contract/wire-format.ts'
import { defineHttpAdapter } from '../../http/define-http-adapter.ts'
import { StepLoop } from '../../loop/step-loop.ts'
import { scriptedAdapter } from '../../testing/index.ts'

const end: TurnEvent = { type: 'turn-end', finishReason: 'stop' }

test('a turn that has ended lets go of its connection, although the server keeps it open', async () => {
  const wire: WireFormat = {
    name: 'toy',
    framing: 'sse',
    encode: () => ({ path: '/', body: '{}', warnings: [] }),
    decode: () => undefined,
    createDecoder: () => ({ push: (_frame, out) => void out.push(end), end: () => undefined }),
    decodeError: () => ({ code: 'server-error' }),
  }
  const left = Promise.withResolvers<string>()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: a\n\n')),
    cancel: () => left.resolve('left'),
  })
  const fetch: typeof globalThis.fetch = () =>
    Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  const options = { provider: 'toy', model: 'toy-1', capabilities: {}, baseURL: 'https://api.example.com' }
  const model = defineHttpAdapter(wire, { ...options, apiKey: 'key-1234', fetch })
  expect(await new StepLoop({ model }).generate('x')).toMatchObject({ status: 'completed' })
  expect(await left.promise).toBe('left')
})

/** A run over an iterator whose first result is `first`, and whether the run left it. */
function play(first: () => Promise<IteratorResult<readonly TurnEvent[]>>) {
  const left: true[] = []
  const iterator: AsyncIterator<readonly TurnEvent[]> = {
    next: first,
    return: () => (left.push(true), Promise.resolve({ done: true, value: undefined })),
  }
  const model: Adapter = { ...scriptedAdapter([]), turn: () => ({ [Symbol.asyncIterator]: () => iterator }) }
  return { left, run: new StepLoop({ model }).generate('x') }
}

test.each<[string, () => Promise<IteratorResult<readonly TurnEvent[]>>, string]>([
  [
    'throws before it gives a promise',
    () => {
      throw new Error('odd iterator')
    },
    'turn-failed',
  ],
  [
    'gives what breaks its contract',
    () => Promise.resolve({ value: [{ ...end, type: 'text-delta', part: -1, text: '' }] }),
    'adapter-contract',
  ],
])('an iterator that %s ends its run, and is left', async (_what, first, code) => {
  const { left, run } = play(first)
  await expect(run).rejects.toMatchObject({ code })
  expect(left).toEqual([true])
})
