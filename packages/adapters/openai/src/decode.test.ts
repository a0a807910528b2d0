import { AdapterError } from '@steploop/core/adapter'
import { decodeEvents } from '@steploop/core/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { encoded, eventsOf, origin, question, readStream, readWhole, requestOf, responseOf } from './testing.ts'
import { openaiResponses } from './wire.ts'

const created = { type: 'response.created', response: { id: 'resp_1', model: 'gpt-5-2025', status: 'in_progress' } }
const completed = { type: 'response.completed', response: responseOf([]) }
const call = { type: 'function_call', id: 'fc_1', call_id: 'call_a', name: 'weather', arguments: '{"city":"Oslo"}' }
const message = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Rain.', annotations: [] }],
}

function codeOf(error: unknown): string | undefined {
  return AdapterError.isInstance(error) ? error.code : undefined
}

test('a stream starts with the response id and model, and ends with the same', () => {
  const { events } = readStream([created, completed])
  expect(events[0]).toEqual({ type: 'turn-start', responseId: 'resp_1', model: 'gpt-5-2025' })
  expect(events.at(-1)).toMatchObject({
    ...events[0],
    type: 'turn-end',
    finishReason: 'stop',
    rawFinishReason: 'completed',
  })
})

test('a stream keeps what only its beginning says of id, model and usage', () => {
  const usage = { input_tokens: 3, output_tokens: 1 }
  const begun = { ...created, response: { ...created.response, usage } }
  const { events } = readStream([begun, { type: 'response.completed', response: { output: [] } }])
  expect(events.at(-1)).toMatchObject({ responseId: 'resp_1', model: 'gpt-5-2025', usage: { inputTokens: 3 } })
})

test('a stream is read by what differs where events differ in a text, its padding and their count alone', () => {
  const type = 'response.output_text.delta'
  const frames = [
    { type, delta: 'a', obfuscation: 'x', sequence_number: 1 },
    { type, delta: 'bc', obfuscation: 'yz', sequence_number: 2 },
    completed,
  ].map((event) => JSON.stringify(event))
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  readStream(frames)
  expect(frames.map((frame) => parse.mock.calls.some(([text]) => text === frame))).toEqual([true, false, true])
})

test('a stream is incomplete without a terminal event, and `[DONE]` is none', () => {
  expect(
    codeOf(readStream([created, { type: 'response.output_item.done', output_index: 0, item: call }, '[DONE]']).error),
  ).toBe('incomplete-stream')
})

test('a stream takes arguments that come only when they are done', () => {
  const { turn } = readStream([
    created,
    { type: 'response.output_item.added', output_index: 0, item: { ...call, arguments: '' } },
    { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"city":"Oslo"}' },
    { type: 'response.output_item.done', output_index: 0, item: { ...call, arguments: '' } },
    completed,
  ])
  expect(turn.message.content).toMatchObject([{ type: 'tool-call', toolCallId: 'call_a', input: { city: 'Oslo' } }])
  expect(turn.finishReason).toBe('tool-calls')
  const unannounced = readStream([
    { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"city":"Oslo"}' },
    { type: 'response.output_item.done', output_index: 0, item: { ...call, arguments: '' } },
    completed,
  ])
  expect(unannounced.turn.message.content).toMatchObject([{ toolName: 'weather', input: { city: 'Oslo' } }])
})

test('a stream reports one fault once, from a nested or a flat error event, after what came before', () => {
  const nested = {
    type: 'error',
    error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'No credit.' },
  }
  const flat = { type: 'error', code: 'server_error', message: 'Oops.', param: null }
  const delta = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Ra' }
  const failed = readStream([created, delta, nested])
  expect(failed.error).toMatchObject({ code: 'insufficient-credit', providerMessage: 'No credit.', retryable: false })
  expect(failed.turn.message.content).toMatchObject([{ type: 'text', text: 'Ra' }])
  expect(codeOf(readStream([created, flat]).error)).toBe('server-error')
  expect(codeOf(readStream([created, { error: 'rate_limit_exceeded' }]).error)).toBe('unknown')
  expect(codeOf(readStream([created, { type: 'response.cancelled', response: { id: 'resp_1' } }]).error)).toBe(
    'aborted',
  )
  expect(codeOf(readStream([created, { type: 'response.failed', response: {} }]).error)).toBe('unknown')
})

