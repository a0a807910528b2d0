import type { AssistantMessage, Message, ToolResultPart } from '@steploop/core/adapter'
import { describe, expect, it } from 'vitest'
import {
  close,
  decoded,
  delta,
  encoded,
  ending,
  messageOf,
  open,
  sent,
  origin,
  start,
  stop,
  streamed,
  turnOf,
} from './testing.ts'

/** What the API gets back of an answer with these blocks, after a trip through storage. */
function replayed(content: readonly object[], fields: object = {}): unknown[] {
  const message: Message = JSON.parse(JSON.stringify(turnOf(decoded(messageOf(content, fields))).message))
  return sent({ role: 'user', content: 'Hello' }, message)[1]?.content ?? []
}

const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } }
const found = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [{ type: 'web_search_result', url: 'https://example.com', title: 'T', encrypted_content: 'sealed' }],
}

it.each([
  ['signed thinking without text', { type: 'thinking', thinking: '', signature: 'sig' }],
  [
    'a call with its caller',
    { type: 'tool_use', id: 'toolu_1', name: 'a', input: { x: 1 }, caller: { type: 'direct' } },
  ],
  ['a compaction', { type: 'compaction', content: 'Summary', encrypted_content: null }],
  [
    'text with citations',
    {
      type: 'text',
      text: 'So',
      citations: [{ type: 'web_search_result_location', url: 'https://example.com', encrypted_index: 'enc' }],
    },
  ],
])('an answer returns verbatim and in order: %s', (_title, block) => {
  expect(replayed([block])).toEqual([block])
})

it('streamed blocks hold a compaction that comes as one delta', () => {
  const piece = { type: 'compaction_delta', content: 'Summary', encrypted_content: 'sealed' }
  const events = streamed([
    start,
    open(0, { type: 'compaction', content: 'Old' }),
    delta(0, piece),
    close(0),
    ending('end_turn'),
    stop,
  ])
  const data = { type: 'compaction', content: 'Summary', encrypted_content: 'sealed' }
  expect(turnOf(events).message.content).toEqual([{ type: 'opaque', providerMetadata: { ...origin, data } }])
})

it.each([
  ['without a word', { is_error: true, content: [] }, { message: 'The tool failed at the provider.' }],
  [
    'by the type of their content alone',
    { content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' } },
    { message: 'max_uses_exceeded', errorCode: 'max_uses_exceeded' },
  ],
])('server tools that failed %s have a reason', (_, fields, said) => {
  const turn = turnOf(decoded(messageOf([search, { ...found, ...fields }])))
  expect(turn.message.content[1]).toMatchObject({ output: { type: 'error', value: { code: 'tool-failed', ...said } } })
})

it('server tools may answer a call of an earlier response', () => {
  const first = turnOf(
    decoded(messageOf([{ type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'echo', server_name: 's', input: {} }])),
  ).message
  const result = { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', is_error: false, content: [] }
  // The run may have given the call an id of its own.
  const renamed = { ...first, content: first.content.map((part) => ({ ...part, toolCallId: 'renamed' })) }
  for (const [message, toolCallId] of [
    [first, 'mcptoolu_1'],
    [renamed, 'renamed'],
  ] as const) {
    const events = decoded(messageOf([result]), { messages: [{ role: 'user', content: 'a' }, message] })
    const output = { type: 'json', value: [] }
    expect(turnOf(events).message.content).toMatchObject([
      { type: 'tool-result', toolName: 'echo', toolCallId, output },
    ])
  }
})

it.each([found, { note: 'no type' }])(
  'blocks without a neutral form are results without a call and what has no type: %j',
  (data) => {
    const { content } = turnOf(decoded(messageOf([data]))).message
    expect(content).toEqual([{ type: 'opaque', providerMetadata: { ...origin, data } }])
  },
)

it('citations carry url, title and quote, and stay on their text', () => {
  const cited = {
    type: 'web_search_result_location',
    url: 'https://example.com',
    title: 'T',
    cited_text: 'quote',
    encrypted_index: 'enc',
  }
  const turn = turnOf(decoded(messageOf([{ type: 'text', text: 'So', citations: [cited] }])))
  expect(turn.message.content).toMatchObject([
    { text: 'So', citations: [{ url: 'https://example.com', title: 'T', citedText: 'quote' }] },
  ])
})

it.each([
  [null, 'document 1'],
  ['Rain', 'Rain'],
])('citations of documents with the title %j have the title %s: their own, or their position', (given, title) => {
  const cited = { type: 'char_location', document_index: 1, document_title: given, cited_text: 'quote' }
  const turn = turnOf(decoded(messageOf([{ type: 'text', text: 'So', citations: [cited] }])))
  expect(turn.message.content).toMatchObject([{ citations: [{ title, citedText: 'quote' }] }])
})

describe('the container', () => {
  const byCode = {
    type: 'tool_use',
    id: 'toolu_1',
    name: 'roll',
    input: {},
    caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' },
  }
  const result: ToolResultPart = {
    type: 'tool-result',
    toolCallId: 'toolu_1',
    toolName: 'roll',
    output: { type: 'text', value: '6' },
  }
  const answer = (block: object): AssistantMessage =>
    turnOf(decoded(messageOf([block], { container: { id: 'container_1' } }))).message
  const user = { role: 'user', content: 'Roll' } as const
  const tool = { role: 'tool', content: [result] } as const

  it('the container is sent back where code in it waits for results', () => {
    expect(encoded({ messages: [user, answer(byCode), tool] }).body['container']).toBe('container_1')
  })

  it('the container is sent back with a paused turn', () => {
    expect(encoded({ messages: [user, answer(search)] }).body['container']).toBe('container_1')
  })

  it('the container is not sent back otherwise, because it may have expired', () => {
    const plain = { ...byCode, caller: { type: 'direct' } }
    expect(encoded({ messages: [user, answer(plain), tool] }).body).not.toHaveProperty('container')
  })

  it('the container is not sent back for what the provider itself ran in it', () => {
    const ran = { ...byCode, type: 'server_tool_use', name: 'web_search' }
    const results = { type: 'web_search_tool_result', tool_use_id: 'toolu_1', content: [] }
    const past = turnOf(decoded(messageOf([ran, results], { container: { id: 'container_1' } }))).message
    expect(encoded({ messages: [user, past, user] }).body).not.toHaveProperty('container')
  })

  it('the container is sent back on request', () => {
    const messages = [user, answer({ type: 'text', text: 'Hi' }), user]
    const providerOptions = { anthropic: { reuseContainer: true } }
    expect(encoded({ messages, providerOptions }).body['container']).toBe('container_1')
  })
})
