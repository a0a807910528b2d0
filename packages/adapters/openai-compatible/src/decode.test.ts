import { expect, onTestFinished, test, vi } from 'vitest'
import { AdapterError, type JsonObject, type TurnEvent } from '@steploop/core/adapter'
import { readStream, readWhole, requestOf, wireOf } from './testing.ts'

const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 }

function codeOf(error: unknown): string | undefined {
  return AdapterError.isInstance(error) ? error.code : undefined
}

function namesOf(events: readonly TurnEvent[]): string {
  return events.map((event) => event.type).join(' ')
}

test('text in a content array is text, what is unknown keeps its slot and returns', () => {
  const reference = { type: 'reference', reference_ids: [3] }
  const content = [{ type: 'text', text: 'So' }, reference, { type: 'text', text: ' it is.' }]
  for (const { turn } of [readWhole({ content }), readStream([{ content }, '[DONE]'])]) {
    expect(turn.message.content.map((part) => part.type)).toEqual(['text', 'opaque', 'text'])
    const body = wireOf().encode(requestOf({ messages: [turn.message] }), 'generate').body
    expect(JSON.parse(body)).toMatchObject({ messages: [{ role: 'assistant', content }] })
  }
})

test('usage is the last value of each count, never a sum, and null does not erase it', { tags: ['U03'] }, () => {
  const growing = [1, 2, 3].map((completion_tokens) => ({
    choices: [{ index: 0, delta: { content: 'x' } }],
    usage: { prompt_tokens: 10, completion_tokens },
  }))
  const { turn } = readStream([...growing, { choices: [], usage: null }, '[DONE]'])
  expect(turn.usage).toMatchObject({ inputTokens: 10, outputTokens: 3 })
  expect(readStream([{ content: 'x' }, '[DONE]']).turn.usage).toBeUndefined()
})

test.each<JsonObject>([
  { content: '', refusal: '', reasoning: '', reasoning_content: '' },
  { content: ['', null, { type: 'text', text: '' }, { type: 'refusal', refusal: '' }] },
  { reasoning_details: [null, {}, { type: 'reasoning.text', text: '', signature: null }] },
  { tool_calls: [null, {}, { index: 0, id: '', function: { name: '', arguments: '' } }] },
  { annotations: [null, {}, { type: 'url_citation', url_citation: { content: 'quoted' } }] },
  { images: [null, '', { image_url: { url: '' } }] },
  { audio: { id: 'audio_1', data: '' } },
])('%j says nothing, and opens no part', (message) => {
  for (const { events } of [readWhole(message), readStream([message, '[DONE]'])]) {
    expect(namesOf(events)).toBe('turn-start turn-end')
  }
})

test('text of other choices is left alone', () => {
  const { turn } = readStream([
    { choices: [{ index: 1, delta: { content: 'B' } }] },
    { choices: [{ index: 0, delta: { content: 'A' } }] },
    {
      choices: [
        { index: 1, delta: { content: 'B' } },
        { index: 0, delta: { content: 'A' } },
      ],
    },
    '[DONE]',
  ])
  expect(turn.message.content).toMatchObject([{ text: 'AA' }])
})

test('the end of a stream is the end of the bytes for a dialect without evidence, with a warning', () => {
  const { turn } = readStream([{ content: 'Hallo' }], { dialect: { terminal: 'eof' } })
  expect(turn).toMatchObject({ finishReason: 'stop', warnings: [{ type: 'unproven-end' }] })
  expect(codeOf(readStream([], { dialect: { terminal: 'eof' } }).error)).toBe('incomplete-stream')
})

test('the end of a stream without any choice is an empty response', () => {
  expect(codeOf(readStream([{ choices: [], usage }, '[DONE]']).error)).toBe('empty-response')
  expect(codeOf(readWhole({}, { body: { choices: [] } }).error)).toBe('empty-response')
  expect(codeOf(readWhole({}, { body: { choices: undefined } }).error)).toBe('malformed-response')
})

