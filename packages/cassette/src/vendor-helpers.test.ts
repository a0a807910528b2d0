import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { readCassette } from './index.ts'

// What docs/live.md tells of the vendor's helpers, on streams of a real server.

const folder = (name: string): string => fileURLToPath(new URL(`../../../cassettes/${name}/`, import.meta.url))

/** Answers with the first response of a recording. */
function recorded(file: string): typeof fetch {
  const [exchange] = readCassette(file).exchanges
  if (exchange === undefined) throw new Error(`${file} holds nothing`)
  const { body, status, headers } = exchange.response
  return () => Promise.resolve(new Response(new Uint8Array(body), { status, headers }))
}

const options = { baseURL: 'http://127.0.0.1:8080/v1', apiKey: 'none' }

const streamsOf = (name: string): readonly string[] =>
  readdirSync(folder(name)).filter((file) => /^(?!bad-key|abort|empty).*\.stream\.yaml$/.test(file))

test.each(streamsOf('llama-responses'))('the Responses helper throws on %s', async (name) => {
  const fetch = recorded(folder('llama-responses') + name)
  const helper = new OpenAI({ ...options, fetch, maxRetries: 0 }).responses.stream({ model: 'local', input: 'x' })
  await expect(helper.finalResponse()).rejects.toThrow('missing output at index undefined')
})

test('the Chat helper keeps the last piece of a thought', async () => {
  const file = `${folder('llama-chat')}reasoning-text.stream.yaml`
  const helper = new OpenAI({ ...options, fetch: recorded(file), maxRetries: 0 }).chat.completions.stream({
    model: 'local',
    messages: [{ role: 'user', content: 'x' }],
  })
  const { choices } = await helper.finalChatCompletion()
  const thought = 'Zürich liegt an der Limmat 🏞️, 東京 am Meer.'
  const kept = String(Reflect.get(choices[0]?.message ?? {}, 'reasoning_content'))
  expect(kept.length).toBeGreaterThan(0)
  expect(kept.length).toBeLessThan(thought.length / 2)
})

const question = { model: 'local', max_tokens: 24, messages: [{ role: 'user' as const, content: 'x' }] }
const asking = (fetch: typeof globalThis.fetch) => new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 })

test.each(streamsOf('llama-messages'))('the Messages helper reads %s', async (name) => {
  const helper = asking(recorded(folder('llama-messages') + name)).messages.stream(question)
  expect((await helper.finalMessage()).stop_reason).toMatch(/end_turn|tool_use|max_tokens/)
})

test('the Messages helper gives half a call as if it were a whole one', async () => {
  const events = [
    { type: 'message_start', message: { id: 'x', type: 'message', role: 'assistant', content: [], usage: {} } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'write_file' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{' } },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '"path":"essay.txt","t' },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: 'ext":"Sentence 0 t' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 24 } },
    { type: 'message_stop' },
  ]
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  const fetch = () => Promise.resolve(new Response(text, { headers: { 'content-type': 'text/event-stream' } }))
  const { content } = await asking(fetch).messages.stream(question).finalMessage()
  expect(content).toMatchObject([{ type: 'tool_use', name: 'write_file', input: { path: 'essay.txt' } }])
})
