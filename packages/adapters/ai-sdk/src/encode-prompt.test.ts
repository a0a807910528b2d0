import type { LanguageModelV3 } from '@ai-sdk/provider'
import type { AssistantMessage, Message, ToolCallPart, ToolOutput, TurnRequest } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { fromLanguageModel } from './from-language-model.ts'
import { fakeModel, finish, fold, noUsage, runTurn } from './testing.ts'

async function sent(request: Partial<TurnRequest>, provider?: string) {
  const model = fakeModel({ provider })
  const { events, error } = await runTurn(fromLanguageModel(model), { request: { messages: [], turn: 0, ...request } })
  const [start] = events
  return { options: model.calls[0], error, warnings: start?.type === 'turn-start' ? (start.warnings ?? []) : [] }
}

const wire = (data: unknown, provider = 'ai-sdk-fake') => ({ provider, model: 'fake-1', data })
const ask: Message = { role: 'user', content: 'Hi' }
const call = (toolCallId: string, more: Partial<ToolCallPart> = {}): ToolCallPart => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'a',
  input: {},
  inputText: '',
  owner: 'loop',
  ...more,
})
const resultOf = (toolCallId: string, output: ToolOutput = { type: 'text', value: '' }) =>
  ({ type: 'tool-result', toolCallId, toolName: 'a', output }) as const

const signature = (name: string) => ({ fake: { signature: name } })
const result = { hits: [1, { a: null }] }
const search = { type: 'tool-call', toolCallId: 'p', toolName: 'search', providerExecuted: true } as const
const weather = { type: 'tool-call', toolCallId: 'c1', toolName: 'weather' } as const
const parts = [
  { type: 'reasoning-start', id: 'r', providerMetadata: signature('r') },
  { type: 'reasoning-end', id: 'r' },
  { ...search, input: '{"q":1}', providerMetadata: signature('p') },
  { type: 'tool-result', toolCallId: 'p', toolName: 'search', result, providerMetadata: signature('s') },
  { type: 'custom', kind: 'fake.marker', providerMetadata: signature('c') },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Yes' },
  { type: 'text-end', id: 't', providerMetadata: signature('t') },
  { ...weather, input: '{"city":"Chur"}', providerMetadata: signature('w') },
  finish('tool-calls', 'x'),
] as const

test('what the model gave returns verbatim and in place', async () => {
  const { message } = await fold(fromLanguageModel(fakeModel({ parts })))
  const answered: Message = {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'weather', output: { type: 'text', value: 'Föhn' } }],
  }
  const { options, warnings } = await sent({ messages: JSON.parse(JSON.stringify([ask, message, answered])) })
  expect(warnings).toEqual([])
  expect(options?.prompt.slice(1)).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: '', providerOptions: signature('r') },
        { ...search, input: { q: 1 }, providerOptions: signature('p') },
        {
          type: 'tool-result',
          toolCallId: 'p',
          toolName: 'search',
          output: { type: 'json', value: result },
          providerOptions: signature('s'),
        },
        { type: 'custom', kind: 'fake.marker', providerOptions: signature('c') },
        { type: 'text', text: 'Yes', providerOptions: signature('t') },
        { ...weather, input: { city: 'Chur' }, providerOptions: signature('w') },
      ],
    },
    answered,
  ])
})

test('a call whose id core changed goes back under its own, and so does its result', async () => {
  const messages: Message[] = [
    { role: 'assistant', content: [call('c-2', { providerMetadata: wire({ id: 'c' }) })] },
    { role: 'tool', content: [resultOf('c-2')] },
  ]
  const { options } = await sent({ messages })
  expect(options?.prompt).toMatchObject([{ content: [{ toolCallId: 'c' }] }, { content: [{ toolCallId: 'c' }] }])
})

test.each([
  ['mistral.chat', /^[a-zA-Z0-9]{9}$/],
  ['anthropic.messages', /^[a-zA-Z0-9_-]+$/],
])(
  'ids that %s would refuse are sent as others, the same for call and result and apart from each other',
  async (provider, rule) => {
    const ids = ['call_0_1', 'functions.a:1', 'functions.a:2']
    const messages: Message[] = [
      { role: 'assistant', content: ids.map((id) => call(id)) },
      { role: 'tool', content: ids.map((id) => resultOf(id)) },
    ]
    const { options } = await sent({ messages }, provider)
    const [called = [], answered] = (options?.prompt ?? []).map(({ content }) =>
      typeof content === 'string' ? [] : content.map((part) => ('toolCallId' in part ? part.toolCallId : '')),
    )
    for (const id of called) expect(id).toMatch(rule)
    expect(new Set(called).size).toBe(3)
    expect(answered).toEqual(called)
  },
)

test('what another provider made is left out with a warning, but for text and calls of the caller', async () => {
  const foreign = wire({ id: 'x', providerMetadata: { fake: {} }, result: 1 }, 'openai')
  const message: AssistantMessage = {
    role: 'assistant',
    provider: 'openai',
    content: [
      { type: 'reasoning', text: 'Hm', providerMetadata: foreign },
      { type: 'opaque', providerMetadata: foreign },
      call('p', { owner: 'provider', providerMetadata: foreign }),
      { ...resultOf('p'), providerMetadata: foreign },
      { type: 'text', text: 'Yes', providerMetadata: foreign },
      call('c', { providerMetadata: foreign }),
    ],
  }
  const { options, warnings } = await sent({ messages: [message] })
  expect(options?.prompt).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Yes' },
        { type: 'tool-call', toolCallId: 'c', toolName: 'a', input: {} },
      ],
    },
  ])
  expect(warnings.map(({ type }) => type)).toEqual(['dropped', 'dropped', 'dropped', 'dropped'])
})

