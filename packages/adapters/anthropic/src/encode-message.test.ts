import {
  type AssistantPart,
  type FilePart,
  type Message,
  type ToolCallPart,
  type ToolOutput,
  type TurnRequest,
  type ProviderMetadata,
} from '@steploop/core/adapter'
import { expect, it } from 'vitest'
import { encoded, sent, origin } from './testing.ts'
import { anthropicMessages } from './wire.ts'

const user: Message = { role: 'user', content: 'Hello' }
const foreign: ProviderMetadata = {
  provider: 'elsewhere',
  model: 'm',
  data: { signature: 'theirs', type: 'reasoning', id: 'rs_1' },
}

function callOf(toolCallId: string, fields: Partial<ToolCallPart> = {}): ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId,
    toolName: 'weather',
    input: { city: 'Bern' },
    inputText: '{}',
    owner: 'loop',
    ...fields,
  }
}

function resultOf(toolCallId: string, output: ToolOutput): Message {
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'weather', output }] }
}

/** The blocks of the result message that follows one call. */
function resultBlocks(output: ToolOutput): unknown[] {
  return sent(user, { role: 'assistant', content: [callOf('call_1')] }, resultOf('call_1', output))[2]?.content ?? []
}

it.each<[Message, readonly unknown[], readonly unknown[]]>([
  [
    { role: 'system', content: 'Be brief.' },
    [{ role: 'user', content: [{ type: 'text', text: '<system>\nBe brief.\n</system>' }] }],
    [{ type: 'coerced', path: 'messages', message: expect.stringContaining('use `instructions`') }],
  ],
  [{ role: 'system', content: ' ' }, [], []],
  [{ role: 'assistant', content: [{ type: 'text', text: ' ' }] }, [], []],
  [
    { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm', providerMetadata: foreign }] },
    [],
    [{ type: 'dropped', path: 'messages', message: expect.stringContaining('A reasoning part') }],
  ],
  [
    { role: 'assistant', content: [callOf('call_1', { input: { a: 1 }, invalid: 'truncated' })] },
    [{ role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'weather', input: {} }] }],
    [{ type: 'coerced', path: 'messages', message: expect.stringContaining('truncated') }],
  ],
])('amid a conversation the message %j is sent as what the API takes', (message, messages, warned) => {
  const { body, warnings } = encoded({ messages: [user, message] })
  expect(body.messages.slice(1)).toEqual(messages)
  expect(warnings).toEqual(warned)
})

it('what the application says of a file, and the provider of a thought, goes along', () => {
  const own = (data: object) => ({ ...origin, data })
  const source = { type: 'file', file_id: 'file_1' }
  const file = (mediaType: string, data: object): FilePart => ({
    type: 'file',
    mediaType,
    data: 'aGk=',
    providerMetadata: own(data),
  })
  const content = [
    file('image/png', { cache_control: { type: 'ephemeral' } }),
    file('application/pdf', { citations: { enabled: true } }),
    {
      type: 'file',
      mediaType: 'application/pdf',
      url: 'https://a.example',
      providerMetadata: own({ source }),
    } as const,
  ]
  const thought: AssistantPart = { type: 'reasoning', text: 'Hm', providerMetadata: own({ signature: 's', later: 1 }) }
  expect(sent({ role: 'user', content }, { role: 'assistant', content: [thought] })).toMatchObject([
    { content: [{ cache_control: { type: 'ephemeral' } }, { citations: { enabled: true } }, { source }] },
    { content: [{ type: 'thinking', thinking: 'Hm', signature: 's', later: 1 }] },
  ])
  const films = [{ data: 'eA' }, { url: 'https://a.example' }].map(
    (fields) => () => sent({ role: 'user', content: [{ type: 'file', mediaType: 'video/mp4', ...fields }] }),
  )
  expect(films[0]).toThrow('given as data')
  expect(films[1]).toThrow('given as url')
  const film = (fields: object): unknown =>
    resultBlocks({ type: 'content', value: [{ type: 'file', mediaType: 'video/mp4', data: 'eA', ...fields }] })
  expect(JSON.stringify([film({}), film({ filename: 'a.mp4' })])).toMatch(
    /\[file of type video\/mp4 left out\].*\[a\.mp4 of type/,
  )
})

it('a result goes back with what the application adds to its block', () => {
  const providerMetadata = { ...origin, data: { cache_control: { type: 'ephemeral' } } }
  const output = { type: 'text', value: 'Rain.' } as const
  const result = { type: 'tool-result', toolCallId: 'call_1', toolName: 'weather', output, providerMetadata } as const
  const messages: Message[] = [
    user,
    { role: 'assistant', content: [callOf('call_1')] },
    { role: 'tool', content: [result] },
  ]
  expect(sent(...messages)).toEqual([
    expect.objectContaining({ role: 'user' }),
    expect.objectContaining({ role: 'assistant' }),
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'call_1', cache_control: { type: 'ephemeral' }, content: 'Rain.' }],
    },
  ])
})

