import type { AssistantPart, Message, ToolOutput, ProviderMetadata } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { wireToolName } from './names.ts'
import { encoded, model, question } from './testing.ts'

const older = { model: 'gemini-2.5-flash' }

function sent(parts: readonly AssistantPart[], options = {}, provider?: string): unknown {
  const message: Message = { role: 'assistant', content: parts, ...(provider && { provider, model: 'm' }) }
  return encoded({ messages: [question, message] }, options).contents[1]?.['parts']
}

function own(data: unknown): { readonly providerMetadata: ProviderMetadata } {
  return { providerMetadata: { provider: 'gemini', model, data } }
}

function call(toolCallId: string, input: unknown = {}): Extract<AssistantPart, { type: 'tool-call' }> {
  return {
    type: 'tool-call',
    toolCallId,
    toolName: 'weather',
    input,
    inputText: JSON.stringify(input),
    owner: 'client',
  }
}

function conversation(parts: readonly AssistantPart[], output: ToolOutput): Message[] {
  const results = parts.flatMap((part) =>
    part.type === 'tool-call'
      ? [{ type: 'tool-result' as const, toolCallId: part.toolCallId, toolName: part.toolName, output }]
      : [],
  )
  return [question, { role: 'assistant', content: parts }, { role: 'tool', content: results }]
}

const done: ToolOutput = { type: 'text', value: 'Dry.' }

const reasoning = {
  type: 'reasoning',
  text: 'Hm.',
  providerMetadata: { provider: 'other', model: 'm', data: {} },
} as const
const left = (message: string) => ({ type: 'dropped', path: 'messages', message: expect.stringContaining(message) })

test.for<readonly [Message, readonly unknown[], readonly unknown[]]>([
  [
    { role: 'system', content: 'Be brief.' },
    [{ role: 'user', parts: [{ text: '<system>\nBe brief.\n</system>' }] }],
    [{ type: 'coerced', path: 'messages', message: expect.stringContaining('use `instructions`') }],
  ],
  [{ role: 'system', content: ' ' }, [], []],
  [
    { role: 'assistant', content: [{ type: 'refusal', text: 'No.' }] },
    [{ role: 'model', parts: [{ text: 'No.' }] }],
    [],
  ],
  [{ role: 'assistant', content: [{ type: 'text', text: '' }, reasoning] }, [], [left('A reasoning part')]],
  [{ role: 'assistant', content: [{ ...reasoning, text: '' }] }, [], [left('A reasoning part')]],
  [{ role: 'assistant', content: [{ type: 'reasoning', text: '' }] }, [], []],
  [{ role: 'assistant', content: [{ ...reasoning, type: 'opaque' }] }, [], [left('A opaque part')]],
  [
    { role: 'assistant', content: [{ ...call('c'), owner: 'provider' }] },
    [],
    [left('`weather` ran at another provider')],
  ],
  [
    { role: 'assistant', content: [{ type: 'file', mediaType: 'image/png', url: 'gs://a/b' }] },
    [{ role: 'model', parts: [{ fileData: { mimeType: 'image/png', fileUri: 'gs://a/b' } }] }],
    [],
  ],
])('amid a conversation the message %j is sent as what the API takes', ([message, contents, warned]) => {
  const given = encoded({ messages: [question, message] })
  expect(given.contents.slice(1)).toEqual(contents)
  expect(given.warnings).toEqual(warned)
})

test('what the application says of a text, a file and a result goes along', () => {
  const videoMetadata = { fps: 1 }
  const user: Message = {
    role: 'user',
    content: [
      { type: 'text', text: 'Look', ...own({ mediaResolution: 'low' }) },
      { type: 'file', mediaType: 'video/mp4', data: 'eA==', ...own({ videoMetadata }) },
    ],
  }
  const result = {
    type: 'tool-result',
    toolCallId: 'c',
    toolName: 'get weather',
    output: done,
    ...own({ partMetadata: {} }),
  } as const
  const { contents } = encoded({
    messages: [user, { role: 'assistant', content: [call('c')] }, { role: 'tool', content: [result] }],
  })
  expect(contents[0]?.['parts']).toEqual([
    { text: 'Look', mediaResolution: 'low' },
    { inlineData: { mimeType: 'video/mp4', data: 'eA==' }, videoMetadata },
  ])
  const functionResponse = { id: 'c', name: wireToolName('get weather'), response: { output: 'Dry.' } }
  expect(contents[2]?.['parts']).toEqual([{ functionResponse, partMetadata: {} }])
})

