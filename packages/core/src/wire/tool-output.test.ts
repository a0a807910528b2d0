import { expect, test } from 'vitest'
import type { ToolOutput } from '../contract/messages.ts'
import { toolOutputText } from './tool-output.ts'

test.each<[ToolOutput, string]>([
  [{ type: 'text', value: 'done "now"' }, 'done "now"'],
  [{ type: 'json', value: { at: [1] } }, '{"at":[1]}'],
  [{ type: 'json', value: undefined }, 'null'],
  [{ type: 'error', value: { code: 'tool-failed', message: 'no' } }, '{"error":{"code":"tool-failed","message":"no"}}'],
  [
    {
      type: 'content',
      value: [
        { type: 'text', text: 'a' },
        { type: 'file', mediaType: 'image/png', data: 'AA==' },
        { type: 'text', text: 'b' },
      ],
    },
    'ab',
  ],
])('an output is one text for formats that take no other: %j', (output, text) => {
  expect(toolOutputText(output)).toBe(text)
})