it('users send text and files as blocks', () => {
  const content = [
    { type: 'text', text: 'Look' },
    { type: 'file', mediaType: 'image/png', data: 'aGk=' },
    { type: 'file', mediaType: 'image/jpeg', url: 'https://example.com/a.jpg' },
    { type: 'file', mediaType: 'application/pdf', data: 'aGk=', filename: 'a.pdf' },
    { type: 'file', mediaType: 'application/pdf', url: 'https://example.com/a.pdf' },
    { type: 'file', mediaType: 'text/csv', data: 'w6k7MQ==' },
  ] as const
  expect(sent({ role: 'user', content })[0]?.content).toEqual([
    { type: 'text', text: 'Look' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
    { type: 'image', source: { type: 'url', url: 'https://example.com/a.jpg' } },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' }, title: 'a.pdf' },
    { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'é;1' } },
  ])
})

it.each(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])(
  'users send images of %s by their data',
  (mediaType) => {
    expect(sent({ role: 'user', content: [{ type: 'file', mediaType, data: 'aGk=' }] })[0]?.content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: mediaType, data: 'aGk=' } },
    ])
  },
)

it.each<FilePart>([
  { type: 'file', mediaType: 'audio/wav', data: 'aGk=' },
  { type: 'file', mediaType: 'image/tiff', data: 'aGk=' },
  { type: 'file', mediaType: 'text/plain', url: 'https://example.com/a.txt' },
])('users cannot send $mediaType files that the API refuses', (file) => {
  expect(() => sent({ role: 'user', content: [file] })).toThrow(expect.objectContaining({ code: 'unsupported' }))
})

it('users may add members of the wire format to their blocks', () => {
  const wire = { ...origin, data: { source: { type: 'file', file_id: 'file_1' } } }
  const marked = { ...origin, data: { cache_control: { type: 'ephemeral' } } }
  const content = [
    { type: 'file', mediaType: 'application/pdf', providerMetadata: wire },
    { type: 'file', mediaType: 'image/png', providerMetadata: wire },
    { type: 'text', text: 'Read', providerMetadata: marked },
  ] as const
  expect(sent({ role: 'user', content })[0]?.content).toEqual([
    { type: 'document', source: { type: 'file', file_id: 'file_1' } },
    { type: 'image', source: { type: 'file', file_id: 'file_1' } },
    { type: 'text', text: 'Read', cache_control: { type: 'ephemeral' } },
  ])
})

it('users without any content are left out, with a warning', () => {
  const { body, warnings } = encoded({ messages: [{ role: 'user', content: ' ' }, user] })
  expect(body['messages']).toHaveLength(1)
  expect(warnings).toMatchObject([{ type: 'dropped', path: 'messages' }])
})

it('answers of other providers lose calls that ran there, with their results', () => {
  const output: ToolOutput = { type: 'text', value: 'found' }
  const content = [
    callOf('ws_1', { owner: 'provider', providerMetadata: foreign }),
    { type: 'tool-result', toolCallId: 'ws_1', toolName: 'weather', output, providerMetadata: foreign } as const,
  ]
  const { body, warnings } = encoded({ messages: [user, { role: 'assistant', content }, user] })
  expect(body['messages']).toHaveLength(2)
  expect(warnings.map((warning) => warning.type)).toEqual(['dropped', 'dropped'])
})

it('thinking without a signature and without words is left out, and nothing is lost', () => {
  const content = [
    { type: 'reasoning', text: '' },
    { type: 'text', text: 'Yes' },
  ] as const
  const { body, warnings } = encoded({ messages: [user, { role: 'assistant', content }] })
  expect(body['messages'][1].content).toEqual([{ type: 'text', text: 'Yes' }])
  expect(warnings).toEqual([])
})

const thought = { type: 'reasoning', text: 'Hm' } as const
const request = (part: AssistantPart, provider = 'anthropic'): TurnRequest => ({
  messages: [
    user,
    { role: 'assistant', content: [part, callOf('call_1')], provider },
    resultOf('call_1', { type: 'text', value: 'x' }),
  ],
  settings: { reasoning: 'low' },
  turn: 1,
})
const send = (part: AssistantPart, provider?: string) => {
  const wire = anthropicMessages({ provider: 'anthropic', model: 'claude-sonnet-4-5', unsignedThinking: 'keep' })
  const { body, warnings } = wire.encode(request(part, provider), 'generate')
  return { body: JSON.parse(body), warnings }
}

it('thinking for servers that do not sign it goes back as it came, and thinking stays on', () => {
  const { body, warnings } = send(thought)
  expect(body['messages'][1].content[0]).toEqual({ type: 'thinking', thinking: 'Hm', signature: '' })
  expect(body['thinking']).toMatchObject({ type: 'enabled' })
  expect(warnings).toEqual([])
})

it('thinking for servers that do not sign it of another provider is left out all the same', () => {
  const { body, warnings } = send(thought, 'elsewhere')
  expect(body['messages'][1].content).toMatchObject([{ type: 'tool_use' }])
  expect(warnings.map(({ path }) => path)).toContain('messages')
  expect(body).not.toHaveProperty('thinking')
})

it('thinking for servers that do not sign it is dropped by default: the API refuses it', () => {
  expect(encoded(request(thought)).body['messages'][1].content).toMatchObject([{ type: 'tool_use' }])
})