test('the end of a stream may repeat the finish reason and follow it with null and with usage', () => {
  const { turn, events } = readStream([
    { content: 'Hallo', finish_reason: 'length' },
    { finish_reason: 'length' },
    { choices: [{ index: 0, delta: { content: '' }, finish_reason: null }], usage },
    '[DONE]',
    { content: 'after the end' },
  ])
  expect(turn).toMatchObject({ finishReason: 'length', rawFinishReason: 'length', usage: { inputTokens: 10 } })
  expect(events.filter((event) => event.type === 'turn-end')).toHaveLength(1)
  expect(turn.message.content).toMatchObject([{ text: 'Hallo' }])
})

test.each<[string, (text: string) => JsonObject]>([
  ['content', (content) => ({ choices: [{ delta: { content } }] })],
  ['reasoning_content', (reasoning_content) => ({ choices: [{ delta: { reasoning_content } }] })],
  ['reasoning', (reasoning) => ({ choices: [{ delta: { reasoning } }] })],
  ['arguments', (text) => ({ choices: [{ delta: { tool_calls: [{ function: { arguments: text } }] } }] })],
  ['obfuscation', (obfuscation) => ({ obfuscation })],
  ['p', (p) => ({ p })],
])('chunks that differ in %s alone are read by what differs', (_, chunk) => {
  const frames = [chunk('a'), chunk('bc'), { id: 'last' }].map((one) => JSON.stringify(one))
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  readStream(frames)
  expect(frames.map((frame) => parse.mock.calls.some(([text]) => text === frame))).toEqual([true, false, true])
})

/** A choice whose delta is a piece of a call. */
function piece(text: unknown, more: JsonObject = {}, delta: JsonObject = {}): JsonObject {
  return { delta: { ...delta, tool_calls: [{ index: 0, ...more, function: { arguments: text } }] } }
}

function named(id: string, text: string, index = 0): JsonObject {
  return { index, id, function: { name: 'look', arguments: text } }
}

