import type { Message, ToolCallPart } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { assistant, origin, question, send, sendBack } from './testing.ts'

const call: ToolCallPart = {
  type: 'tool-call',
  toolCallId: 'call_a',
  toolName: 'weather',
  input: { city: 'Bern' },
  inputText: ' {"city": "Bern"}',
  owner: 'client',
}

test.each<[Message, unknown]>([
  [
    { role: 'system', content: 'Be brief.' },
    { role: 'developer', content: 'Be brief.' },
  ],
  [
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    { role: 'user', content: 'Hi' },
  ],
  [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hi' },
        {
          type: 'file',
          mediaType: 'image/png',
          url: 'https://a.example/1',
          providerMetadata: { ...origin, data: { cache_control: { type: 'ephemeral' } } },
        },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hi' },
        {
          type: 'image_url',
          image_url: { url: 'https://a.example/1' },
          cache_control: { type: 'ephemeral' },
        },
      ],
    },
  ],
])('the message %j is sent as the dialect has it', (message, sent) => {
  expect(send({ messages: [question, message] }, { systemRole: 'developer' }).messages[1]).toEqual(sent)
})

test.each([
  [{ data: 'eA' }, 'given as data'],
  [{ url: 'https://a.example/film' }, 'given as a URL'],
])('a file that cannot be sent is refused before the request: %j', (fields, said) => {
  const content = [{ type: 'file', mediaType: 'video/mp4', ...fields }] as const
  expect(() => send({ messages: [{ role: 'user', content }] }, { filePart: () => undefined })).toThrow(said)
})

test('arguments go back in the words of their provider, and those of another as JSON', () => {
  const own = { ...call, providerMetadata: { ...origin, data: { id: 'call_a' } } }
  const sent = sendBack(assistant([own, call, { ...own, inputText: '[1]' }, { ...call, input: undefined }]))
  const calls = (sent?.['tool_calls'] ?? []) as readonly { function: { arguments: string } }[]
  const json = '{"city":"Bern"}'
  expect(calls.map((made) => made.function.arguments)).toEqual([call.inputText, json, json, '{}'])
})

test('what a provider ran itself, and reasoning of another, are left out with a warning that says of which part', () => {
  const hosted = { ...call, owner: 'provider' } as const
  const { warnings } = send({ messages: [question, assistant([{ type: 'text', text: 'Hi' }, hosted])] })
  expect(warnings).toMatchObject([
    { type: 'dropped', path: 'assistant.content[1]', message: expect.stringContaining("'weather' is left out") },
  ])
  const thought = { type: 'reasoning', text: 'Hm.' } as const
  const { warnings: ofThoughts } = send({
    messages: [question, assistant([{ type: 'text', text: 'Hi' }, thought], 'other')],
  })
  expect(ofThoughts).toMatchObject([{ type: 'dropped', path: 'assistant.content[1]' }])
  // Its own, in a field that it does not want back.
  const own = { ...thought, providerMetadata: { ...origin, data: { field: 'reasoning' } } }
  expect(
    send({ messages: [question, assistant([{ type: 'text', text: 'Hi' }, own])] }, { replay: [] }).warnings,
  ).toEqual([])
})

test('members that the provider gave a message go back beside those of the format', () => {
  const message = {
    ...assistant([call]),
    providerMetadata: { ...origin, data: { fields: { thought_signature: 's' } } },
  }
  expect(sendBack(message, { reasoningWithCalls: 'reasoning_content' })).toMatchObject({
    thought_signature: 's',
    reasoning_content: '',
  })
})

test('the options of a stream are sent with it alone, united with the caller’s', () => {
  const own = (fields: object) => ({ providerOptions: { [origin.provider]: { stream_options: fields } } })
  expect(send({}, {}, 'stream').body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  const more = { include_obfuscation: false }
  expect(send(own(more), {}, 'stream').body['stream_options']).toEqual({ include_usage: true, ...more })
  expect(send(own(more)).body).not.toHaveProperty('stream_options')
  const without = { streamOptions: false } as const
  expect(send(own(more), without, 'stream').body['stream_options']).toEqual(more)
  const { body } = send({ providerOptions: { [origin.provider]: { user: 'u' } } }, without, 'stream')
  expect(body).toMatchObject({ user: 'u', stream: true })
  expect(body).not.toHaveProperty('stream_options')
})
