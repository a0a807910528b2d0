import { describe, expect, test } from 'vitest'
import type { ToolCallPart, Turn } from '@steploop/core/adapter'
import { assistant, question, readStream, readWhole, requestOf, send, sendBack, origin } from './testing.ts'

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

test('parallel calls in a stream, one fragment per chunk gives two calls with their arguments', () => {
  const { turn, events } = readStream([...first, start, rest, last, ...end])
  expect(callsOf(turn)).toEqual(both)
  expect(turn.finishReason).toBe('tool-calls')
  expect(events.filter((event) => event.type === 'tool-call-start')).toHaveLength(2)
  expect(events.filter((event) => event.type === 'tool-call-delta')).toHaveLength(4)
})

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
  'parallel calls in a stream, one fragment per chunk keeps fragments that come before the start chunk of their call',
  { tags: ['S03'] },
  () => {
    expect(callsOf(readStream([...first, rest, start, last, ...end]).turn)).toEqual(both)
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

test('a call counts whatever the finish reason says', () => {
  const call = { id: 'c1', function: { name: 'list_alerts' } }
  for (const finish of ['stop', '', 'tool_calls', 'function_call']) {
    const { turn } = readWhole({ tool_calls: [call] }, { finish })
    expect([turn.finishReason, callsOf(turn)]).toEqual(['tool-calls', [['c1', 'list_alerts', {}]]])
  }
})

test('a call may start at index 1, without an index, or whole in the finish chunk', { tags: ['S06'] }, () => {
  const call = { id: 'c1', function: { name: 'list_alerts', arguments: '{}' } }
  const expected = [['c1', 'list_alerts', {}]]
  expect(callsOf(readStream([fragment({ index: 1, ...call }), '[DONE]']).turn)).toEqual(expected)
  expect(callsOf(readStream([{ ...fragment(call), finish_reason: 'tool_calls' }]).turn)).toEqual(expected)
})

test('a call goes on when the id is empty and its name is repeated', () => {
  const { turn } = readStream([
    fragment({ index: 0, id: 'c1', function: { name: 'find', arguments: '{"q":' } }),
    fragment({ index: 0, id: '', type: 'function', function: { name: '', arguments: '"ü"}' } }),
    fragment({ index: 0, id: '', type: 'function', function: { arguments: '' } }),
    '[DONE]',
  ])
  expect(callsOf(turn)).toEqual([['c1', 'find', { q: 'ü' }]])
})

test('a call without an id gets one from its turn, for itself and for its result', { tags: ['E22'] }, () => {
  const { turn } = readWhole(
    { tool_calls: [{ id: '', function: { name: 'now', arguments: '{}' } }] },
    {
      request: requestOf({ turn: 2 }),
    },
  )
  expect(callsOf(turn)).toEqual([['call_2_0', 'now', {}]])
  const output = { type: 'text', value: 'Noon' } as const
  const result = { type: 'tool-result', toolCallId: 'call_2_0', toolName: 'now', output } as const
  const { messages } = send({ messages: [question, turn.message, { role: 'tool', content: [result] }] })
  expect(messages[1]).toMatchObject({ tool_calls: [{ id: 'call_2_0' }] })
  expect(messages[2]).toEqual({ role: 'tool', tool_call_id: 'call_2_0', content: 'Noon' })
})

test('a call has no id either where the text "null" stands for one', () => {
  const { turn } = readWhole({ tool_calls: [{ id: 'null', function: { name: 'now' } }] })
  expect(callsOf(turn)).toEqual([['call_0_0', 'now', {}]])
})

test('a call takes arguments that come as an object', () => {
  const { turn } = readWhole({ tool_calls: [{ id: 'c1', function: { name: 'find', arguments: { q: 'x' } } }] })
  expect(callsOf(turn)).toEqual([['c1', 'find', { q: 'x' }]])
})

test('a call with arguments that are no object is invalid, never one without arguments', () => {
  const { turn } = readWhole({ tool_calls: [{ id: 'c1', function: { name: 'find', arguments: ['Zug'] } }] })
  expect(turn.message.content).toMatchObject([{ invalid: 'unparsable', inputText: '["Zug"]' }])
})

test('a call that an empty or missing list, or an empty fragment, does not announce does not exist', () => {
  expect(callsOf(readWhole({ content: 'Hi', tool_calls: [] }).turn)).toEqual([])
  expect(callsOf(readStream([{ content: 'Hi', tool_calls: null }, { tool_calls: [{}] }, '[DONE]']).turn)).toEqual([])
})

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
  const call: ToolCallPart = {
    type: 'tool-call',
    toolCallId: 'call_7',
    toolName: 'find',
    input: { q: 'x' },
    inputText: '{ "q": "x" }',
    owner: 'loop',
  }
  const wire = (data: unknown, provider = origin.provider) => ({ provider, model: 'm', data })

  test('a call that is sent back keeps the provider’s own id and argument text, and its result has the same id', () => {
    const own = { ...call, providerMetadata: wire({ id: 'Own.Id/1' }) }
    const result = {
      type: 'tool-result',
      toolCallId: 'call_7',
      toolName: 'find',
      output: { type: 'json', value: [1] },
    } as const
    const { messages, warnings } = send({ messages: [question, assistant([own]), { role: 'tool', content: [result] }] })
    expect(messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'Own.Id/1', type: 'function', function: { name: 'find', arguments: '{ "q": "x" }' } }],
      },
      { role: 'tool', tool_call_id: 'Own.Id/1', content: '[1]' },
    ])
    expect(warnings).toEqual([])
  })

  test('a call of another provider that is sent back gets a legal id and its input as text; ids that only differ in illegal characters stay apart', () => {
    const ids = ['fc:1', 'fc|1'].map((toolCallId) => {
      const foreign = { ...call, toolCallId, providerMetadata: wire({ id: 'own' }, 'other') }
      const { messages } = send({ messages: [question, assistant([foreign], 'other')] })
      expect(messages[1]).toMatchObject({ tool_calls: [{ function: { arguments: '{"q":"x"}' } }] })
      return JSON.stringify(messages[1]).match(/"id":"([^"]+)"/)?.[1]
    })
    expect(ids[0]).toMatch(/^fc_1_[a-z0-9]{7}$/)
    expect(ids[1]).toMatch(/^fc_1_[a-z0-9]{7}$/)
    expect(ids[0]).not.toBe(ids[1])
  })

  test('a call with unusable arguments is sent back as {} and is reported', () => {
    const own = wire({ id: 'call_7' })
    const broken: ToolCallPart = {
      ...call,
      input: undefined,
      inputText: '{"q":',
      invalid: 'unparsable',
      providerMetadata: own,
    }
    const { messages, warnings } = send({ messages: [question, assistant([broken])] })
    expect(messages[1]).toMatchObject({ tool_calls: [{ function: { arguments: '{}' } }] })
    expect(warnings).toMatchObject([{ type: 'coerced', path: 'assistant.content[0].input' }])
  })

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

const name = 'météo.actuelle'
const tools = [{ type: 'function', name, inputSchema: { type: 'object' } }] as const

test('a tool name that is not legal is mapped, and mapped back', { tags: ['E19'] }, () => {
  const { body } = send({ tools, toolChoice: { type: 'tool', toolName: name } })
  const sent = JSON.stringify(body['tools']).match(/"name":"([\w-]+)"/)?.[1] ?? ''
  expect(body['tool_choice']).toEqual({ type: 'function', function: { name: sent } })
  const { turn } = readWhole(
    { tool_calls: [{ id: 'c1', function: { name: sent } }] },
    { request: requestOf({ tools }) },
  )
  expect(callsOf(turn)).toEqual([['c1', name, {}]])
  expect(sendBack(turn.message)).toMatchObject({ tool_calls: [{ function: { name: sent } }] })
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
