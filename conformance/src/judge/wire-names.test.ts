import type { FunctionToolDefinition, ToolCallPart } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import type { RequestView } from '../request-view.ts'
import { toolFailures } from './declared-checks.ts'
import { wireNames } from './wire-names.ts'

const inputSchema = { type: 'object' }
const tool: FunctionToolDefinition = { type: 'function', name: 'get_time', inputSchema }
const toolNames = /^[a-z]+$/

function viewOf(...names: readonly string[]): RequestView {
  const tools = names.map((name) => ({ name, description: undefined, inputSchema, strict: false }))
  return {
    head: {},
    tools,
    toolChoice: undefined,
    outputSchema: undefined,
    instructions: undefined,
    items: [{ type: 'call', id: '1', toolName: 'gone', input: {}, path: '' }],
    continuation: undefined,
  }
}

function namedAs(wireName: string, rule?: RegExp): readonly string[] {
  const sent = { view: viewOf(wireName), body: {}, toolNames: rule }
  const turn = { request: { messages: [], tools: [tool], turn: 0 }, error: undefined }
  return toolFailures(sent, turn, []).map(({ message }) => message)
}

test('a tool keeps its name, unless the provider does not take it', () => {
  expect(namedAs('get_time')).toEqual([])
  expect(namedAs('gettime')).toEqual(["the tool 'get_time' is called 'gettime'"])
  expect(namedAs('gettime', toolNames)).toEqual([])
  for (const rule of [/^[a-z_]+$/, /^[a-z_]+$/g])
    expect(namedAs('gettime', rule)).toEqual(["the tool 'get_time' is called 'gettime'"])
  const global = /^[a-z_]+$/g
  expect([namedAs('get_time', global), namedAs('get_time', global)]).toEqual([[], []])
})

test('a name that the provider does not take is red', () => {
  expect(namedAs('get_time', toolNames)).toEqual([
    "the tool 'get_time' is called 'get_time', a name that the provider does not take",
  ])
})

test('a tool that is declared no more may be called otherwise only where its name is not taken', () => {
  const call: Partial<ToolCallPart> = { type: 'tool-call', toolName: 'old_tool', owner: 'client' }
  const request = { messages: [{ role: 'assistant', content: [call as ToolCallPart] }] } as const
  expect(wireNames(request, viewOf(), { toolNames }).get('old_tool')).toBe('gone')
  expect(wireNames(request, viewOf(), {}).get('old_tool')).toBeUndefined()
})
