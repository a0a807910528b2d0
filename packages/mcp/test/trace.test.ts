import { afterEach, expect, test } from 'vitest'
import { connectScript, play } from './testing.ts'

const key = Symbol.for('opentelemetry.js.api.1')
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

function setTracing(
  inject: (carrier: Record<string, string>, set: (target: object, name: string, value: string) => void) => void,
): void {
  const api = {
    context: { active: () => 'the context' },
    propagation: {
      inject(context: unknown, carrier: Record<string, string>, setter: { set: Parameters<typeof inject>[1] }) {
        expect(context).toBe('the context')
        inject(carrier, setter.set)
      },
    },
  }
  Object.defineProperty(globalThis, key, { value: api, configurable: true })
}

afterEach(() => void Reflect.deleteProperty(globalThis, key))

test('a call takes the active trace along, and has none without a tracer', async () => {
  const server = await connectScript('faulty-server')
  const tools = await server.tools()
  const metaOf = async () =>
    JSON.parse(String((await play(tools, [[{ toolName: 'meta' }]])).outputs[0]?.value)) as Record<string, unknown>
  expect(Object.keys(await metaOf())).toEqual(['progressToken'])
  setTracing((carrier, set) => {
    set(carrier, 'traceparent', traceparent)
    set(carrier, 'baggage', 'user=ada')
  })
  expect(await metaOf()).toEqual({ traceparent, progressToken: expect.anything() })
})
