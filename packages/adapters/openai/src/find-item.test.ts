import { expect, test } from 'vitest'
import { readStream, responseOf } from './testing.ts'

/** Sources: vLLM, `vllm/entrypoints/openai/responses` and its issue 45742; LiteLLM, pull request 36375. */
const call = { type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '{"city":"Oslo"}' }

const reasoningItem = (id: string) => ({
  type: 'reasoning',
  id,
  summary: [],
  content: [{ type: 'reasoning_text', text: 'Hm.' }],
})
const messageItem = (id: string, text = 'Rain.') => ({
  type: 'message',
  id,
  role: 'assistant',
  content: text === '' ? [] : [{ type: 'output_text', text, annotations: [] }],
})

const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item })
const done = (output_index: number, item: object) => ({ type: 'response.output_item.done', output_index, item })
const piece = (kind: string, location: object, delta: string) => ({
  type: `response.${kind}.delta`,
  ...location,
  delta,
})
const completed = (...output: object[]) => ({ type: 'response.completed', response: responseOf(output) })
const part = (location: object) => ({
  type: 'response.content_part.added',
  ...location,
  part: { type: 'output_text', text: '', annotations: [] },
})

function contentOf(events: readonly object[]): readonly object[] {
  const { turn, error } = readStream(events)
  expect(error).toBeUndefined()
  return turn.message.content
}

test('a message whose pieces are counted in `content_index`, after a part announced in the reasoning, is said once (vLLM)', () => {
  const first = { output_index: 0, item_id: 'a' }
  const second = { output_index: 1, item_id: 'b' }
  const both = { ...messageItem('b'), content: ['Rain.', 'Wind.'].map((text) => ({ type: 'output_text', text })) }
  const content = contentOf([
    added(0, { type: 'reasoning', id: 'a', summary: [] }),
    part({ ...first, content_index: 0 }),
    piece('reasoning_text', { ...first, content_index: 1 }, 'H'),
    piece('reasoning_text', { ...first, content_index: 2 }, 'm.'),
    done(0, reasoningItem('a')),
    added(0, messageItem('a', '')),
    part({ ...second, content_index: 0 }),
    piece('output_text', { ...second, content_index: 1 }, 'Ra'),
    piece('output_text', { ...second, content_index: 2 }, 'in.'),
    part({ ...second, content_index: 3 }),
    piece('output_text', { ...second, content_index: 4 }, 'Wind.'),
    done(1, both),
    completed(reasoningItem('c'), both),
  ])
  expect(content).toMatchObject([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Rain.' },
    { type: 'text', text: 'Wind.' },
  ])
})

test('an item that is done under the index of the next belongs to its id, and one without an id to the only open one of its type (vLLM)', () => {
  const content = contentOf([
    added(1, { type: 'reasoning', id: 'a', summary: [] }),
    piece('reasoning_text', { output_index: 1, item_id: 'a', content_index: 0 }, 'Hm.'),
    done(2, reasoningItem('a')),
    added(2, { ...call, id: 'fc_1', call_id: 'call_b', arguments: '' }),
    piece('function_call_arguments', { output_index: 2, item_id: 'fc_1' }, call.arguments),
    done(3, call),
    completed(reasoningItem('b'), { ...call, call_id: 'call_c' }),
  ])
  expect(content).toMatchObject([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'tool-call', toolName: 'weather', input: { city: 'Oslo' } },
  ])
})

test('items that share one `output_index` are recognised by their ids and types (LiteLLM)', () => {
  const text = { output_index: 0, item_id: 'b', content_index: 0 }
  const content = contentOf([
    added(0, { type: 'reasoning', id: 'a', summary: [] }),
    added(0, messageItem('b', '')),
    piece('reasoning_text', { output_index: 0, item_id: 'never announced' }, 'Hm.'),
    piece('output_text', text, 'Rain.'),
    added(0, { ...call, id: 'fc_1', arguments: '' }),
    done(0, { ...reasoningItem('a'), content: [] }),
    done(0, messageItem('b')),
    done(0, { ...call, id: 'fc_1' }),
    completed(),
  ])
  expect(content).toMatchObject([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Rain.' },
    { type: 'tool-call', toolCallId: 'call_a', input: { city: 'Oslo' } },
  ])
})

