import type { AssistantPart, ToolDefinition } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { origin, readStream, readWhole, requestOf, responseOf } from './testing.ts'

function partsOf(output: readonly object[], tools?: readonly ToolDefinition[]): readonly AssistantPart[] {
  return readWhole(responseOf(output), requestOf({ tools })).turn.message.content
}

const textItem = (content: object) => ({ type: 'message', id: 'msg_1', role: 'assistant', content: [content] })

test.each([
  ['custom_tool_call', { call_id: 'c', name: 'sql', input: 'SELECT 1' }, { input: 'SELECT 1' }, 'sql'],
  ['custom_tool_call', { call_id: 'c', name: 'sql' }, { input: '' }, 'sql'],
  [
    'local_shell_call',
    { call_id: 'c', action: { type: 'exec', command: ['ls'] } },
    { type: 'exec', command: ['ls'] },
    'local_shell',
  ],
  ['shell_call', { call_id: 'c', action: { commands: ['ls'] } }, { commands: ['ls'] }, 'shell'],
  ['shell_call', { call_id: 'c', action: { commands: [] }, environment: { type: 'local' } }, { commands: [] }, 'shell'],
  [
    'apply_patch_call',
    { call_id: 'c', operation: { type: 'delete_file', path: 'a' } },
    { type: 'delete_file', path: 'a' },
    'apply_patch',
  ],
  [
    'computer_call',
    { call_id: 'c', action: { type: 'wait' }, pending_safety_checks: [] },
    { action: { type: 'wait' }, pending_safety_checks: [] },
    'computer',
  ],
  ['computer_call', { call_id: 'c', actions: [{ type: 'wait' }] }, { actions: [{ type: 'wait' }] }, 'computer'],
  [
    'tool_search_call',
    { call_id: 'c', execution: 'client', arguments: { queries: ['x'] } },
    { queries: ['x'] },
    'tool_search',
  ],
])('a call that is no function call: %s waits for the caller', (type, fields, input, toolName) => {
  const { turn } = readWhole(responseOf([{ type, id: 'item_1', status: 'completed', ...fields }]))
  expect(turn.message.content).toMatchObject([{ type: 'tool-call', toolCallId: 'c', owner: 'client', toolName, input }])
  expect(turn.finishReason).toBe('tool-calls')
})

test('a call that is no function call: streams free text of a custom tool as it comes', () => {
  const item = { type: 'custom_tool_call', id: 'ct_1', call_id: 'c', name: 'sql', input: 'SELECT 1' }
  const { events } = readStream([
    { type: 'response.output_item.added', output_index: 0, item: { ...item, input: '' } },
    { type: 'response.custom_tool_call_input.delta', output_index: 0, delta: 'SELECT' },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: responseOf([item]) },
  ])
  const call = { part: 0, toolCallId: 'c' }
  const { input: _, ...kept } = item
  expect(events.slice(1, -1)).toEqual([
    { type: 'tool-call-start', ...call, toolName: 'sql', owner: 'client' },
    { type: 'tool-call-delta', ...call, inputText: 'SELECT' },
    { type: 'tool-call-delta', ...call, inputText: ' 1' },
    {
      type: 'tool-call',
      ...call,
      toolName: 'sql',
      owner: 'client',
      input: { input: 'SELECT 1' },
      inputText: 'SELECT 1',
      // The text itself is in the part, and kept there alone.
      providerMetadata: { ...origin, data: { item: kept } },
    },
  ])
})

test('a call that is no function call is truncated when the provider calls it incomplete', () => {
  const item = { type: 'shell_call', id: 'sh_1', call_id: 'c', status: 'incomplete', action: { commands: ['rm -r'] } }
  expect(partsOf([item])).toMatchObject([{ type: 'tool-call', invalid: 'truncated', input: undefined }])
})

test('an approval that an MCP server asks for is a call for the client, with what is to be approved', () => {
  const asked = { server_label: 'zip1', name: 'shorten', arguments: '{"url":"u"}' }
  expect(partsOf([{ type: 'mcp_approval_request', id: 'mcpr_1', ...asked }])).toMatchObject([
    { type: 'tool-call', toolCallId: 'mcpr_1', toolName: 'mcp_approval_request', owner: 'client', input: asked },
  ])
})

