import type { AssistantPart } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { wireToolName } from './names.ts'
import { origin, readStream, readWhole, requestOf, responseOf } from './testing.ts'

function partsOf(output: readonly object[]): readonly AssistantPart[] {
  return readWhole(responseOf(output)).turn.message.content
}

const textItem = (content: object) => ({ type: 'message', id: 'msg_1', role: 'assistant', content: [content] })

test('every piece of reasoning is said once: summaries, then raw content', () => {
  const summary = [
    { type: 'summary_text', text: 'One. ' },
    { type: 'summary_text', text: 'Two. ' },
  ]
  const content = [
    { type: 'reasoning_text', text: 'Two. ' },
    { type: 'reasoning_text', text: 'Three.' },
  ]
  expect(partsOf([{ type: 'reasoning', id: 'rs_1', summary, content }])).toMatchObject([{ text: 'One. Two. Three.' }])
})

test('what only the end of an unfinished call holds is added to the deltas before it', () => {
  const item = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'get_weather', arguments: '' }
  const silent = { ...item, arguments: undefined, status: 'incomplete' }
  const cut = readWhole(responseOf([silent], { status: 'incomplete' }))
  expect(cut.turn.message.content).toMatchObject([{ inputText: '', invalid: 'truncated' }])
  for (const [end, inputText] of [
    ['{"city":"Os', '{"city":"Os'],
    [undefined, '{"ci'],
    [null, '{"ci'],
  ]) {
    const done = { ...item, arguments: end, status: 'incomplete' }
    const { turn } = readStream([
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"ci' },
      { type: 'response.output_item.done', output_index: 0, item: done },
      { type: 'response.incomplete', response: responseOf([done], { status: 'incomplete' }) },
    ])
    expect(turn.message.content).toMatchObject([{ type: 'tool-call', inputText, invalid: 'truncated' }])
  }
})

test('a text is kept in its part alone, unless its end says another than its pieces', () => {
  const { content: _, ...message } = textItem({})
  const location = { output_index: 0, content_index: 0 }
  const content = { type: 'output_text', annotations: [], text: 'Rain' }
  const metadataAfter = (delta: string, text: string) =>
    readStream([
      { type: 'response.output_text.delta', ...location, delta },
      { type: 'response.output_item.done', output_index: 0, item: textItem({ ...content, text }) },
      { type: 'response.completed', response: responseOf([]) },
    ]).turn.message.content[0]?.providerMetadata
  const alone = { ...origin, data: { message, index: 0, content: { type: 'output_text', annotations: [] } } }
  expect(metadataAfter('Ra', 'Rain')).toEqual(alone)
  expect(metadataAfter('Rain', '')).toEqual(alone)
  expect(metadataAfter('Snow', 'Rain')).toEqual({ ...origin, data: { message, index: 0, content } })
})

test('the parts of a message are told by their numbers, whichever of them was streamed', () => {
  const added = (content_index: number) => ({
    type: 'response.content_part.added',
    output_index: 0,
    content_index,
    part: { type: 'output_text', text: '' },
  })
  const text = (content_index: number, delta: string) => ({
    type: 'response.output_text.delta',
    output_index: 0,
    content_index,
    delta,
  })
  const item = { ...textItem({}), content: ['One.', 'Two.'].map((said) => ({ type: 'output_text', text: said })) }
  const done = { type: 'response.output_item.done', output_index: 0, item }
  const end = { type: 'response.completed', response: responseOf([item]) }
  for (const pieces of [[text(1, 'Tw')], [added(0), added(1), text(0, 'On'), text(1, 'Tw'), text(0, 'e.')]])
    expect(textsOf(readStream([...pieces, done, end]).turn.message.content)).toEqual(['One.', 'Two.'])
})

function textsOf(parts: readonly AssistantPart[]): readonly string[] {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).toSorted()
}

test('a citation that comes before its text begins it', () => {
  const annotation = { type: 'url_citation', url: 'https://example.com', start_index: 0, end_index: 4 }
  const { turn } = readStream([
    { type: 'response.output_text.annotation.added', output_index: 0, annotation },
    { type: 'response.completed', response: responseOf([]) },
  ])
  expect(turn.message.content).toMatchObject([
    { text: '', citations: [{ url: 'https://example.com', startIndex: 0, endIndex: 4 }] },
  ])
})