test('items that share one id are recognised by their index', () => {
  const content = contentOf([
    added(0, messageItem('msg', '')),
    added(0, messageItem('msg', '')),
    added(1, messageItem('msg', '')),
    piece('output_text', { output_index: 0, item_id: 'msg', content_index: 0 }, 'One.'),
    piece('output_text', { output_index: 1, item_id: 'msg', content_index: 0 }, 'Two.'),
    done(0, messageItem('msg', 'One.')),
    done(1, messageItem('msg', 'Two.')),
    done(1, messageItem('msg', 'Two.')),
    completed(),
  ])
  expect(content).toMatchObject([{ text: 'One.' }, { text: 'Two.' }])
})

test('items that share index and id are recognised by their types', () => {
  const content = contentOf([
    added(0, { type: 'reasoning', id: 'a', summary: [] }),
    done(0, reasoningItem('a')),
    added(0, messageItem('a', '')),
    piece('output_text', { output_index: 0, item_id: 'a', content_index: 0 }, 'Rain.'),
    done(0, messageItem('a')),
    completed(),
  ])
  expect(content).toMatchObject([{ text: 'Hm.' }, { text: 'Rain.' }])
})

test('what only the final response holds is added, also where the ids of all other items have changed', () => {
  const content = contentOf([done(0, messageItem('a')), completed(messageItem('b'), call)])
  expect(content).toMatchObject([{ text: 'Rain.' }, { toolCallId: 'call_a' }])
  // vLLM counts on before the first item begins.
  expect(contentOf([done(1, messageItem('a')), completed(messageItem('b'), call)])).toMatchObject([
    { text: 'Rain.' },
    { toolCallId: 'call_a' },
  ])
  const text = (output_index: number, delta: string) => piece('output_text', { output_index, content_index: 0 }, delta)
  const begun = [done(0, messageItem('a', 'One.')), added(1, messageItem('b', '')), text(1, 'Tw')]
  expect(contentOf([...begun, completed(messageItem('a', 'One.'), messageItem('c', 'Two.'))])).toMatchObject([
    { text: 'One.' },
    { text: 'Two.' },
  ])
  const both = [added(0, messageItem('a', '')), added(1, messageItem('b', ''))]
  const renamed = completed(messageItem('c', 'One.'), messageItem('d', 'Two.'))
  expect(contentOf([...both, text(0, 'On'), text(1, 'Tw'), renamed])).toMatchObject([
    { text: 'One.' },
    { text: 'Two.' },
  ])
  const swapped = completed(messageItem('b', 'Two.'), messageItem('a', 'One.'))
  // Each is closed with what its own id says.
  expect(contentOf([...both, swapped])).toMatchObject([
    { text: 'Two.', providerMetadata: { data: { message: { id: 'b' }, index: 1 } } },
    { text: 'One.', providerMetadata: { data: { message: { id: 'a' }, index: 0 } } },
  ])
})

test('an item stays what it began as, whatever type or role its end gives it', () => {
  const content = contentOf([
    added(0, { ...messageItem('a', ''), role: null }),
    piece('output_text', { output_index: 0, item_id: 'a', content_index: 0 }, 'Ra'),
    done(0, { id: 'a', role: 'user', content: [{ type: 'text', text: 'Rain.' }] }),
    added(1, { type: 'web_search_call', id: 'ws_1' }),
    done(1, { id: 'ws_1', status: 'completed' }),
    completed({ type: 'message', id: 'ws_1', role: 'assistant', content: [] }),
  ])
  expect(content).toMatchObject([
    { type: 'text', text: 'Rain.' },
    { type: 'tool-call', toolCallId: 'ws_1', owner: 'provider' },
    { type: 'tool-result', toolCallId: 'ws_1' },
  ])
})
