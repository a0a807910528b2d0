import type { ToolOutput } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { outputItem } from './hosted-items.ts'
import { origin } from './testing.ts'

const text: ToolOutput = { type: 'text', value: 'done' }
const failure: ToolOutput = { type: 'error', value: { code: 'tool-failed', message: 'Broken.' } }
const json = (value: unknown): ToolOutput => ({ type: 'json', value })
const file = { type: 'file', mediaType: 'image/png', data: 'aW1n' } as const

function itemFor(output: ToolOutput, call?: Record<string, unknown>): unknown {
  return outputItem(output, 'c', call, origin)
}

const answer = (output: unknown) => ({ type: 'function_call_output', call_id: 'c', output })

test('the answer to a function call is one string for text, JSON and errors', () => {
  expect(itemFor(text)).toEqual(answer('done'))
  expect(itemFor(json({ a: [1] }))).toEqual(answer('{"a":[1]}'))
  expect(itemFor(failure)).toEqual(answer('{"error":{"code":"tool-failed","message":"Broken."}}'))
})

test('the answer to a function call is a list where there are files', () => {
  const image = { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,aW1n' }
  const content: ToolOutput = { type: 'content', value: [{ type: 'text', text: 'See' }, file] }
  expect(itemFor(content)).toEqual(answer([{ type: 'input_text', text: 'See' }, image]))
  expect(itemFor({ type: 'content', value: [{ type: 'text', text: 'See' }] })).toEqual(answer('See'))
  expect(itemFor({ type: 'content', value: [file] }, { type: 'custom_tool_call' })).toMatchObject({ output: [image] })
})

test.each(['function_call', 'custom_tool_call', 'shell_call', 'apply_patch_call'])(
  'the answer to a call names the program that made it: %s',
  (type) => {
    const caller = { type: 'program', caller_id: 'p' }
    expect(itemFor(text, { type, caller })).toEqual({ ...(itemFor(text, { type }) as object), caller })
    for (const other of [{ type: 'program' }, { type: 'direct', caller_id: 'p' }]) {
      expect(itemFor(text, { type, caller: other })).not.toHaveProperty('caller')
    }
  },
)

const chunk = { stdout: 'ok', stderr: '', outcome: { type: 'exit', exit_code: 0 } }

test.each([
  ['custom_tool_call', text, { type: 'custom_tool_call_output', call_id: 'c', output: 'done' }],
  ['local_shell_call', text, { type: 'local_shell_call_output', id: 'c', output: 'done' }],
  ['shell_call', json({ output: [chunk] }), { type: 'shell_call_output', call_id: 'c', output: [chunk] }],
  ['shell_call', json([chunk]), { type: 'shell_call_output', call_id: 'c', output: [chunk] }],
  [
    'shell_call',
    json({ output: 'ok' }),
    { type: 'shell_call_output', call_id: 'c', output: [{ ...chunk, stdout: '{"output":"ok"}' }] },
  ],
  ['shell_call', text, { type: 'shell_call_output', call_id: 'c', output: [{ ...chunk, stdout: 'done' }] }],
  ['apply_patch_call', text, { type: 'apply_patch_call_output', call_id: 'c', status: 'completed', output: 'done' }],
  [
    'apply_patch_call',
    json({ status: 'failed', output: 'no' }),
    { type: 'apply_patch_call_output', call_id: 'c', status: 'failed', output: 'no' },
  ],
  [
    'computer_call',
    { type: 'content', value: [file] },
    {
      type: 'computer_call_output',
      call_id: 'c',
      output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,aW1n' },
    },
  ],
  [
    'computer_call',
    {
      type: 'content',
      value: [
        { type: 'text', text: 'See' },
        { ...file, data: undefined, url: 'https://a.example/1' },
      ],
    },
    {
      type: 'computer_call_output',
      call_id: 'c',
      output: { type: 'computer_screenshot', image_url: 'https://a.example/1' },
    },
  ],
  [
    'computer_call',
    json({ image_url: 'https://a.example/1', acknowledged_safety_checks: [{ id: 'sc_1' }] }),
    {
      type: 'computer_call_output',
      call_id: 'c',
      output: { type: 'computer_screenshot', image_url: 'https://a.example/1' },
      acknowledged_safety_checks: [{ id: 'sc_1' }],
    },
  ],
  [
    'apply_patch_call',
    json({ patched: 1 }),
    { type: 'apply_patch_call_output', call_id: 'c', status: 'completed', output: '{"patched":1}' },
  ],
  [
    'tool_search_call',
    json({ tools: [{ type: 'function' }] }),
    {
      type: 'tool_search_output',
      call_id: 'c',
      execution: 'client',
      status: 'completed',
      tools: [{ type: 'function' }],
    },
  ],
  [
    'mcp_approval_request',
    json({ approve: true }),
    { type: 'mcp_approval_response', approval_request_id: 'c', approve: true },
  ],
  [
    'mcp_approval_request',
    json({ approved: true, reason: 'ok' }),
    { type: 'mcp_approval_response', approval_request_id: 'c', approve: true, reason: 'ok' },
  ],
  ['mcp_approval_request', text, { type: 'mcp_approval_response', approval_request_id: 'c', approve: false }],
] as const)('the answer to another call has the type of its kind: %s', (type, output, expected) => {
  expect(itemFor(output, { type })).toEqual(expected)
})

test('the answer to another call has the type of its kind also when the tool failed', () => {
  const message = '{"error":{"code":"tool-failed","message":"Broken."}}'
  expect(itemFor(failure, { type: 'shell_call', action: { max_output_length: 5 } })).toEqual({
    type: 'shell_call_output',
    call_id: 'c',
    output: [{ stdout: '', stderr: message, outcome: { type: 'exit', exit_code: 1 } }],
    max_output_length: 5,
  })
  expect(itemFor(failure, { type: 'apply_patch_call' })).toMatchObject({ status: 'failed' })
  expect(itemFor(failure, { type: 'mcp_approval_request' })).toMatchObject({ approve: false, reason: 'Broken.' })
  expect(itemFor(failure, { type: 'tool_search_call' })).toMatchObject({ tools: [] })
})

test('the answer to another call has the type of its kind acknowledges the safety checks that the call showed', () => {
  const pending_safety_checks = [{ id: 'sc_1' }]
  expect(itemFor(json({ file_id: 'file_1' }), { type: 'computer_call', pending_safety_checks })).toMatchObject({
    output: { type: 'computer_screenshot', file_id: 'file_1' },
    acknowledged_safety_checks: pending_safety_checks,
  })
})