test('a URL that the model loads itself is handed over, others are refused', async () => {
  const file = (url: string): Message => ({ role: 'user', content: [{ type: 'file', mediaType: 'image/png', url }] })
  const { options } = await sent({ messages: [file('https://pictures.example.com/A.png')] })
  expect(options?.prompt).toMatchObject([
    { content: [{ data: { type: 'url', url: new URL('https://pictures.example.com/A.png') } }] },
  ])
  expect((await sent({ messages: [file('https://elsewhere.example.com/a.png')] })).error).toMatchObject({
    code: 'unsupported',
  })
})

test('settings, tools, choice, format, headers and instructions reach the call', async () => {
  const { options, warnings } = await sent({
    messages: [ask],
    instructions: 'Be brief.',
    tools: [{ type: 'function', name: 'a', description: 'd', inputSchema: { type: 'object' }, strict: true }],
    toolChoice: { type: 'tool', toolName: 'a' },
    settings: { maxOutputTokens: 5, temperature: 0, stopSequences: ['x'], seed: 1, reasoning: 'low', topP: 0.5 },
    responseFormat: { name: 'f', schema: { type: 'object' } },
    headers: { 'x-a': '1' },
  })
  expect(warnings).toEqual([])
  expect(options).toMatchObject({
    prompt: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    ],
    tools: [{ type: 'function', name: 'a', description: 'd', inputSchema: { type: 'object' }, strict: true }],
    toolChoice: { type: 'tool', toolName: 'a' },
    maxOutputTokens: 5,
    temperature: 0,
    stopSequences: ['x'],
    seed: 1,
    reasoning: 'low',
    topP: 0.5,
    responseFormat: { type: 'json', name: 'f', schema: { type: 'object' } },
    headers: { 'x-a': '1' },
  })
})

test('options of the adapter go into the model’s namespace, those of a native adapter of that name do not', async () => {
  const { options } = await sent({
    providerOptions: {
      'ai-sdk-fake': { user: 'u' },
      fake: { user: 'native' },
      'ai-sdk': { gateway: { order: ['a'] } },
    },
  })
  expect(options?.providerOptions).toEqual({ fake: { user: 'u' }, gateway: { order: ['a'] } })
})

test.each([
  ['openai.chat', { parallelToolCalls: false }, 0],
  ['anthropic.messages', { disableParallelToolUse: true }, 0],
  ['fake.chat', {}, 1],
])('one call per turn is an option of %s', async (provider, own, count) => {
  const tools = [{ type: 'function', name: 'a', inputSchema: { type: 'object' } }] as const
  const { options, warnings } = await sent({ tools, settings: { parallelToolCalls: false } }, provider)
  expect(options?.providerOptions).toEqual({ [provider.split('.')[0] ?? '']: own })
  expect(warnings).toHaveLength(count)
})

test('a provider tool is named by its AI SDK id; without one it is refused, another provider’s is left out', async () => {
  const tool = {
    type: 'provider',
    provider: 'ai-sdk-fake',
    name: 'search',
    definition: { id: 'fake.search', args: { n: 1 } },
  } as const
  const { options, warnings } = await sent({ tools: [tool, { ...tool, provider: 'openai' }] })
  expect(options?.tools).toEqual([{ type: 'provider', id: 'fake.search', name: 'search', args: { n: 1 } }])
  expect(warnings).toMatchObject([{ type: 'dropped', path: 'tools[1]' }])
  expect((await sent({ tools: [{ ...tool, definition: {} }] })).error).toMatchObject({ code: 'unsupported' })
})

test('a model of version three gets the prompt in its form', async () => {
  const calls: Parameters<LanguageModelV3['doGenerate']>[0][] = []
  const model: LanguageModelV3 = {
    specificationVersion: 'v3',
    provider: 'old.chat',
    modelId: 'old-1',
    supportedUrls: {},
    async doGenerate(options) {
      calls.push(options)
      const content = [{ type: 'file' as const, mediaType: 'image/png', data: 'QQ==' }]
      return { content, finishReason: { unified: 'stop', raw: undefined }, usage: noUsage, warnings: [] }
    },
    async doStream() {
      throw new Error('not asked for')
    },
  }
  const file = { type: 'file', mediaType: 'image/png', data: 'QQ==' } as const
  const messages: Message[] = [
    { role: 'user', content: [file] },
    { role: 'tool', content: [resultOf('c', { type: 'content', value: [file] })] },
  ]
  const turn = await fold(fromLanguageModel(model), 'generate', { messages, turn: 0, settings: { reasoning: 'high' } })
  expect(calls[0]?.prompt).toMatchObject([
    { content: [{ type: 'file', data: 'QQ==' }] },
    { content: [{ output: { value: [{ type: 'image-data', data: 'QQ==' }] } }] },
  ])
  expect(turn.message.content).toMatchObject([{ type: 'file', data: 'QQ==' }])
  expect(turn.warnings).toMatchObject([{ type: 'dropped', path: 'settings.reasoning' }])
})
