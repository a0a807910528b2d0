import { expect, test } from 'vitest'
import { decodeEvents } from '@steploop/core/testing'
import { wireToolName } from './names.ts'
import { assistant, origin, readStream, readWhole, requestOf, sendBack, wireOf } from './testing.ts'

const usage = { prompt_tokens: 1, completion_tokens: 2 }

test('what is no list where the format has one says nothing', () => {
  const odd = { 0: { type: 'text', text: 'No' }, length: 1 }
  const { turn } = readWhole({
    content: 'Hi',
    tool_calls: odd,
    executed_tools: odd,
    annotations: odd,
    images: odd,
    reasoning_details: odd,
  })
  expect(turn.message.content).toEqual([{ type: 'text', text: 'Hi' }])
})

test('a refusal may be a chunk of the content', () => {
  const { turn } = readWhole({ content: [{ type: 'refusal', refusal: 'No.' }] })
  expect(turn.message.content).toEqual([{ type: 'refusal', text: 'No.' }])
})

test('annotations cite the text that is open, with what they say of it', () => {
  const source = { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A', content: 'One.' } }
  const document = { document_id: 'd-1', title: 'Named' }
  const { turn } = readStream([
    { content: 'A' },
    { reasoning: 'Hm.' },
    { content: 'B', annotations: [source, document] },
    '[DONE]',
  ])
  expect(turn.message.content).toMatchObject([
    { type: 'text', text: 'A' },
    { type: 'reasoning' },
    {
      text: 'B',
      citations: [
        { url: 'https://a.example', title: 'A', citedText: 'One.' },
        { kind: 'file', title: 'Named' },
      ],
    },
  ])
  expect(turn.message.content[0]).not.toHaveProperty('citations')
})

test.each(['reasoning_content', 'reasoning'])('reasoning in %s goes back in the same field', (field) => {
  const { turn } = readStream([{ [field]: 'H' }, { [field]: 'm.' }, { content: 'Hi' }, '[DONE]'])
  expect(turn.message.content[0]).toEqual({
    type: 'reasoning',
    text: 'Hm.',
    providerMetadata: { ...origin, data: { field } },
  })
  expect(sendBack(turn.message)).toMatchObject({ content: 'Hi', [field]: 'Hm.' })
  // Thought before and after a call.
  const twice = [...turn.message.content, ...turn.message.content.slice(0, 1)]
  expect(sendBack(assistant(twice))).toMatchObject({ content: 'Hi', [field]: 'Hm.Hm.' })
})

test('calls of a whole message are told by their position, with the members that go back with them', () => {
  const first = { id: 'call_a', type: 'function', function: { name: 'a', arguments: null }, extra_content: { s: 1 } }
  const second = { type: 'function', function: { name: 'b', arguments: { x: 1 } }, extra_content: { s: 2 } }
  const { turn } = readWhole(
    { tool_calls: [first, 'odd', second] },
    { finish: 'tool_calls', request: requestOf({ turn: 2 }) },
  )
  expect(turn.message.content).toMatchObject([
    {
      toolCallId: 'call_a',
      toolName: 'a',
      input: {},
      providerMetadata: { data: { id: 'call_a', fields: { extra_content: { s: 1 } } } },
    },
    { toolName: 'b', input: { x: 1 }, providerMetadata: { data: { fields: { extra_content: { s: 2 } } } } },
  ])
  expect(turn.message.content[1]?.providerMetadata?.data).not.toHaveProperty('id')
})

test('calls begin under the name that the request has for their tool, and end the text before them', () => {
  const name = wireToolName('get weather', /^[a-zA-Z0-9_-]{1,64}$/)
  const tools = [{ type: 'function', name: 'get weather', inputSchema: {} }] as const
  const call = { index: 0, id: 'call_a', function: { name, arguments: '{}' } }
  const { events } = readStream([{ content: 'Wait' }, { tool_calls: [call] }, '[DONE]'], {
    request: requestOf({ tools }),
  })
  expect(events.map(({ type }) => type)).toEqual([
    'turn-start',
    'text-start',
    'text-delta',
    'text-end',
    'tool-call-start',
    'tool-call-delta',
    'tool-call',
    'turn-end',
  ])
  expect(events[4]).toMatchObject({ toolName: 'get weather' })
})

test('a picture ends the text before it', () => {
  const images = [{ image_url: { url: 'data:image/png;base64,aGk=' } }]
  const { events } = readStream([{ content: 'Look' }, { images }, { content: 'there' }, '[DONE]'])
  expect(
    events.flatMap((event) => ('part' in event && event.type !== 'text-delta' ? [`${event.type} ${event.part}`] : [])),
  ).toEqual(['text-start 0', 'text-end 0', 'file 1', 'text-start 2', 'text-end 2'])
})

test('a stream is answered after its finish reason, and done after its mark', () => {
  const progress: unknown[] = []
  const { events } = decodeEvents((out) => {
    const decoder = wireOf().createDecoder(requestOf())
    for (const frame of [
      { id: 'chat_1', model: 'm-1', choices: [{ delta: { content: 'Hi' } }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage },
    ]) {
      progress.push(decoder.progress?.())
      decoder.push({ data: JSON.stringify(frame) }, out)
    }
    progress.push(decoder.progress?.())
    decoder.push({ data: '[DONE]' }, out)
    progress.push(decoder.progress?.())
    decoder.end(out)
  }, origin)
  expect(progress).toEqual(['open', 'open', 'answered', 'answered', 'done'])
  expect(events[0]).toEqual({ type: 'turn-start', responseId: 'chat_1', model: 'm-1' })
  const { type: _, usage: counted, ...end } = Object.fromEntries(Object.entries(events.at(-1) ?? {}))
  expect(counted).toMatchObject({ inputTokens: 1, outputTokens: 2 })
  expect(end).toEqual({ finishReason: 'stop', rawFinishReason: 'stop', responseId: 'chat_1', model: 'm-1' })
})

test('an error of an event that looks like the chunk before it is an error all the same', () => {
  const { error } = decodeEvents((out) => {
    const decoder = wireOf().createDecoder(requestOf())
    const data = JSON.stringify({ choices: [{ delta: { content: 'Hi' } }] })
    decoder.push({ data }, out)
    decoder.push({ event: 'error', data }, out)
  }, origin)
  expect(error).toMatchObject({ code: 'unknown', ...origin })
})
