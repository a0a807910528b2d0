import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import Groq from 'groq-sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { request } from 'undici'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Cassette } from '../cassette.ts'
import { createRecorder } from '../record/index.ts'
import { refusalHeader } from '../replay/refusal.ts'
import { cassetteOf, exchange } from '../testing.ts'
import { useCassette } from './use-cassette.ts'

interface Client {
  readonly publicBaseURL: string
  readonly contentType: string
  readonly body: string
  /** Runs the client; without a fetch of ours it uses its own. */
  readonly run: (fetch: typeof globalThis.fetch | undefined) => Promise<string>
}

/** Records the client over a made-up network, and replays it below its own fetch. */
async function expectReplay({ publicBaseURL, contentType, body, run }: Client): Promise<void> {
  const origin = { kind: 'derived', by: 'tests', recipe: 'written by hand' } as const
  const header = { scenario: 'client', mode: 'stream', provider: 'p', wire: 'w', model: 'm', origin } as const
  const recorder = createRecorder({
    publicBaseURL,
    header,
    fetch: async () => new Response(body, { headers: { 'content-type': contentType } }),
  })
  expect(await run(recorder.fetch)).toBe('Hello')
  await replay(recorder.finish(), run)
}

async function replay(cassette: Cassette, run: Client['run']): Promise<void> {
  const used = useCassette(cassette)
  onTestFinished(used.close)
  expect(await run(undefined)).toBe('Hello')
  used[Symbol.dispose]()
  expect(used.replay.unconsumed()).toEqual([])
}

async function joined<Part>(parts: AsyncIterable<Part>, textOf: (part: Part) => string | null | undefined) {
  let text = ''
  for await (const part of parts) text += textOf(part) ?? ''
  return text
}

const sse = (...events: unknown[]): string => events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join('')

/** This client has no option for a fetch, so the global one is replaced while it is recorded. */
async function withGlobalFetch<Result>(fetch: typeof globalThis.fetch | undefined, run: () => Promise<Result>) {
  if (fetch === undefined) return run()
  vi.stubGlobal('fetch', fetch)
  try {
    return await run()
  } finally {
    vi.unstubAllGlobals()
  }
}

const candidate = (text: string) => ({ candidates: [{ content: { role: 'model', parts: [{ text }] } }] })

test('the google client streams from a cassette that it recorded', async () => {
  await expectReplay({
    publicBaseURL: 'https://generativelanguage.googleapis.com',
    contentType: 'text/event-stream',
    body: sse(candidate('Hel'), candidate('lo')),
    run: (fetch) =>
      withGlobalFetch(fetch, async () => {
        const client = new GoogleGenAI({ apiKey: 'made-up' })
        const stream = await client.models.generateContentStream({ model: 'm', contents: 'Hi' })
        return joined(stream, (part) => part.text)
      }),
  })
})

test('the google client reads a whole answer from a cassette that it recorded', async () => {
  await expectReplay({
    publicBaseURL: 'https://generativelanguage.googleapis.com',
    contentType: 'application/json; charset=UTF-8',
    body: JSON.stringify(candidate('Hello')),
    run: (fetch) =>
      withGlobalFetch(fetch, async () => {
        const client = new GoogleGenAI({ apiKey: 'made-up' })
        return (await client.models.generateContent({ model: 'm', contents: 'Hi' })).text ?? ''
      }),
  })
})

const chunk = (content: string, finish: string | null) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
})

test('the groq client streams from a cassette that it recorded', async () => {
  await expectReplay({
    publicBaseURL: 'https://api.groq.com/openai/v1',
    contentType: 'text/event-stream',
    body: `${sse(chunk('Hel', null), chunk('lo', 'stop'))}data: [DONE]\n\n`,
    run: async (fetch) => {
      const client = new Groq({ apiKey: 'made-up', maxRetries: 0, ...(fetch === undefined ? {} : { fetch }) })
      const messages = [{ role: 'user' as const, content: 'Hi' }]
      const stream = await client.chat.completions.create({ model: 'm', stream: true, messages })
      return joined(stream, (part) => part.choices[0]?.delta.content)
    },
  })
})

const line = (content: string, done: boolean) =>
  `${JSON.stringify({ model: 'm', message: { role: 'assistant', content }, done })}\n`

test('the ollama client streams lines of JSON from a cassette that it recorded', async () => {
  await expectReplay({
    publicBaseURL: 'http://127.0.0.1:11434/api',
    contentType: 'application/x-ndjson',
    body: line('Hel', false) + line('lo', true),
    run: async (fetch) => {
      const client = new Ollama({ host: 'http://127.0.0.1:11434', ...(fetch === undefined ? {} : { fetch }) })
      const stream = await client.chat({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] })
      return joined(stream, (part) => part.message.content)
    },
  })
})

test('the openai client streams from a cassette that it recorded', async () => {
  await expectReplay({
    publicBaseURL: 'https://api.openai.com/v1',
    contentType: 'text/event-stream',
    body: `${sse(chunk('Hel', null), chunk('lo', 'stop'))}data: [DONE]\n\n`,
    run: async (fetch) => {
      const client = new OpenAI({ apiKey: 'made-up', maxRetries: 0, ...(fetch === undefined ? {} : { fetch }) })
      const messages = [{ role: 'user' as const, content: 'Hi' }]
      const stream = await client.chat.completions.create({ model: 'm', stream: true, messages })
      return joined(stream, (part) => part.choices[0]?.delta.content)
    },
  })
})

test('the anthropic client streams from a cassette that it recorded', async () => {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], usage }
  const delta = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
  const events = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    delta('Hel'),
    delta('lo'),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ]
  await expectReplay({
    publicBaseURL: 'https://api.anthropic.com',
    contentType: 'text/event-stream',
    body: events.map((event) => `event: ${event.type}\n${sse(event)}`).join(''),
    run: async (fetch) => {
      const client = new Anthropic({ apiKey: 'made-up', maxRetries: 0, ...(fetch === undefined ? {} : { fetch }) })
      const messages = [{ role: 'user' as const, content: 'Hi' }]
      return client.messages.stream({ model: 'm', max_tokens: 10, messages }).finalText()
    },
  })
})

test('the undici package is answered from the cassette, and denied elsewhere', async () => {
  const url = 'https://api.example.com/v1/chat'
  const used = useCassette(
    cassetteOf(exchange({ method: 'GET', sent: '', requestHeaders: {}, url, chunks: ['an', 'swer'] })),
  )
  onTestFinished(used.close)
  expect(await (await request(url)).body.text()).toBe('answer')
  const denied = await request('https://elsewhere.example.org/data')
  expect(denied.headers[refusalHeader]).toBe('network-denied')
  await denied.body.dump()
})
