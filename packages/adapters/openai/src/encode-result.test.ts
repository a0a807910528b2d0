import type { ToolOutput } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { outputItem } from './hosted-items.ts'
import { origin } from './testing.ts'

const text: ToolOutput = { type: 'text', value: 'done' }

function itemFor(output: ToolOutput, call?: Record<string, unknown>): unknown {
  return outputItem(output, 'c', call, origin)
}

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

test.each([
  [{ output: [{ stdout: 'A' }] }, [{ stdout: 'A' }]],
  [{ output: 'A' }, [{ stdout: '{"output":"A"}' }]],
])('the answer %j to a shell is what it ran to', (value, output) => {
  expect(itemFor({ type: 'json', value }, { type: 'shell_call' })).toMatchObject({ output })
})

test.each([
  ['computer_call', { image_url: 'https://a.example/1' }, { output: { image_url: 'https://a.example/1' } }],
  ['mcp_approval_request', { approve: true, reason: 'ok' }, { approval_request_id: 'c', approve: true, reason: 'ok' }],
  [
    'tool_search_call',
    { tools: [{ type: 'function' }] },
    { type: 'tool_search_output', tools: [{ type: 'function' }] },
  ],
])('the answer to a %s has what is given as JSON: %j', (type, value, sent) => {
  expect(itemFor({ type: 'json', value }, { type, execution: 'client' })).toMatchObject(sent)
})

test('the answer to a computer call is the picture in it, wherever it stands', () => {
  const image = { type: 'file', mediaType: 'image/png', data: 'aW1n' } as const
  const answer = itemFor(
    { type: 'content', value: [{ type: 'text', text: 'Look:' }, image] },
    { type: 'computer_call' },
  )
  expect(answer).toMatchObject({ output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,aW1n' } })
})
