import { afterEach, expect, test } from 'vitest'
import { markCall } from './trace-context.ts'

const apiKey = Symbol.for('opentelemetry.js.api.1')
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN')
const before: unknown = Reflect.get(globalThis, apiKey)

afterEach(() => {
  Reflect.set(globalThis, apiKey, before)
})

/** Marks a call while a span of this operation is active. */
function marked(operation: string, setAttributes?: () => never): Record<string, unknown> {
  const attributes: Record<string, unknown> = { 'gen_ai.operation.name': operation }
  const set = setAttributes ?? ((given: object): void => void Object.assign(attributes, given))
  const active = { getValue: (key: symbol) => (key === spanKey ? { attributes, setAttributes: set } : undefined) }
  Reflect.set(globalThis, apiKey, { version: '1.10.0', context: { active: () => active } })
  markCall({ protocolVersion: '2025-11-25', sessionId: undefined })
  return attributes
}

test('the span of the call says that it went to an MCP server', () => {
  expect(marked('execute_tool')).toEqual({
    'gen_ai.operation.name': 'execute_tool',
    'mcp.method.name': 'tools/call',
    'mcp.protocol.version': '2025-11-25',
  })
})

test('a span of anybody else is left alone, and one that fails does not matter', () => {
  expect(Object.keys(marked('http'))).toEqual(['gen_ai.operation.name'])
  const broken = (): never => {
    throw new Error('no')
  }
  expect(() => marked('execute_tool', broken)).not.toThrow()
  Reflect.set(globalThis, apiKey, undefined)
  expect(() => markCall({ protocolVersion: undefined, sessionId: undefined })).not.toThrow()
})
