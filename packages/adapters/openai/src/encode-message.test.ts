import type { AssistantPart, FilePart, Message, TextPart, ToolOutput, ProviderMetadata } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { wireToolName } from './names.ts'
import { encoded, question, readWhole, replayed, responseOf, toolCall } from './testing.ts'

const png = { type: 'file', mediaType: 'image/png', data: 'aW1n' } as const
const foreign: ProviderMetadata = { provider: 'anthropic', model: 'claude', data: { signature: 'secret' } }

function assistant(...content: AssistantPart[]): Message {
  return { role: 'assistant', content }
}

test('a text of another provider is a string, or an `output_text` where a server takes nothing else', () => {
  const messages = [question, assistant({ type: 'text', text: 'Hi', providerMetadata: foreign }), question]
  const itemOf = (options?: { readonly assistantText: 'output_text' }): unknown =>
    encoded({ messages }, options).input[1]
  expect(itemOf()).toEqual({ role: 'assistant', content: 'Hi' })
  expect(itemOf({ assistantText: 'output_text' })).toEqual({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Hi' }],
  })
})

const foreignCall: AssistantPart = toolCall({
  toolName: 'get weather',
  toolCallId: 'toolu_1',
  providerMetadata: foreign,
})
const search = toolCall({ toolName: 'web', owner: 'provider', providerMetadata: foreign })
const found: AssistantPart = {
  type: 'tool-result',
  toolCallId: 'call_a',
  toolName: 'web',
  output: { type: 'text', value: 'Rain.' },
  providerMetadata: foreign,
}
const left = (what: string) => ({
  type: 'dropped',
  path: 'assistant.content[1]',
  message: `${what} cannot be sent to 'openai' and was left out: it did not come from there`,
})

test.each<[AssistantPart, readonly unknown[], readonly unknown[]]>([
  [{ type: 'refusal', text: 'No.' }, [{ role: 'assistant', content: 'No.' }], []],
  [{ type: 'text', text: '' }, [], []],
  [
    foreignCall,
    [{ type: 'function_call', call_id: 'toolu_1', name: wireToolName('get weather'), arguments: '{"city":"Oslo"}' }],
    [],
  ],
  [
    toolCall({ input: { input: 'SELECT 1' }, inputText: 'SELECT 1', providerMetadata: foreign }),
    [{ type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '{"input":"SELECT 1"}' }],
    [],
  ],
  [
    toolCall({ input: { input: '{ print }' }, inputText: '{ print }', providerMetadata: foreign }),
    [{ type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '{"input":"{ print }"}' }],
    [],
  ],
  [search, [], [left("the provider-executed call 'web'")]],
  [found, [], []],
  [{ type: 'reasoning', text: 'Hm.', providerMetadata: foreign }, [], [left('reasoning')]],
  [{ type: 'reasoning', text: '', providerMetadata: foreign }, [], [left('reasoning')]],
  [{ type: 'reasoning', text: 'Hm.' }, [], [left('reasoning')]],
  [{ type: 'reasoning', text: '' }, [], []],
  [{ ...png, providerMetadata: foreign }, [], [left('a file (image/png) in an assistant message')]],
  [{ type: 'opaque', providerMetadata: foreign }, [], [left('a block')]],
])(
  'what did not come from this provider is sent in neutral words or left out, with a warning: %j',
  (part, items, warned) => {
    const { input, warnings } = encoded({ messages: [assistant({ type: 'text', text: 'Hi' }, part)] })
    expect(input).toEqual([{ role: 'assistant', content: 'Hi' }, ...items])
    expect(warnings).toEqual(warned)
  },
)

