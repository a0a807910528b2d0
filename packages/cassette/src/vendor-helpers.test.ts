import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
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

const streams = readdirSync(folder('llama-responses')).filter((name) =>
  /^(?!bad-key|abort|empty).*\.stream\.yaml$/.test(name),
)

test.each(streams)('the Responses helper throws on %s', async (name) => {
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
