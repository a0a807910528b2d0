import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { StepLoop } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import { telemetry } from '@steploop/otel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectFake } from '../packages/mcp/test/testing.ts'
import { recordTrace } from './trace-checker.ts'

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
afterAll(() => {
  context.disable()
  trace.disable()
})

const answers: Readonly<Record<string, () => unknown>> = {
  works: () => ({ content: [{ type: 'text', text: 'it went well' }] }),
  fails: () => ({ content: [{ type: 'text', text: 'a secret reason' }], isError: true }),
  breaks: () => Promise.reject(new Error('a secret reason')),
}

test('a tool of MCP that says `isError` has the error `tool_error`, a call that fails on its way has ours', async () => {
  const inputSchema = { type: 'object' }
  const tools = Object.keys(answers).map((name) => ({ name, inputSchema }))
  const call = (name: string): unknown => answers[name]?.()
  const connection = await connectFake({ tools, call }, { approve: 'never' })
  const recorded = recordTrace()
  const calls = Object.keys(answers).map((toolName) => ({ type: 'call', toolName, input: {} }) as const)
  const loop = new StepLoop({
    model: scriptedAdapter([calls, 'done']),
    tools: await connection.tools(),
    policies: [telemetry({ tracerProvider: recorded.provider })],
  })
  await loop.generate('x')
  await connection.close()
  const spans = recorded.begun.filter(({ name }) => name.startsWith('execute_tool'))
  expect(spans.map(({ attributes }) => [attributes['gen_ai.tool.name'], attributes['error.type']])).toEqual([
    ['works', undefined],
    ['fails', 'tool_error'],
    ['breaks', 'tool-failed'],
  ])
  expect(spans.map(({ attributes }) => attributes['mcp.method.name'])).toEqual(spans.map(() => 'tools/call'))
  expect(JSON.stringify(spans.map(({ attributes, status }) => [attributes, status]))).not.toContain('secret')
})