test.each([
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'enc' },
  { type: 'reasoning', id: 'rs_2', summary: [] },
  {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'c',
    name: 'f',
    arguments: ' {"a": 1}',
    namespace: 'n',
    caller: { type: 'program', caller_id: 'p' },
  },
  { type: 'custom_tool_call', id: 'ct_1', call_id: 'c', name: 'sql', input: 'SELECT 1' },
  {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: { type: 'search', query: 'x', sources: [{ type: 'api' }] },
  },
  { type: 'code_interpreter_call', id: 'ci_1', status: 'completed', code: '1', container_id: 'c', outputs: null },
  { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'aW1n', size: '1x1' },
  { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 's', tools: [] },
  { type: 'mcp_call', id: 'mcp_1', name: 'ask', server_label: 's', arguments: '{}', output: 'yes', error: null },
  {
    type: 'tool_search_output',
    id: 'tso_1',
    call_id: 'c',
    execution: 'server',
    status: 'completed',
    tools: [{ type: 'function', name: 'a' }],
  },
  { type: 'program_output', id: 'cmo_1', call_id: 'c', status: 'completed', result: 'x' },
  { type: 'compaction', id: 'cmp_1', encrypted_content: 'enc' },
  {
    type: 'message',
    id: 'msg_0',
    role: 'user',
    status: 'completed',
    content: [{ type: 'input_text', text: 'compacted' }],
  },
  { type: 'invented_tomorrow', id: 'x_1', status: 'completed', nested: { list: [1, null] } },
])('an item of the same provider goes back as it came: $type $id', (item) => {
  const next = { type: 'function_call', call_id: 'next', name: 'f', arguments: '{}' }
  expect(replayed([item, next])).toEqual([item, next])
  expect(replayed([next, item, next])).toEqual([next, item, next])
})

test('a call that came without an id goes back with that of its turn and place', () => {
  const call = { type: 'function_call', name: 'f', arguments: '{}' }
  expect(replayed([call])).toEqual([{ ...call, call_id: 'call_0_0' }])
})

test('an item of the same provider goes back as it came: messages with phase, annotations, several parts and parts of unknown type', () => {
  const item = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    phase: 'final_answer',
    content: [
      {
        type: 'output_text',
        text: 'A',
        annotations: [{ type: 'url_citation', url: 'https://example.com' }],
        logprobs: [],
      },
      { type: 'invented_tomorrow', x: 1 },
      { type: 'refusal', refusal: 'No.' },
      { type: 'output_text', text: '', annotations: [] },
    ],
  }
  expect(replayed([item, { ...item, id: 'msg_2' }])).toEqual([item, { ...item, id: 'msg_2' }])
  const { role: _, ...unsaid } = item
  expect(replayed([unsaid])).toEqual([item])
})

test('an item of the same provider goes back as it came except for the output-only status of reasoning, calls and answers to custom ones', () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] }
  const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' }
  const custom = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'd', name: 'sql', input: 'SELECT' }
  const answer = { type: 'custom_tool_call_output', id: 'ctco_1', call_id: 'd', output: '1' }
  const items = [reasoning, call, custom, answer]
  expect(replayed(items.map((item) => ({ ...item, status: 'completed' })))).toEqual(items)
})

test('arguments that are no JSON object of a custom tool are free text, and stay', () => {
  const item = { type: 'custom_tool_call', id: 'ct_1', call_id: 'c', name: 'sql' }
  const wire = { provider: 'openai', model: 'gpt-5', data: { item } }
  const part = toolCall({
    input: undefined,
    inputText: 'SELECT',
    invalid: 'truncated',
    toolName: 'sql',
    providerMetadata: wire,
  })
  const { input, warnings } = encoded({ messages: [assistant(part)] })
  expect([input, warnings]).toEqual([[{ ...item, input: 'SELECT' }], []])
  const hosted = { type: 'web_search_call', id: 'ws_1' }
  const unfinished = toolCall({
    owner: 'provider',
    invalid: 'truncated',
    providerMetadata: { ...wire, data: { item: hosted } },
  })
  expect(encoded({ messages: [assistant(unfinished)] })).toMatchObject({ input: [hosted], warnings: [] })
  // Half a payload is none.
  const damaged = { type: 'text', text: 'Hi', providerMetadata: { ...wire, data: { message: {} } } } as const
  expect(encoded({ messages: [assistant(damaged)] }).input).toEqual([{ role: 'assistant', content: 'Hi' }])
})

test('reasoning that nothing follows is not sent back, with a warning', () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'enc' }
  const { input, warnings } = encoded({ messages: [readWhole(responseOf([reasoning])).turn.message, question] })
  expect(input).toEqual([question])
  expect(warnings).toMatchObject([{ type: 'dropped' }])
  const item = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }
  expect(replayed([reasoning, item, reasoning, reasoning])).toEqual([reasoning, item])
})

