import { expect, it, onTestFinished, vi } from 'vitest'
import { toolNames, wireToolName } from './names.ts'
import {
  call,
  close,
  decoded,
  delta,
  ending,
  messageOf,
  open,
  origin,
  requestOf,
  start,
  stop,
  streamed,
  turnOf,
} from './testing.ts'
import { anthropicMessages } from './wire.ts'

function contentOf(...events: readonly (object | string)[]) {
  return turnOf(streamed([start, ...events, ending('end_turn'), stop])).message.content
}

it('a text keeps the citations of its beginning and of its deltas, and goes back with them', () => {
  const [first, second] = ['a', 'b'].map((name) => ({
    type: 'web_search_result_location',
    url: `https://${name}.example`,
    document_index: null,
  }))
  const content = contentOf(
    open(0, { type: 'text', text: '', citations: [first, 'none'] }),
    delta(0, { type: 'citations_delta', citation: second }),
    delta(0, { type: 'text_delta', text: 'Rain.' }),
  )
  expect(content).toEqual([
    {
      type: 'text',
      text: 'Rain.',
      citations: [{ url: 'https://a.example' }, { url: 'https://b.example' }],
      providerMetadata: { ...origin, data: { citations: [first, second] } },
    },
  ])
})

it.each([
  ['tool_use', 'client'],
  ['server_tool_use', 'provider'],
])('a call of the type %s has the id that it is given, or one of its turn and place', (type, owner) => {
  const wire = requestOf({ turn: 3 })
  const name = 'now'
  // PHP writes an empty object as a list.
  for (const input of [{}, [], undefined]) {
    const events = [start, open(1, { type, name, input }), close(1), ending('tool_use'), stop]
    const [made] = turnOf(streamed(events, wire)).message.content
    expect(made).toMatchObject({ toolCallId: 'call_3_0', toolName: name, owner, inputText: '', input: {} })
  }
  const given = contentOf(
    open(0, { type, id: 'toolu_1', name, input: {}, caller: { type: 'direct' } }),
    delta(0, { type: 'input_json_delta' }),
    delta(0, { type: 'input_json_delta', partial_json: '{"a":' }),
    delta(0, { type: 'input_json_delta', partial_json: '1}' }),
  )
  const rest = { id: 'toolu_1', caller: { type: 'direct' } }
  expect(given).toMatchObject([{ toolCallId: 'toolu_1', owner, input: { a: 1 } }])
  expect(given[0]?.providerMetadata?.data).toEqual(owner === 'client' ? rest : { type, ...rest })
})

it('a call has the name that the request knows its tool by', () => {
  const tools = [{ type: 'function', name: 'get weather', inputSchema: {} }] as const
  const name = wireToolName('get weather')
  expect(toolNames(tools).get(name)).toBe('get weather')
  const events = streamed([start, ...call(0, 'toolu_1', name, '{}'), ending('tool_use'), stop], { tools })
  expect(events.filter(({ type }) => type.startsWith('tool-call'))).toMatchObject([
    { type: 'tool-call-start', part: 0, toolName: 'get weather' },
    { type: 'tool-call-delta' },
    { type: 'tool-call', toolName: 'get weather' },
  ])
})

it('a block ends where its end says so, whichever it is', () => {
  const decoder = anthropicMessages(origin).createDecoder(requestOf())
  const out: Parameters<typeof decoder.push>[1] = []
  const push = (event: object): void => decoder.push({ data: JSON.stringify(event) }, out)
  for (const event of [start, ...call(0, 'toolu_1', 'a', '{}'), ...call(1, 'toolu_2', 'b', '{"x":1}')]) push(event)
  expect(out.at(-1)).toMatchObject({ type: 'tool-call', toolCallId: 'toolu_2', input: { x: 1 } })
  expect(decoder.progress?.()).toBe('open')
  push(ending('tool_use'))
  push(stop)
  expect(decoder.progress?.()).toBe('done')
  decoder.push({ data: JSON.stringify(start) }, out)
  decoder.end(out)
  expect(out.at(-1)).toEqual({
    type: 'turn-end',
    finishReason: 'tool-calls',
    rawFinishReason: 'tool_use',
    usage: { inputTokens: 10, outputTokens: 5 },
    responseId: 'msg_1',
    model: 'claude-x',
  })
})

it.each([
  ['max_tokens', ['{"city":"Be']],
  ['model_context_window_exceeded', []],
  ['refusal', []],
  ['refusal', ['{"city":"Be']],
  ['refusal', [' ']],
])('a call that was cut off by %s after %j is told of as truncated', (reason, pieces) => {
  for (const type of ['tool_use', 'server_tool_use']) {
    const half = open(0, { type, id: 'toolu_1', name: 'weather', input: {} })
    const events = streamed([start, half, ...call(0, 'toolu_1', 'weather', ...pieces).slice(1), ending(reason), stop])
    expect(events.find((event) => event.type === 'tool-call')).toMatchObject({ invalid: 'truncated', input: undefined })
  }
})

it('a call without arguments is told of when the next block begins, and once', () => {
  const text = [open(1, { type: 'text', text: 'And' }), close(1)]
  const events = streamed([
    start,
    ...call(0, 'toolu_1', 'now'),
    ...text,
    ...call(2, 'toolu_2', 'now'),
    ending('tool_use'),
    stop,
  ])
  expect(events.map(({ type }) => type)).toEqual([
    'turn-start',
    'tool-call-start',
    'tool-call',
    'text-start',
    'text-delta',
    'text-end',
    'tool-call-start',
    'tool-call',
    'turn-end',
  ])
})

it('a call that ended before another did is whole, although the answer was cut', () => {
  const [first, end] = call(0, 'toolu_1', 'now')
  const [second, last] = call(1, 'toolu_2', 'now')
  const turn = turnOf(
    streamed([start, first, second, end, last, ending('max_tokens'), stop].map((event) => event ?? {})),
  )
  expect(turn.message.content).toMatchObject([
    { toolCallId: 'toolu_1', input: {} },
    { toolCallId: 'toolu_2', invalid: 'truncated' },
  ])
})

it('a thought whose signature is empty has nothing to go back with', () => {
  const block = { type: 'thinking', thinking: 'Hm.', signature: '' }
  expect(turnOf(decoded(messageOf([block]))).message.content).toEqual([{ type: 'reasoning', text: 'Hm.' }])
})

it('an answer may begin with its end', () => {
  expect(streamed([ending('end_turn'), stop]).map(({ type }) => type)).toEqual(['turn-start', 'turn-end'])
})

it('frames that are no JSON are malformed, and those that are no object say nothing', () => {
  expect(() => streamed([start, '{"type":'])).toThrow(
    expect.objectContaining({ code: 'malformed-response', ...origin }),
  )
  expect(contentOf('null', '[1]', '7')).toEqual([])
})

it.each([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'partial_json'],
])('deltas of the type %s are read by what differs in their %s alone', (type, name) => {
  const frames = ['a', 'bc'].map((piece) => JSON.stringify(delta(0, { type, [name]: piece })))
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  streamed([start, ...frames, ending('end_turn'), stop])
  expect(frames.map((frame) => parse.mock.calls.some(([text]) => text === frame))).toEqual([true, false])
})
