import { expect, test } from 'vitest'
import type { ConversationItem } from './request-view.ts'
import { wireKit } from './index.ts'

const schema = { type: 'object', properties: { city: { type: 'string' } } }

/** One conversation, the way each format writes it. */
const bodies: Record<string, unknown> = {
  'openai-chat': {
    model: 'm',
    tools: [
      { type: 'function', function: { name: 'weather', description: 'Of a city', parameters: schema, strict: true } },
    ],
    response_format: { type: 'json_schema', json_schema: { name: 'report', schema } },
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
    tools: [{ type: 'function', name: 'weather', description: 'Of a city', parameters: schema, strict: true }],
    text: { format: { type: 'json_schema', name: 'report', schema } },
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
    tools: [{ name: 'weather', description: 'Of a city', input_schema: schema, strict: true }],
    output_config: { format: { type: 'json_schema', schema } },
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
  const view = wireKit(wire)!.readRequest!(bodies[wire])
  expect(view.items.map(withoutPath)).toEqual([
    { type: 'user', text: 'Zürich?' },
    { type: 'text', text: 'Moment.' },
    { type: 'call', id: 'c1', toolName: 'weather', input: { city: 'Zürich' } },
    // Only Messages flag results that are failures.
    { type: 'result', id: 'c1', text: 'sunny', ...(wire === 'anthropic-messages' && { isError: false }) },
  ])
  expect(view.tools).toEqual([{ name: 'weather', description: 'Of a city', inputSchema: schema, strict: true }])
  expect(view.outputSchema).toEqual(schema)
  expect(view.instructions).toBe('Be brief.')
  expect(Object.keys(view.head).slice(0, 2)).toEqual(['model', 'tools'])
  expect(Object.keys(view.head)).toHaveLength(3)
})

test.each(Object.keys(bodies))('each item of %s says where it stands', (wire) => {
  const paths = wireKit(wire)!.readRequest!(bodies[wire]).items.map(({ path }) => path)
  expect(new Set(paths).size).toBeGreaterThanOrEqual(3)
  for (const path of paths) expect(path).toMatch(/^(messages|input)\[\d\]/)
})

test.each([null, 7, 'text', {}, { messages: 'no list', input: 4 }])(
  'a body that is none (%o) reads as empty',
  (body) => {
    for (const wire of Object.keys(bodies)) expect(wireKit(wire)!.readRequest!(body).items).toEqual([])
  },
)

test('a format without a reader is said to be unknown', () => {
  expect(wireKit('carrier-pigeon')).toBeUndefined()
})
