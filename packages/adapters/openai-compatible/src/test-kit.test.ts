import { expect, test } from 'vitest'
import { createOpenAICompatible } from './options.ts'
import { askOnce, chatAnswer, chatChunk, chatStream } from './test-kit.ts'

const make = (fetch: typeof globalThis.fetch) =>
  createOpenAICompatible({ baseURL: 'https://chat.example.com/v1', apiKey: 'key-1', fetch })('m-1')

test('one turn is run on the answer, and what was sent is kept', async () => {
  const { turn, error, requests, url, headers, body } = await askOnce(make, chatAnswer({ content: 'Rain.' }))
  expect(turn?.message.content).toEqual([{ type: 'text', text: 'Rain.' }])
  expect([error, requests, url]).toEqual([undefined, 1, 'https://chat.example.com/v1/chat/completions'])
  expect(headers.get('authorization')).toBe('Bearer key-1')
  expect(body).toMatchObject({ model: 'm-1', messages: [{ role: 'user', content: 'Hello' }] })
})

test('an event stream is asked for as one, chunk by chunk', async () => {
  const frames = [chatChunk({ content: 'Ra' }), chatChunk({ content: 'in.' }, 'stop'), 'data: [DONE]\n\n']
  const { turn, body } = await askOnce(make, chatStream(...frames))
  expect(turn?.message.content).toEqual([{ type: 'text', text: 'Rain.' }])
  expect(body['stream']).toBe(true)
})

test('a turn that fails gives what it threw', async () => {
  const { turn, error } = await askOnce(make, chatStream(chatChunk({ content: 'Ra' })))
  expect([turn, error]).toEqual([undefined, expect.objectContaining({ code: 'incomplete-stream' })])
})
