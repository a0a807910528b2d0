import { afterEach, expect, test } from 'vitest'
import { markCall, traceContext } from './trace-context.ts'

const apiKey = Symbol.for('opentelemetry.js.api.1')
const callKey = Symbol.for('steploop.tool-call')
const before: unknown = Reflect.get(globalThis, apiKey)

afterEach(() => {
  Reflect.set(globalThis, apiKey, before)
})

/** What is said of a call. */
function attributesOf(tell?: () => never): Record<string, unknown> {
  const attributes: Record<string, unknown> = {}
  const take = tell ?? ((given: object): void => void Object.assign(attributes, given))
  const active = { getValue: (key: symbol) => (key === callKey ? take : undefined) }
  Reflect.set(globalThis, apiKey, { version: '1.10.0', context: { active: () => active } })
  markCall({ protocolVersion: '2025-11-25', sessionId: undefined })
  return attributes
}

test('the span of the call says that it went to an MCP server', () => {
  expect(attributesOf()).toEqual({ 'mcp.method.name': 'tools/call', 'mcp.protocol.version': '2025-11-25' })
})

test('telemetry that fails, or is not there, does not matter', () => {
  const broken = (): never => {
    throw new Error('no')
  }
  expect(() => attributesOf(broken)).not.toThrow()
  Reflect.set(globalThis, apiKey, undefined)
  expect(() => markCall({ protocolVersion: undefined, sessionId: undefined })).not.toThrow()
})

test('a propagator that fails, at once or later, does not matter', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  const ways = [() => Promise.reject(new Error('no')), (): never => JSON.parse('no') as never]
  for (const inject of ways) {
    Reflect.set(globalThis, apiKey, { version: '1.10.0', context: { active: () => ({}) }, propagation: { inject } })
    expect(traceContext()).toBeUndefined()
  }
  await new Promise((resolve) => void setTimeout(resolve, 0))
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