test('a stream may name its events beside the data alone', () => {
  const progress: unknown[] = []
  const { error, turn } = decodeEvents((out) => {
    const decoder = openaiResponses(origin).createDecoder(requestOf())
    for (const { type: event, ...data } of eventsOf([message])) {
      progress.push(decoder.progress?.())
      decoder.push({ event, data: JSON.stringify(data) }, out)
    }
    progress.push(decoder.progress?.())
    decoder.end(out)
  }, origin)
  expect(error).toBeUndefined()
  expect(progress).toEqual(['open', 'open', 'open', 'done'])
  expect(turn).toMatchObject({ finishReason: 'stop', message: { content: [{ type: 'text', text: 'Rain.' }] } })
})

test('a stream of a server that leaves the index out is put together by item id, else by order', () => {
  const text = (delta: string, item_id?: string) => ({ type: 'response.output_text.delta', item_id, delta })
  const added = (id: string) => ({ type: 'response.output_item.added', item: { ...message, id, content: [] } })
  const { turn } = readStream([
    created,
    added('a'),
    { type: 'response.output_text.delta', item_id: 'a' },
    { type: 'response.content_part.added', item_id: 'a', part: { type: 'output_text', text: '' } },
    added('b'),
    text('A', 'a'),
    text('B', 'b'),
    text('C'),
    {
      type: 'response.output_item.done',
      item: { ...message, id: 'a', content: ['A', 'A2'].map((said) => ({ type: 'output_text', text: said })) },
    },
    text('too late', 'a'),
    { type: 'response.output_text.annotation.added', item_id: 'a', annotation: { url: 'https://too.late' } },
    { type: 'response.content_part.added', item_id: 'a', content_index: 7, part: { type: 'output_text', text: '' } },
    completed,
  ])
  expect(turn.message.content).toMatchObject([{ text: 'A' }, { text: 'BC' }, { text: 'A2' }])
})

test('a stream whose items were never announced gives them the type of their first event', () => {
  const location = { output_index: 0 }
  const { turn } = readStream([
    { type: 'response.reasoning_summary_text.delta', ...location, delta: 'H' },
    { type: 'response.reasoning_text.delta', ...location, delta: 'm.' },
    { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"city":' },
    { type: 'response.function_call_arguments.delta', output_index: 1, delta: '"Oslo"}' },
    { type: 'response.custom_tool_call_input.delta', output_index: 2, delta: 'SELECT' },
    { type: 'response.output_item.done', output_index: 1, item: call },
    { type: 'response.output_text.delta', output_index: 3, delta: 'Rain.' },
    { type: 'response.output_text.delta', output_index: 4, delta: 'Snow.' },
    completed,
  ])
  expect(turn.message.content).toMatchObject([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'tool-call', toolName: 'weather', input: { city: 'Oslo' } },
    { type: 'tool-call', invalid: 'truncated', inputText: 'SELECT' },
    { type: 'text', text: 'Rain.' },
    { type: 'text', text: 'Snow.' },
  ])
})

test('a stream takes back no text where its end says another', () => {
  const delta = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Snow' }
  const done = { type: 'response.output_item.done', output_index: 0, item: message }
  expect(readStream([created, delta, done, completed]).turn.message.content).toMatchObject([{ text: 'Snow' }])
})

test('a stream may hold empty frames, failures of tools, and anything after its end', () => {
  const { turn, error } = readStream([
    '',
    { type: 'response.mcp_call.failed', output_index: 0, error: { message: 'No server.' } },
    ...eventsOf([message]),
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'late' },
    '[DONE]',
  ])
  expect(error).toBeUndefined()
  expect(turn.message.content).toMatchObject([{ text: 'Rain.' }])
})

