import type { Cassette, Exchange } from '@steploop/cassette'
import { expect, test } from 'vitest'
import { exchangeViews } from './exchange-view.ts'
import { printConversation } from './print-conversation.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const sse = (...events: unknown[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

function exchange(url: string, sent: unknown, came: string, change: Partial<Exchange['response']> = {}): Exchange {
  const body = bytes(came)
  const type = came.startsWith('data:')
    ? 'text/event-stream'
    : came.includes('}\n{')
      ? 'application/x-ndjson'
      : 'application/json'
  return {
    request: { method: 'POST', url, headers: {}, body: bytes(JSON.stringify(sent)) },
    response: {
      status: 200,
      headers: { 'content-type': type },
      body,
      chunks: [{ ms: 0, bytes: body.length }],
      ending: 'eof',
      ...change,
    },
  }
}

function cassette(...exchanges: Exchange[]): Cassette {
  const origin = { kind: 'derived', by: 'tests', date: '2026-11-21', recipe: 'written by hand' } as const
  return { header: { scenario: 's', mode: 'stream', provider: 'p', wire: 'w', model: 'm', origin }, exchanges }
}

const urls = {
  chat: 'https://api.openai.com/v1/chat/completions',
  responses: 'https://api.openai.com/v1/responses',
  anthropic: 'https://api.anthropic.com/v1/messages',
  gemini: 'https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse',
  ollama: 'http://localhost:11434/api/chat',
}

const delta = (members: object) => ({ choices: [{ delta: members }] })
const chatStream = sse(
  { id: 'r1', model: 'm1', choices: [{ delta: { role: 'assistant', reasoning_content: 'hm' } }] },
  delta({ content: 'Hel' }),
  delta({ content: 'lo' }),
  delta({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'add', arguments: '' } }] }),
  delta({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
  delta({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
  { choices: [{ delta: {}, finish_reason: 'tool_calls' }], usage: { prompt_tokens: 3, completion_tokens: 4 } },
)

test('a cut stream of Responses gives the items as far as they came', () => {
  const thought = { type: 'reasoning', id: 'rs1', summary: [{ type: 'summary_text', text: 'hm' }] }
  const came = sse(
    { type: 'response.created', response: { id: 'r1', model: 'm1', output: [] } },
    { type: 'response.output_item.done', output_index: 0, item: thought },
    { type: 'response.output_text.delta', output_index: 1, delta: 'Hel' },
    { type: 'response.output_text.delta', output_index: 1, delta: 'lo' },
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{' },
  )
  const [view] = exchangeViews(cassette(exchange(urls.responses, {}, came)))
  const said = [
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'Hello' },
  ]
  expect(view?.response?.parts.slice(0, 2)).toEqual(said)
})

test.each([
  ['Chat Completions', urls.chat, { error: { message: 'no', type: 'bad_type' } }, 'bad_type: no'],
  [
    'Messages',
    urls.anthropic,
    { type: 'error', error: { type: 'overloaded_error', message: 'no' } },
    'overloaded_error: no',
  ],
  ['generateContent', urls.gemini, { error: { status: 'NOT_FOUND', message: 'no' } }, 'NOT_FOUND: no'],
  ['Ollama', urls.ollama, { error: 'no' }, 'no'],
  ['Mistral', urls.chat, { object: 'error', message: 'no' }, 'no'],
])('an error of %s is shown in its own words', (_, url, body, error) => {
  const [view] = exchangeViews(cassette(exchange(url, { messages: [] }, JSON.stringify(body), { status: 400 })))
  expect(view?.response?.error).toBe(error)
})

const user = { role: 'user', content: 'Add 1' }
const history = [
  user,
  {
    role: 'assistant',
    content: 'Hello',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: '42' },
]
const tools = [{ type: 'function', function: { name: 'add' } }]

test('a conversation is printed once, with the results behind their calls', () => {
  const done = JSON.stringify({ id: 'r2', choices: [{ message: { content: 'It is 42.' }, finish_reason: 'stop' }] })
  const system = { role: 'system', content: 'Be brief' }
  const printed = printConversation(
    cassette(
      exchange(urls.chat, { tools, messages: [system, user] }, chatStream),
      exchange(urls.chat, { tools, messages: [system, ...history] }, done),
    ),
  )
  const words = printed.split('\n').flatMap((line) => /^  (\w+) +(?=\S)(.*)$/.exec(line)?.slice(1).join(': ') ?? [])
  expect(words).toEqual([
    'system: Be brief',
    'tools: add',
    'user: Add 1',
    'reasoning: hm',
    'assistant: Hello',
    'call: add {"a":1}  c1',
    'finish: tool_calls',
    'usage: 3 in, 4 out',
    'result: c1  42',
    'assistant: It is 42.',
    'finish: stop',
  ])
  expect(printed).toContain('(3 earlier)')
})

test('a history that was edited is printed again', () => {
  const edited = [{ role: 'user', content: 'Add 2' }]
  const printed = printConversation(
    cassette(
      exchange(urls.chat, { messages: [user] }, chatStream),
      exchange(urls.chat, { messages: edited }, chatStream),
    ),
  )
  expect(printed).toContain('Add 2')
  expect(printed).not.toContain('earlier')
})

test('unknown formats, cut streams and broken endings are reported', () => {
  const unknown = printConversation(cassette(exchange('https://api.example.com/v1/other', 'x', 'plain text')))
  expect(unknown.match(/not readable as a conversation; see --raw/g)).toHaveLength(2)
  const cut = sse({ choices: [{ delta: { content: 'Hel' } }] })
  const printed = printConversation(cassette(exchange(urls.chat, { messages: [] }, cut, { ending: 'reset' })))
  expect(printed).toContain('ends with reset')
  expect(printed).toContain('none: the response is cut')
})

test('long texts are cut unless asked for, and colours are used only when asked for', () => {
  const long = { messages: [{ role: 'user', content: 'x'.repeat(2000) }] }
  const one = cassette(exchange(urls.chat, long, chatStream))
  expect(printConversation(one)).toContain('... (1400 more characters)')
  expect(printConversation(one, { limit: Infinity })).toContain('x'.repeat(2000))
  expect(printConversation(one)).not.toContain('\u001B')
  expect(printConversation(one, { colours: true })).toContain('\u001B[1m')
})

test('escape sequences and reversed text in a recording never reach the terminal', () => {
  const hostile = { messages: [{ role: 'user', content: 'a\u001B[2Jb\u202Ec\r\nd' }] }
  const printed = printConversation(cassette(exchange(urls.chat, hostile, chatStream)))
  expect(printed).toContain('a\\u001b[2Jb\\u202ec\n')
  expect(['\u001B', '\u202E', '\r'].filter((character) => printed.includes(character))).toEqual([])
})