test('files of a user message are inline data or a file address', () => {
  const content = [
    { type: 'text' as const, text: 'What is this?' },
    { type: 'file' as const, mediaType: 'image/png', data: 'aW1n' },
    {
      type: 'file' as const,
      mediaType: 'video/mp4',
      url: 'https://v.example/1',
      ...own({ videoMetadata: { fps: 2 } }),
    },
  ]
  expect(encoded({ messages: [{ role: 'user', content }] }).contents[0]).toEqual({
    role: 'user',
    parts: [
      { text: 'What is this?' },
      { inlineData: { mimeType: 'image/png', data: 'aW1n' } },
      { fileData: { mimeType: 'video/mp4', fileUri: 'https://v.example/1' }, videoMetadata: { fps: 2 } },
    ],
  })
})

test('a call that came without an id returns without one, and so does its result', () => {
  const { text } = encoded({ messages: conversation([{ ...call('call_0_0'), ...own({ functionCall: {} }) }], done) })
  expect(text).not.toContain('call_0_0')
})

test('own thoughts return, with their signature where they have one', () => {
  const parts: AssistantPart[] = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'reasoning', text: '', ...own({ thoughtSignature: 's' }) },
  ]
  expect(sent(parts, {}, 'gemini')).toEqual([
    { text: 'Hm.', thought: true },
    { text: '', thought: true, thoughtSignature: 's' },
  ])
})

test('a call with unusable arguments stays in the history with {} and a warning', () => {
  const broken = { ...call('a', undefined), inputText: '{"ci', invalid: 'truncated' as const }
  const { contents, warnings } = encoded({ messages: conversation([broken], done) }, older)
  expect(contents[1]).toMatchObject({ parts: [{ functionCall: { args: {} } }] })
  expect(warnings).toMatchObject([{ type: 'coerced', path: 'messages' }])
})

test.for<readonly [ToolOutput, object]>([
  [{ type: 'json', value: { output: 1, more: 2 } }, { output: { output: 1, more: 2 } }],
  [{ type: 'json', value: { error: 1, more: 2 } }, { output: { error: 1, more: 2 } }],
  [{ type: 'content', value: [{ type: 'text', text: 'Dry.' }] }, { output: 'Dry.' }],
])('the output %j is the response %j', ([output, response]) => {
  const { contents } = encoded({ messages: conversation([call('a')], output) })
  expect(contents[2]?.['parts']).toEqual([{ functionResponse: { id: 'a', name: 'weather', response } }])
})

test('images of a result are parts of the function response where the model takes them', () => {
  const { contents, warnings } = encoded({ messages: conversation([call('a')], picture) })
  expect(contents[2]).toMatchObject({
    parts: [
      {
        functionResponse: {
          response: { output: 'The view:\n[rain.wav of type audio/wav left out]' },
          parts: [
            { inlineData: { mimeType: 'image/png', data: 'aW1n' } },
            { fileData: { mimeType: 'application/pdf', fileUri: 'gs://a/b' } },
          ],
        },
      },
    ],
  })
  expect(warnings).toMatchObject([{ type: 'coerced' }])
})

const picture: ToolOutput = {
  type: 'content',
  value: [
    { type: 'text', text: 'The view:' },
    { type: 'file', mediaType: 'image/png', data: 'aW1n' },
    { type: 'file', mediaType: 'application/pdf', url: 'gs://a/b' },
    { type: 'file', mediaType: 'audio/wav', data: 'd2F2', filename: 'rain.wav' },
  ],
}

test('a file without a name is called one where a text stands in its place', () => {
  const film: ToolOutput = { type: 'content', value: [{ type: 'file', mediaType: 'video/mp4', data: 'eA==' }] }
  const { contents } = encoded({ messages: conversation([call('a')], film) })
  expect(contents[2]).toMatchObject({
    parts: [{ functionResponse: { response: { output: '[file of type video/mp4 left out]' } } }],
  })
})
