import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import type { Cassette } from '../cassette.ts'
import { createRecorder } from '../record/index.ts'
import { refusalHeader } from '../replay/refusal.ts'
import { cassetteOf, exchange } from '../testing.ts'
import { useCassette } from './use-cassette.ts'

/** Runs a client over a made-up network that gives the stream, and returns the cassette. */
async function recording(
  publicBaseURL: string,
  stream: readonly unknown[],
  run: (fetch: typeof globalThis.fetch) => Promise<string>,
): Promise<Cassette> {
  const events = stream.map((event) => {
    const type = typeof event === 'object' && event !== null && 'type' in event ? `event: ${String(event.type)}\n` : ''
    return `${type}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`
  })
  const recorder = createRecorder({
    publicBaseURL,
    header: {
      scenario: 'client',
      mode: 'stream',
      provider: 'example',
      wire: 'example',
      model: 'example',
      origin: { kind: 'derived', by: 'tests', recipe: 'written by hand' },
    },
    fetch: async () => new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } }),
  })
  expect(await run(recorder.fetch)).toBe('Hello')
  return recorder.finish()
}

const expectReplay = async (
  cassette: Cassette,
  run: (fetch: typeof globalThis.fetch | undefined) => Promise<string>,
) => {
  const used = useCassette(cassette)
  onTestFinished(used.close)
  expect(await run(undefined)).toBe('Hello')
  used[Symbol.dispose]()
}

const chunk = (content: string, finish: string | null) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
})

test('the openai client streams from a cassette that it recorded', async () => {
  const run = async (fetch: typeof globalThis.fetch | undefined): Promise<string> => {
    const client = new OpenAI({ apiKey: 'made-up', maxRetries: 0, ...(fetch === undefined ? {} : { fetch }) })
    const stream = await client.chat.completions.create({
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    let text = ''
    for await (const part of stream) text += part.choices[0]?.delta.content ?? ''
    return text
  }
  const events = [chunk('Hel', null), chunk('lo', 'stop'), '[DONE]']
  await expectReplay(await recording('https://api.openai.com/v1', events, run), run)
})

test('the anthropic client streams from a cassette that it recorded', async () => {
  const run = async (fetch: typeof globalThis.fetch | undefined): Promise<string> => {
    const client = new Anthropic({ apiKey: 'made-up', maxRetries: 0, ...(fetch === undefined ? {} : { fetch }) })
    const stream = client.messages.stream({ model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] })
    return stream.finalText()
  }
  const usage = { input_tokens: 1, output_tokens: 1 }
  const delta = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
  const events = [
    {
      type: 'message_start',
      message: { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], usage },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    delta('Hel'),
    delta('lo'),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ]
  await expectReplay(await recording('https://api.anthropic.com', events, run), run)
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