test('results of hosted calls follow their call: from its own item, or from the item that names it', () => {
  const parts = partsOf(
    [
      { type: 'mcp_call', id: 'mcp_1', name: 'ask', arguments: '{}', output: 'yes', error: null },
      { type: 'tool_search_call', id: 'tsc_1', call_id: null, execution: 'server', arguments: {} },
      { type: 'tool_search_output', id: 'tso_1', call_id: null, tools: [{ type: 'function', name: 'a' }] },
      { type: 'tool_search_call', id: 'tsc_2', call_id: null, execution: 'server', arguments: {} },
      { type: 'tool_search_output', id: 'tso_2', call_id: null, tools: [] },
      { type: 'program_output', id: 'cmo_1', call_id: 'call_earlier', result: 'done' },
      { type: 'shell_call_output', id: 'so_1', call_id: 'sh_1', output: [{ stdout: 'a' }] },
      { type: 'program_output', id: 'cmo_2', call_id: 'call_silent' },
      { type: 'mcp_call', id: 'mcp_2', name: 'ask', arguments: '{}' },
    ],
    [{ type: 'provider', provider: 'openai', name: 'finder', definition: { type: 'tool_search' } }],
  )
  const results = parts.flatMap((part) =>
    part.type === 'tool-result' ? [[part.toolCallId, part.toolName, part.output.value]] : [],
  )
  expect(results).toEqual([
    ['mcp_1', 'ask', 'yes'],
    ['tsc_1', 'finder', { tools: [{ type: 'function', name: 'a' }] }],
    ['tsc_2', 'finder', { tools: [] }],
    ['call_earlier', 'program', 'done'],
    ['sh_1', 'shell', { output: [{ stdout: 'a' }] }],
    ['call_silent', 'program', ''],
    ['mcp_2', 'ask', ''],
  ])
})

test.each([
  ['web_search_call', { action: { type: 'search', query: 'q', sources: [{ url: 'u' }] } }, { sources: [{ url: 'u' }] }],
  ['file_search_call', { queries: ['q'], results: [{ file_id: 'f' }] }, { results: [{ file_id: 'f' }] }],
  [
    'code_interpreter_call',
    { code: '1', container_id: 'k', outputs: [{ type: 'logs' }] },
    { outputs: [{ type: 'logs' }] },
    { code: '1', container_id: 'k' },
  ],
  ['x_search_call', { name: 'x_keyword_search', arguments: '{}', output: 'found' }, { output: 'found' }],
])(
  'results of hosted calls stand in the item of %s, beside its status',
  (type, fields, reported, input: object = {}) => {
    const [call, result] = partsOf([{ type, id: 'item_1', status: 'completed', ...fields }])
    expect(call).toMatchObject({ type: 'tool-call', toolCallId: 'item_1', owner: 'provider', input })
    expect(result).toMatchObject({
      type: 'tool-result',
      toolCallId: 'item_1',
      output: { type: 'json', value: { status: 'completed', ...reported } },
    })
  },
)

test('results of hosted calls: an image is a file beside its call, also when a message began before the image was done', () => {
  const image = {
    type: 'image_generation_call',
    id: 'ig_1',
    status: 'completed',
    output_format: 'jpeg',
    result: 'aW1n',
  }
  const text = textItem({ type: 'output_text', text: 'Here.' })
  const { turn } = readStream([
    { type: 'response.output_item.added', output_index: 0, item: { ...image, result: null } },
    { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Here.' },
    { type: 'response.output_item.done', output_index: 0, item: image },
    { type: 'response.completed', response: responseOf([image, text]) },
  ])
  expect(turn.message.content.map((part) => part.type)).toEqual(['tool-call', 'tool-result', 'file', 'text'])
  const { result: _result, ...kept } = image
  // The picture is in the file, and kept there alone.
  expect(turn.message.content[0]).toHaveProperty('providerMetadata.data', { item: kept })
  expect(turn.message.content[1]).toMatchObject({ output: { type: 'json', value: { status: 'completed' } } })
  expect(turn.message.content[2]).toMatchObject({ mediaType: 'image/jpeg', data: 'aW1n' })
  const { output_format: _, ...plain } = image
  expect(partsOf([plain])[2]).toMatchObject({ mediaType: 'image/png' })
})
