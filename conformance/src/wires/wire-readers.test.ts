import { expect, test } from 'vitest'
import type { ConversationItem } from './request-view.ts'
import { wireReader } from './wire-readers.ts'

/** One conversation, the way each format writes it. */
const bodies: Record<string, unknown> = {
  'openai-chat': {
    model: 'm',
    tools: [{ type: 'function', function: { name: 'weather' } }],
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Zürich?' }] },
      {
        role: 'assistant',
        content: 'Moment.',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Zürich"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
    ],
  },
  'openai-responses': {
    model: 'm',
    tools: [{ type: 'function', name: 'weather' }],
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Zürich?' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Moment.' }] },
      { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Zürich"}' },
      { type: 'function_call_output', call_id: 'c1', output: 'sunny' },
    ],
  },
  'anthropic-messages': {
    model: 'm',
    tools: [{ name: 'weather' }],
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [
      { role: 'user', content: 'Zürich?' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Moment.' },
          { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Zürich' } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'sunny' }] }],
      },
    ],
  },
}

const withoutPath = ({ path: _path, ...rest }: ConversationItem) => rest

test.each(Object.keys(bodies))('a body of %s reads as the same neutral conversation as the others', (wire) => {
  const view = wireReader(wire)!.read(bodies[wire])
  expect(view.items.map(withoutPath)).toEqual([
    { type: 'user', text: 'Zürich?' },
    { type: 'text', text: 'Moment.' },
    { type: 'call', id: 'c1', toolName: 'weather', input: { city: 'Zürich' } },
    { type: 'result', id: 'c1', text: 'sunny' },
  ])
  expect(view.tools).toEqual(['weather'])
  expect(view.instructions).toBe('Be brief.')
  expect(Object.keys(view.head)).toEqual(['model', 'tools'])
})

test.each(Object.keys(bodies))('each item of %s says where it stands', (wire) => {
  const paths = wireReader(wire)!
    .read(bodies[wire])
    .items.map(({ path }) => path)
  expect(new Set(paths).size).toBeGreaterThanOrEqual(3)
  for (const path of paths) expect(path).toMatch(/^(messages|input)\[\d\]/)
})

test.each([null, 7, 'text', {}, { messages: 'no list', input: 4 }])(
  'a body that is none (%o) reads as empty',
  (body) => {
    for (const wire of Object.keys(bodies)) expect(wireReader(wire)!.read(body).items).toEqual([])
  },
)

test('a format without a reader is said to be unknown', () => {
  expect(wireReader('carrier-pigeon')).toBeUndefined()
})
