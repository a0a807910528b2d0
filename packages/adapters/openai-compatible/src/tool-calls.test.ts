import { describe, expect, test } from 'vitest'
import type { Turn } from '@steploop/core/adapter'
import { question, readStream, readWhole, requestOf, send, sendBack, origin } from './testing.ts'

function callsOf(turn: Turn): unknown[] {
  const calls = turn.message.content.filter((part) => part.type === 'tool-call')
  return calls.map(({ toolCallId, toolName, input }) => [toolCallId, toolName, input])
}

/** One delta with one fragment of a call, as most providers stream them. */
function fragment(call: object): { tool_calls: object[] } {
  return { tool_calls: [call] }
}

const both = [
  ['call_a', 'get_weather', { city: 'Paris' }],
  ['call_b', 'get_time', { tz: 'CET' }],
]

const first = [
  fragment({ index: 0, id: 'call_a', type: 'function', function: { name: 'get_weather', arguments: '' } }),
  fragment({ index: 0, function: { arguments: '{"city":' } }),
  fragment({ index: 0, function: { arguments: '"Paris"}' } }),
]
const start = fragment({ index: 1, id: 'call_b', type: 'function', function: { name: 'get_time', arguments: '' } })
const rest = fragment({ index: 1, function: { arguments: '{"tz":' } })
const last = fragment({ index: 1, function: { arguments: '"CET"}' } })
const end = [{ finish_reason: 'tool_calls' }, '[DONE]']

test('a name without an id that comes in pieces is one call, unless both pieces are names of tools', () => {
  const weather = { name: 'weather', arguments: '{"a":1}' }
  const namesOf = (name: string) => {
    const { turn } = readStream(
      [fragment({ index: 0, function: { name } }), fragment({ index: 0, function: weather }), ...end],
      {
        request: requestOf({
          tools: ['time', 'weather'].map((one) => ({ type: 'function', name: one, inputSchema: {} })),
        }),
      },
    )
    return turn.message.content.map((part) => part.type === 'tool-call' && part.toolName)
  }
  expect(namesOf('get_')).toEqual(['get_weather'])
  expect(namesOf('time')).toEqual(['time', 'weather'])
})

test(
  'parallel calls in a stream, one fragment per chunk takes null id, type and name on the last fragment for a continuation',
  { tags: ['S02'] },
  () => {
    const nulls = fragment({ index: 1, id: null, type: null, function: { name: null, arguments: '"CET"}' } })
    expect(callsOf(readStream([...first, start, rest, nulls, ...end]).turn)).toEqual(both)
  },
)

test(
  'parallel calls in a stream, one fragment per chunk gives the same calls from one JSON answer',
  { tags: ['S05'] },
  () => {
    const tool_calls = [
      { id: 'call_a', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
      { id: 'call_b', type: 'function', function: { name: 'get_time', arguments: '{"tz":"CET"}' } },
    ]
    expect(callsOf(readWhole({ role: 'assistant', content: null, tool_calls }).turn)).toEqual(both)
  },
)

test(
  'parallel calls in a stream, one fragment per chunk keeps fragments that come before the start chunk of their call',
  { tags: ['S03'] },
  () => {
    expect(callsOf(readStream([...first, rest, start, last, ...end]).turn)).toEqual(both)
  },
)

test('a call that the limit, a filter or the end of the bytes cut is truncated, also before its arguments', () => {
  for (const text of ['{"q":"Zü', '']) {
    const begun = fragment({ index: 0, id: 'c1', function: { name: 'find', arguments: text } })
    const answers = [
      readStream([begun, { finish_reason: 'length' }]),
      readStream([begun, { finish_reason: 'content_filter' }]),
      readStream([begun], { dialect: { terminal: 'eof' } }),
    ]
    expect(answers.map(({ turn }) => turn.finishReason)).toEqual(['length', 'content-filter', 'tool-calls'])
    for (const { turn, events } of answers) {
      const cut = { type: 'tool-call', invalid: 'truncated', input: undefined }
      expect(turn.message.content).toMatchObject([cut])
      // Tools that begin early go by the events.
      expect(events).toContainEqual(expect.objectContaining(cut))
    }
  }
})

describe('a call that is sent back', () => {
  const wire = (data: unknown, provider = origin.provider) => ({ provider, model: 'm', data })

  test('a call that is sent back keeps the signature that came first', () => {
    const signed = (thought_signature: string) => ({ extra_content: { google: { thought_signature } } })
    const pieces = [
      fragment({ index: 0, id: 'c1', ...signed('first'), function: { name: 'find', arguments: '{' } }),
      fragment({ index: 0, id: 'c1', ...signed('later'), function: { arguments: '}' } }),
    ]
    expect(sendBack(readStream([...pieces, ...end]).turn.message)).toMatchObject({ tool_calls: [signed('first')] })
  })

  test('a call that is sent back keeps Gemini’s signature on the call and on the message', () => {
    const signed = { extra_content: { google: { thought_signature: 'c2ln' } } }
    const tool_calls = [{ id: 'c1', type: 'function', ...signed, function: { name: 'find', arguments: '{"q":"x"}' } }]
    const message = { content: null, tool_calls, thought_signature: 'bXNn', extra_content: { google: {} } }
    for (const { turn } of [readWhole(message), readStream([message, '[DONE]'])]) {
      expect(sendBack(turn.message)).toEqual({ role: 'assistant', ...message })
      expect(JSON.stringify(sendBack(turn.message, { callFields: [] }))).toContain('bXNn')
      const elsewhere = send({
        messages: [question, { ...turn.message, provider: 'x', providerMetadata: wire({}, 'x') }],
      })
      expect(elsewhere.text).not.toContain('bXNn')
    }
  })
})

test('a call of a custom tool that has no id keeps its free text too', () => {
  const call = { index: 0, type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } }
  for (const { turn } of [readWhole({ tool_calls: [call] }), readStream([fragment(call), '[DONE]'])]) {
    expect(turn.message.content).toMatchObject([{ toolName: 'sql', input: { input: 'SELECT 1' }, owner: 'client' }])
  }
})

test('a call of a custom tool keeps its free text, and goes back as what it was', () => {
  const sql = { id: 'call_1', type: 'custom', custom: { name: 'sql', input: 'SELECT "a"\n1' } }
  const add = { id: 'call_2', type: 'function', function: { name: 'add', arguments: '{"x":1}' } }
  const pieces = [
    { tool_calls: [{ index: 0, id: 'call_1', type: 'custom', custom: { name: 'sql', input: '' } }] },
    { tool_calls: [{ index: 0, custom: { input: 'SELECT "a"' } }] },
    { tool_calls: [{ index: 0, custom: { input: '\n1' } }] },
    { tool_calls: [{ index: 1, ...add }] },
  ]
  for (const { turn } of [
    readWhole({ content: null, tool_calls: [sql, add] }, { finish: 'tool_calls' }),
    readStream([...pieces, '[DONE]']),
  ]) {
    expect(turn.message.content).toMatchObject([
      { toolName: 'sql', input: { input: 'SELECT "a"\n1' }, owner: 'client' },
      { toolName: 'add', input: { x: 1 } },
    ])
    expect(sendBack(turn.message)?.['tool_calls']).toEqual([sql, add])
  }
})
