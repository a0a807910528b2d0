import { describe, expect, test } from 'vitest'
import type { JsonObject } from '@steploop/core/adapter'
import { wireKit } from '../index.ts'
import { readConversation } from './read-conversation.ts'

const schema = { type: 'object', properties: { a: { type: 'number' } } }
const png = { mediaType: 'image/png', data: 'aW1n', url: undefined, filename: undefined }
const said = [
  { type: 'system', text: 'Be brief.' },
  { type: 'user', text: 'Add.' },
  { type: 'file', by: 'user', file: png },
  { type: 'reasoning', text: 'Hm.' },
  { type: 'text', text: 'I add.' },
  { type: 'call', toolName: 'add', input: { a: 1 } },
  { type: 'result', output: '2' },
]

const dataUrl = 'data:image/png;base64,aW1n'
const args = '{"a":1}'
/** One conversation, the way each format writes it. */
const bodies: Readonly<Record<string, JsonObject>> = {
  'openai-chat': {
    temperature: 0,
    tool_choice: { type: 'function', function: { name: 'add' } },
    tools: [{ type: 'function', function: { name: 'add', description: 'Adds.', parameters: schema, strict: true } }],
    messages: [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Add.' },
          { type: 'image_url', image_url: { url: dataUrl } },
        ],
      },
      {
        role: 'assistant',
        content: 'I add.',
        reasoning_content: 'Hm.',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: args } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '2' },
    ],
  },
  'openai-responses': {
    temperature: 0,
    tool_choice: { type: 'function', name: 'add' },
    tools: [{ type: 'function', name: 'add', description: 'Adds.', parameters: schema, strict: true }],
    instructions: 'Be brief.',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Add.' },
          { type: 'input_image', image_url: dataUrl },
        ],
      },
      { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I add.' }] },
      { type: 'function_call', call_id: 'c', name: 'add', arguments: args },
      { type: 'function_call_output', call_id: 'c', output: '2' },
    ],
  },
  'anthropic-messages': {
    temperature: 0,
    tool_choice: { type: 'tool', name: 'add' },
    tools: [{ name: 'add', description: 'Adds.', input_schema: schema, strict: true }],
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Add.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'text', text: 'I add.' },
          { type: 'tool_use', id: 'c', name: 'add', input: { a: 1 } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: '2' }] }] },
    ],
  },
  'gemini-generate': {
    temperature: 0,
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['add'] } },
    tools: [{ functionDeclarations: [{ name: 'add', description: 'Adds.', parameters: schema }] }],
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'Add.' }, { inlineData: { mimeType: 'image/png', data: 'aW1n' } }] },
      {
        role: 'model',
        parts: [{ text: 'Hm.', thought: true }, { text: 'I add.' }, { functionCall: { name: 'add', args: { a: 1 } } }],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'add', response: { output: '2' } } }] },
    ],
  },
  'ollama-chat': {
    temperature: 0,
    tools: [{ type: 'function', function: { name: 'add', description: 'Adds.', parameters: schema } }],
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Add.', images: ['aW1n'] },
      {
        role: 'assistant',
        content: 'I add.',
        thinking: 'Hm.',
        tool_calls: [{ function: { name: 'add', arguments: { a: 1 } } }],
      },
      { role: 'tool', tool_name: 'add', content: '2' },
    ],
  },
  'bedrock-converse': {
    modelId: 'm',
    temperature: 0,
    toolConfig: {
      toolChoice: { tool: { name: 'add' } },
      tools: [
        { toolSpec: { name: 'add', description: 'Adds.', inputSchema: { json: schema }, strict: true } },
        { cachePoint: { type: 'default' } },
      ],
    },
    system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }],
    messages: [
      { role: 'user', content: [{ text: 'Add.' }, { image: { format: 'png', source: { bytes: 'aW1n' } } }] },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Hm.', signature: 's' } } },
          { text: 'I add.' },
          { toolUse: { toolUseId: 'c', name: 'add', input: { a: 1 } } },
        ],
      },
      {
        role: 'user',
        content: [{ toolResult: { toolUseId: 'c', content: [{ text: '2' }] } }, { cachePoint: { type: 'default' } }],
      },
    ],
  },
}

/** Gemini's clients may leave them out, and Ollama knows none. */
const withoutIds = ['gemini-generate', 'ollama-chat']
const isOllama = (wire: string) => wire === 'ollama-chat'

describe.each(Object.entries(bodies))('%s', (wire, body) => {
  const read = readConversation(wire, body)
  const view = wireKit(wire)!.readRequest!(body)

  test('the body of a request is read as a conversation, item by item', () => {
    // Ollama does not say what an image is.
    const file = { type: 'file', by: 'user', file: { ...png, mediaType: isOllama(wire) ? undefined : png.mediaType } }
    expect(read?.items).toMatchObject(said.map((item) => (item.type === 'file' ? file : item)))
    expect(read?.items).toHaveLength(said.length)
  })

  test('calls and results have the same id, where there is one', () => {
    const ids = read?.items.flatMap((item) => (item.type === 'call' || item.type === 'result' ? [item.id] : []))
    expect(ids).toEqual(withoutIds.includes(wire) ? [undefined, undefined] : ['c', 'c'])
  })

  test('tools, choice and settings stand apart', () => {
    expect(read?.tools).toMatchObject([{ name: 'add', description: 'Adds.', schema }])
    expect(read?.choice).toEqual(isOllama(wire) ? undefined : { type: 'tool', toolName: 'add' })
    expect(read?.settings).toEqual({ temperature: 0 })
  })

  test('the checks see what was said and called, and where it stands', () => {
    const items = view.items.filter(({ type }) => type !== 'other')
    expect(items).toMatchObject([
      { type: 'user', text: 'Add.' },
      { type: 'text', text: 'I add.' },
      { type: 'call', toolName: 'add', input: { a: 1 } },
      { type: 'result', text: '2' },
    ])
    const ids = items.flatMap((item) => ('id' in item ? [item.id] : []))
    expect(ids).toEqual([ids[0], ids[0]])
    expect(new Set(items.map(({ path }) => path)).size).toBeGreaterThanOrEqual(3)
    for (const { path } of items) expect(path).toMatch(/^(messages|input|contents)\[\d\]/)
  })

  test('the checks see instructions, tools and their choice apart from the head', () => {
    const strict = !isOllama(wire)
    expect(view.tools).toEqual([{ name: 'add', description: 'Adds.', inputSchema: schema, strict }])
    expect(view.toolChoice).toEqual(isOllama(wire) ? undefined : { type: 'tool', toolName: 'add' })
    expect(view.instructions).toBe('Be brief.')
    expect(view.head).toMatchObject({ temperature: 0, tools: expect.any(Array) })
    expect(JSON.stringify(view.head)).not.toContain('I add.')
  })
})