test('a stream that is said to be completed is cut where its copy of the response says so', () => {
  const response = responseOf([call], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
  const { events } = readStream([created, { type: 'response.completed', response }])
  expect(events.at(-1)).toMatchObject({ finishReason: 'length', rawFinishReason: 'max_output_tokens' })
})

test('a stream with absurd indexes costs no more than one with small ones', () => {
  const location = { output_index: 4_000_000_000, content_index: 4_000_000_000 }
  const { turn, error } = readStream([
    created,
    { type: 'response.output_text.delta', ...location, delta: 'Rain.' },
    { type: 'response.output_item.done', output_index: 4_000_000_000, item: { ...message, content: [] } },
    completed,
  ])
  expect(error).toBeUndefined()
  expect(turn.message.content).toMatchObject([{ type: 'text', text: 'Rain.' }])
})

test('a body with calls finishes as tool-calls although its status is `completed`', () => {
  const { turn } = readWhole(responseOf([call, message]))
  const { arguments: _, ...item } = call
  expect(turn.message.content[0]).toHaveProperty('providerMetadata.data', { item })
  expect(turn).toMatchObject({
    finishReason: 'tool-calls',
    rawFinishReason: 'completed',
  })
})

test.each(['max_output_tokens', 'max_messages'])('a body that ended early for %s finishes as length', (reason) => {
  const body = responseOf([message], { status: 'incomplete', incomplete_details: { reason } })
  expect(readWhole(body).turn).toMatchObject({ finishReason: 'length', rawFinishReason: reason })
  const { turn } = readStream([{ type: 'response.incomplete', response: { ...body, status: undefined } }])
  expect(turn).toMatchObject({ finishReason: 'length', rawFinishReason: reason })
  expect(turn).not.toHaveProperty('logprobs')
})

test.each(['queued', 'in_progress'])('a body that is %s is no answer: it says so and how to fix it', (status) => {
  const { error, turn } = readWhole(responseOf([message], { status }))
  expect(codeOf(error)).toBe('unsupported')
  expect(String(error)).toContain('resp_1')
  expect(turn.finishReason).toBe('unknown')
})

test('a body that was cancelled or failed is an error', () => {
  const cancelled = readWhole(responseOf([], { status: 'cancelled' })).error
  expect(cancelled).toMatchObject({ code: 'aborted', message: expect.stringContaining("'resp_1' was cancelled") })
  const error = { code: 'server_error', message: 'Broken.' }
  expect(codeOf(readWhole(responseOf([], { status: 'failed', error })).error)).toBe('server-error')
  expect(codeOf(readWhole({ error: { code: 'context_length_exceeded', message: 'Too long.' } }).error)).toBe(
    'context-overflow',
  )
})

test('a body without an output list is malformed, and so is a frame that is no JSON', () => {
  expect(codeOf(readWhole({ hello: 'world' }).error)).toBe('malformed-response')
  expect(codeOf(readWhole({ output: 'text' }).error)).toBe('malformed-response')
  expect(codeOf(readWhole('text').error)).toBe('malformed-response')
  expect(codeOf(readStream(['{"type":']).error)).toBe('malformed-response')
})

const response = responseOf([message], { reasoning: 'It rains there.' })
const parts = [{ type: 'reasoning', text: 'It rains there.' }, { type: 'text' }]

test('reasoning as a text beside the output (mistral.rs) is the first part, and is not sent back: it is no item', () => {
  const { turn } = readWhole(response)
  expect(turn.message.content).toMatchObject(parts)
  const { input, warnings } = encoded({ messages: [question, turn.message] })
  expect(input.slice(1)).toMatchObject([{ role: 'assistant' }])
  expect(warnings).toEqual([])
})

test('reasoning as a text beside the output (mistral.rs) follows the answer of a stream, which ends with it', () => {
  const { turn } = readStream([...eventsOf([message]).slice(0, -1), { type: 'response.completed', response }])
  expect(turn.message.content).toMatchObject([parts[1], parts[0]])
})

test('reasoning as a text beside the output (mistral.rs) is none where it is the setting of the request, or items say it', () => {
  const item = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'It rains there.' }] }
  for (const reasoning of [{ effort: 'low' }, '']) {
    expect(readWhole(responseOf([message], { reasoning })).turn.message.content).toHaveLength(1)
  }
  expect(readWhole(responseOf([item, message], { reasoning: 'It rains there.' })).turn.message.content).toHaveLength(2)
})
