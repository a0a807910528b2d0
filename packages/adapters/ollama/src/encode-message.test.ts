import { expect, test } from 'vitest'
import { AdapterError, type FilePart, type Message, type ToolCallPart, type ToolOutput } from '@steploop/core/adapter'
import { assistant, question, send } from './testing.ts'

const call: ToolCallPart = {
  type: 'tool-call',
  toolCallId: 'call_0_0',
  toolName: 'get_weather',
  input: { city: 'Zürich' },
  inputText: '{"city":"Zürich"}',
  owner: 'loop',
}

const picture: FilePart = { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' }

function result(output: ToolOutput, toolCallId = 'call_0_0'): Message {
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'get_weather', output }] }
}

function codeOf(action: () => unknown): string | undefined {
  try {
    action()
  } catch (error) {
    return AdapterError.isInstance(error) ? error.code : 'another error'
  }
  return undefined
}

test('a user message has one text, and its images beside it as base64', () => {
  const content = [{ type: 'text', text: 'What is' }, picture, { type: 'text', text: 'this?' }] as const
  expect(send({ messages: [{ role: 'user', content }] }).messages).toEqual([
    { role: 'user', content: 'What is\nthis?', images: ['iVBORw0KGgo='] },
  ])
  expect(send({ messages: [{ role: 'user', content: [{ type: 'text', text: 'A' }] }] }).messages).toEqual([
    { role: 'user', content: 'A' },
  ])
})

test.each([
  [{ type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' }, /'image\/png' given as a URL cannot/],
  [{ type: 'file', mediaType: 'application/pdf', data: 'JVBERi0=' }, /'application\/pdf' given as data cannot/],
] as const)('a user message with a file that the API cannot take is refused: %j', (file, message) => {
  const refused = () => send({ messages: [{ role: 'user', content: [file] }] })
  expect(codeOf(refused)).toBe('unsupported')
  expect(refused).toThrow(message)
})

test('what Ollama has no words for is said to be its limit', () => {
  const { messages, warnings } = send({ messages: [question, assistant([{ type: 'refusal', text: 'No.' }])] })
  expect(messages[1]).toEqual({ role: 'assistant', content: 'No.' })
  expect(warnings).toMatchObject([{ type: 'coerced', message: expect.stringMatching(/^Ollama knows/) as unknown }])
})

test('tool results are a message each, named by their tool, in call order', () => {
  const calls = assistant([call, { ...call, toolCallId: 'call_0_1', toolName: 'get_time' }])
  const results: Message = {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'call_0_0',
        toolName: 'get_weather',
        output: { type: 'json', value: { c: 7 } },
      },
      { type: 'tool-result', toolCallId: 'call_0_1', toolName: 'stale', output: { type: 'text', value: '12:34' } },
    ],
  }
  expect(send({ messages: [question, calls, results] }).messages.slice(2)).toEqual([
    { role: 'tool', tool_name: 'get_weather', content: '{"c":7}' },
    { role: 'tool', tool_name: 'get_time', content: '12:34' },
  ])
})

test('tool results may hold images; a text stands in place of other files', () => {
  const value = [{ type: 'text', text: 'See:' }, picture, { ...picture, mediaType: 'application/pdf' }] as const
  const { messages, warnings } = send({ messages: [result({ type: 'content', value })] })
  expect(messages).toEqual([
    {
      role: 'tool',
      tool_name: 'get_weather',
      content: 'See:\n[application/pdf file, not shown]',
      images: ['iVBORw0KGgo='],
    },
  ])
  expect(warnings).toMatchObject([{ type: 'coerced' }])
})