test.each<[string, JsonObject]>([
  ['openai-chat', { response_format: { type: 'json_schema', json_schema: { name: 'report', schema } } }],
  ['openai-responses', { text: { format: { type: 'json_schema', name: 'report', schema } } }],
  ['anthropic-messages', { output_config: { format: { type: 'json_schema', schema } } }],
  ['gemini-generate', { generationConfig: { responseJsonSchema: schema } }],
  ['ollama-chat', { format: schema }],
])('%s: the schema of the answer stands under one name in the head', (wire, body) => {
  const { outputSchema, head } = wireKit(wire)!.readRequest!(body)
  expect(outputSchema).toEqual(schema)
  expect(Object.keys(head)).toEqual(['response_format'])
})

test.each([null, 7, 'text', {}, { messages: 'no list', input: 4 }])(
  'a body that is none (%o) reads as empty',
  (body) => {
    for (const wire of Object.keys(bodies)) expect(wireKit(wire)!.readRequest!(body).items).toEqual([])
  },
)

test.each<[string, JsonObject, unknown]>([
  ['openai-chat', { tool_choice: 'any' }, 'required'],
  ['openai-chat', { tool_choice: 'none' }, 'none'],
  ['openai-chat', {}, undefined],
  ['anthropic-messages', { tool_choice: { type: 'any' } }, 'required'],
  [
    'gemini-generate',
    { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a', 'b'] } } },
    'required',
  ],
  ['gemini-generate', { toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } } }, 'auto'],
  [
    'gemini-generate',
    { tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['a'] } } },
    { type: 'tool', toolName: 'a' },
  ],
  ['openai-responses', { tool_choice: { type: 'web_search' } }, { type: 'tool', toolName: 'web_search' }],
  ['bedrock-converse', { toolConfig: { toolChoice: { any: {} } } }, 'required'],
  ['bedrock-converse', { toolConfig: { toolChoice: { auto: {} } } }, 'auto'],
  ['bedrock-converse', {}, undefined],
])('the tool choice that the reader of %s finds in the body %j is %j', (wire, body, choice) => {
  expect(readConversation(wire, body)?.choice).toEqual(choice)
})

test('Converse: what only Bedrock has stays a block, a document is a file, and one piece of JSON is the result', () => {
  const content = [
    { document: { format: 'pdf', name: 'Vertrag', source: { bytes: 'cGRm' } } },
    { document: { format: 'txt', name: 'a', source: { text: 'cited' }, citations: { enabled: true } } },
    { guardContent: { text: { text: 'x' } } },
    { toolResult: { toolUseId: 'c', content: [{ json: { a: 1 } }] } },
  ]
  const own = [{ toolUse: { toolUseId: 's', name: 'nova_code', input: {}, type: 'server_tool_use' } }]
  const messages = [
    { role: 'user', content },
    { role: 'assistant', content: own },
  ]
  expect(readConversation('bedrock-converse', { messages })?.items).toMatchObject([
    { type: 'file', by: 'user', file: { mediaType: 'application/pdf', data: 'cGRm', filename: 'Vertrag' } },
    { type: 'block', by: 'user', kind: 'document' },
    { type: 'block', by: 'user', kind: 'guardContent' },
    { type: 'result', id: 'c', output: { a: 1 } },
    { type: 'block', by: 'model', kind: 'toolUse' },
  ])
})

test('blocks of a provider keep who said them, and opaque strings their order', () => {
  const input = [
    { type: 'web_search_call', id: 'ws' },
    { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'e'.repeat(30) },
    { type: 'additional_tools', tools: [] },
    { type: 'tool_search_output', call_id: 'c', execution: 'client', tools: [] },
    { type: 'tool_search_output', call_id: null, execution: 'server', tools: [] },
  ]
  const read = readConversation('openai-responses', { input, previous_response_id: 'resp_1' })
  const blocks = read?.items.flatMap((item) => (item.type === 'block' ? [[item.kind, item.by]] : []))
  expect(blocks).toEqual([
    ['web_search_call', 'model'],
    ['additional_tools', 'user'],
    ['tool_search_output', 'user'],
    ['tool_search_output', 'model'],
  ])
  expect(read).toMatchObject({ opaque: ['e'.repeat(30), 'rs'], previous: 'resp_1' })
})

test('a format without a reader gives undefined', () => {
  expect(wireKit('carrier-pigeon')).toBeUndefined()
  expect(readConversation('gemini-interactions', {})).toBeUndefined()
})