const cited = { annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.com' } }] }
const sure = { logprobs: { content: [{ token: 'a', logprob: -1 }] } }

test.each<[string, (text: string) => JsonObject]>([
  ['a text', (content) => ({ delta: { role: 'assistant', content } })],
  ['a text with citations', (content) => ({ delta: { content, ...cited } })],
  ['a text with a refusal', (content) => ({ delta: { content, refusal: 'No.' } })],
  ['a text with a thought', (content) => ({ delta: { content, reasoning: 'Hm.' } })],
  ['a text with probabilities', (content) => ({ delta: { content }, ...sure })],
  ['a text with an end', (content) => ({ delta: { content }, finish_reason: 'stop' })],
  ['a text with a call', (content) => piece('{', {}, { content })],
  ['a list of texts', () => ({ delta: { content: ['So'] } })],
  ['a thought', (reasoning) => ({ delta: { reasoning } })],
  ['a call', (text) => piece(text, { id: null, type: 'function' }, { content: null, role: 'assistant' })],
  ['a call with a list of texts', (text) => piece(text, {}, { content: ['So'] })],
  ['a call with an id', (text) => piece(text, { id: 'first' })],
  ['a call with a name', (text) => ({ delta: { tool_calls: [{ function: { name: 'find', arguments: text } }] } })],
  ['a call with what goes back with it', (text) => piece(text, { extra_content: { seal: 's' } })],
  ['a call with an end', (text) => ({ ...piece(text), finish_reason: 'length' })],
  [
    'two calls',
    (text) => ({ delta: { tool_calls: [{ index: 0, function: { arguments: text } }, named('third', '}', 1)] } }),
  ],
  ['arguments that are no text', () => piece({})],
  ['no arguments', () => piece('', { index: 1 })],
])('%s is read in chunks that repeat as in any others', (_, choice) => {
  // The first cannot be told from the name `p`, the third decides how all that follow are read.
  const texts = ['a', 'bc', '"d"', '', 'e']
  const choices = [...texts.map(choice), ...texts.map((content) => ({ delta: { content } }))]
  // A member that nobody reads, and that no two chunks have in common, so that each is parsed in full.
  const [repeated, unlike] = [() => 0, (at: number) => at].map((created) => {
    const chunks = choices.map((one, at) => ({ created: created(at), p: 'p'.repeat(at + 1), choices: [one] }))
    const begun = { tool_calls: [named('first', '{'), named('second', '{', 1)] }
    return readStream([begun, ...chunks, '[DONE]'])
  })
  expect(repeated).toEqual(unlike)
})

test('probabilities of the tokens are told with the end of the turn, even those of a single one', () => {
  const [token] = sure.logprobs.content
  const choice = { delta: { content: 'a' }, ...sure }
  for (const times of [1, 2]) {
    const chunks = Array.from({ length: times }, () => ({ choices: [choice] }))
    expect(readStream([...chunks, '[DONE]']).turn.logprobs).toMatchObject(chunks.map(() => token))
  }
  expect(readStream([{ content: 'a' }, '[DONE]']).turn).not.toHaveProperty('logprobs')
})

test('sources that are documents or results of tools are named by their id', () => {
  const annotations = [
    { type: 'document_citation', document_citation: { document_id: 'doc_1', start_index: 0, end_index: 2 } },
    { type: 'function_citation', function_citation: { tool_call_id: 'call_1', start_index: 3, end_index: 5 } },
  ]
  const citations = [
    { kind: 'file', title: 'doc_1', startIndex: 0, endIndex: 2 },
    { title: 'call_1', startIndex: 3, endIndex: 5 },
  ]
  for (const content of ['So it is.', '']) {
    expect(readWhole({ content, annotations }).turn.message.content).toMatchObject([{ text: content, citations }])
  }
})

const entry = { index: 0, type: 'search', arguments: '{"query":"x"}', output: 'Found it.' }

test('tools that the provider ran without saying with what have no input', () => {
  const { turn } = readWhole({ content: 'Done.', executed_tools: [{ type: 'search' }] })
  expect(turn.message.content).toMatchObject([{ toolName: 'search', input: {}, inputText: '' }, { type: 'text' }])
  const { turn: nameless } = readWhole({ content: 'Done.', executed_tools: [{ output: 'x' }] })
  expect(nameless.message.content).toMatchObject([{ type: 'tool-call', toolName: 'tool' }, { toolName: 'tool' }, {}])
})

test('tools that the provider ran are left out of later requests with a warning, unless the dialect sends them back', () => {
  const { turn } = readWhole({ content: 'Done.', executed_tools: [entry] })
  const encode = (dialect?: object) => wireOf(dialect).encode(requestOf({ messages: [turn.message] }), 'generate')
  expect(encode().warnings).toMatchObject([{ type: 'dropped' }])
  expect(encode().body).not.toContain('search')
  const replayed = encode({ replayExecutedTools: true })
  expect(replayed.warnings).toEqual([])
  expect(JSON.parse(replayed.body)).toMatchObject({ messages: [{ executed_tools: [entry] }] })
})

test('pictures that the model made are files and return to their provider', () => {
  const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }]
  const { turn } = readWhole({ content: 'Here.', images })
  expect(turn.message.content[1]).toMatchObject({ type: 'file', mediaType: 'image/png', data: 'aGk=' })
  const { body } = wireOf().encode(requestOf({ messages: [turn.message] }), 'generate')
  expect(JSON.parse(body)).toMatchObject({ messages: [{ content: 'Here.', images }] })
})

test('what nobody knows is skipped: fields, event names, blank data, chunks that are no objects', () => {
  const { turn, error } = readStream([
    '',
    ' ',
    '[]',
    '"x"',
    'null',
    { obfuscation: 'abc', content: 'Hi', novelty: { a: 1 } },
    ' [DONE] ',
    { content: 'after the end' },
  ])
  expect(error).toBeUndefined()
  expect(turn.message.content).toEqual([{ type: 'text', text: 'Hi' }])
})