test('a function call begins with its item, under the name that the request has for it', () => {
  const item = { type: 'function_call', id: 'fc_1', call_id: 'c', name: wireToolName('get weather'), arguments: '' }
  const done = { ...item, arguments: '{}' }
  const tools = [{ type: 'function', name: 'get weather', inputSchema: {} }] as const
  const location = { output_index: 0 }
  const { events } = readStream(
    [
      { type: 'response.output_item.added', ...location, item },
      { type: 'response.function_call_arguments.delta', ...location },
      { type: 'response.function_call_arguments.delta', ...location, delta: '{}' },
      { type: 'response.output_item.done', ...location, item: done },
      { type: 'response.function_call_arguments.delta', ...location, delta: 'after its end' },
      { type: 'response.completed', response: responseOf([done]) },
    ],
    requestOf({ tools }),
  )
  const call = { part: 0, toolCallId: 'c', toolName: 'get weather', owner: 'client' }
  expect(events.slice(1, -1)).toMatchObject([
    { type: 'tool-call-start', ...call },
    { type: 'tool-call-delta', inputText: '{}' },
    { type: 'tool-call', ...call, input: {} },
  ])
})

test('items whose end never comes are closed by the end of the answer, and unfinished calls are not run', () => {
  const items = [
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c', name: 'sql', input: '' },
    { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] },
  ]
  const tools = [
    { type: 'provider', provider: 'openai', name: 'query', definition: { type: 'custom', name: 'sql' } },
  ] as const
  const { events, turn } = readStream(
    [
      ...items.map((item, output_index) => ({ type: 'response.output_item.added', output_index, item })),
      { type: 'response.custom_tool_call_input.delta', output_index: 1, delta: 'SELECT' },
      { type: 'response.output_text.delta', output_index: 2, delta: 'Ra' },
      { type: 'response.completed', response: responseOf([]) },
    ],
    requestOf({ tools }),
  )
  expect(events).toContainEqual({ type: 'reasoning-start', part: 0 })
  expect(events.filter(({ type }) => type === 'reasoning-end')).toHaveLength(1)
  expect(turn.message.content).toMatchObject([
    { type: 'reasoning' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'query', inputText: 'SELECT', invalid: 'truncated' },
    { type: 'text', text: 'Ra', providerMetadata: { data: { message: { id: 'msg_1', status: 'incomplete' } } } },
  ])
})

test('items without a neutral form keep their slot', () => {
  const items = [
    { type: 'compaction', id: 'cmp_1', encrypted_content: 'e' },
    // No call of its kind came before.
    { type: 'tool_search_output', id: 'tso_1', call_id: null, tools: [] },
    // A compaction's copy of what the user said.
    { ...textItem({ type: 'output_text', text: 'Hi' }), role: 'user' },
    textItem({ type: 'output_text', text: 'Hi' }),
  ]
  expect(partsOf(items).map((part) => part.type)).toEqual(['opaque', 'opaque', 'opaque', 'text'])
})

test('arguments of a call that was not announced wait for its name, and an answer that never names it is malformed', () => {
  const piece = { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"city":"Oslo"}' }
  const whole = { type: 'response.function_call_arguments.done', output_index: 1, arguments: '{"city":"Oslo"}' }
  const completed = { type: 'response.completed', response: responseOf([]) }
  const { turn } = readStream([
    piece,
    { ...piece, output_index: 2, delta: '{}' },
    { ...whole, name: 'weather' },
    { ...whole, output_index: 2, arguments: '{}', name: 'time' },
    completed,
  ])
  expect(turn.message.content).toMatchObject([
    { type: 'tool-call', toolName: 'weather', input: { city: 'Oslo' } },
    { type: 'tool-call', toolName: 'time', input: {} },
  ])
  for (const more of [
    [],
    [whole],
    [
      {
        type: 'response.output_item.done',
        output_index: 1,
        item: { type: 'function_call', call_id: 'call_a', name: '' },
      },
    ],
  ]) {
    const { error, events } = readStream([piece, ...more, completed])
    expect(error).toMatchObject({ code: 'malformed-response' })
    expect(events.map(({ type }) => type)).not.toContain('tool-call-start')
  }
})