test('a call that the loop renamed keeps the id of its provider, and so does its result', () => {
  const { message } = readWhole(
    responseOf([{ type: 'function_call', call_id: 'call_0', name: 'f', arguments: '' }]),
  ).turn
  const renamed = message.content.map((part) =>
    part.type === 'tool-call' ? { ...part, toolCallId: 'call_0_2' } : part,
  )
  const { input } = encoded({
    messages: [assistant(...renamed), { role: 'tool', content: [resultOf('call_0_2', { type: 'text', value: 'ok' })] }],
  })
  expect(input).toEqual([
    { type: 'function_call', call_id: 'call_0', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_0', output: 'ok' },
  ])
})

function resultOf(toolCallId: string, output: ToolOutput) {
  return { type: 'tool-result', toolCallId, toolName: 'f', output } as const
}

test('user messages carry text, images, documents and uploaded files', () => {
  const wire = { provider: 'openai', model: 'gpt-5', data: { type: 'input_file', file_id: 'file_1' } }
  const { input } = encoded({
    messages: [
      { role: 'system', content: 'Rules.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:' },
          png,
          { type: 'file', mediaType: 'image/jpeg', url: 'https://example.com/a.jpg' },
          { type: 'file', mediaType: 'application/pdf', data: 'cGRm' },
          { type: 'file', mediaType: 'application/pdf', data: 'cGRm', filename: 'mine.pdf' },
          { type: 'file', mediaType: 'application/vnd.ms-excel', data: 'eGxz' },
          { type: 'file', mediaType: 'application/pdf', url: 'https://example.com/a.pdf' },
          { type: 'file', mediaType: 'application/pdf', providerMetadata: wire },
        ],
      },
    ],
  })
  expect(input).toEqual([
    { role: 'system', content: 'Rules.' },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look:' },
        { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,aW1n' },
        { type: 'input_image', detail: 'auto', image_url: 'https://example.com/a.jpg' },
        { type: 'input_file', filename: 'file.pdf', file_data: 'data:application/pdf;base64,cGRm' },
        { type: 'input_file', filename: 'mine.pdf', file_data: 'data:application/pdf;base64,cGRm' },
        {
          type: 'input_file',
          filename: 'file.vnd-ms-excel',
          file_data: 'data:application/vnd.ms-excel;base64,eGxz',
        },
        { type: 'input_file', file_url: 'https://example.com/a.pdf' },
        { type: 'input_file', file_id: 'file_1' },
      ],
    },
  ])
})

test('user messages with sound or film are refused before the request', () => {
  const content = [{ type: 'file', mediaType: 'audio/mp3', data: 'eA' }] as const
  expect(() => encoded({ messages: [{ role: 'user', content }] })).toThrow(/audio\/mp3/)
  const film = { type: 'file', mediaType: 'video/mp4', data: 'eA' } as const
  // What the application gives in the API's own words is its own matter.
  const data = { type: 'input_file', file_id: 'file_1' }
  const own = { ...film, providerMetadata: { provider: 'openai', model: 'gpt-5', data } }
  const sent = (...value: readonly (TextPart | FilePart)[]) =>
    encoded({ messages: [{ role: 'tool', content: [resultOf('c', { type: 'content', value })] }] })
  const { input, warnings } = sent({ type: 'text', text: 'Hear:' }, ...content, film)
  expect(input).toMatchObject([{ output: 'Hear:[audio/mp3 file, not shown][video/mp4 file, not shown]' }])
  expect(warnings).toMatchObject([
    { type: 'coerced', message: expect.stringContaining('audio/mp3') },
    { type: 'coerced', message: expect.stringContaining('video/mp4') },
  ])
  expect(sent(own)).toMatchObject({ input: [{ output: [data] }], warnings: [] })
})

test('reasoning after the answer stays where its format is not OpenAI’s, whose rule it is to refuse it', () => {
  const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'enc' }
  expect(replayed([message, { ...reasoning, format: 'google-gemini-v1' }])).toHaveLength(2)
  expect(replayed([message, { ...reasoning, format: 'openai-responses-v1' }])).toHaveLength(1)
  expect(replayed([message, { ...reasoning, format: null }])).toHaveLength(1)
})
