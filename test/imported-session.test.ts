import type { Cassette } from '@steploop/cassette'
import { cassetteFetch } from '@steploop/cassette/fetch'
import { createRebase } from '@steploop/cassette/record'
import { StepLoop, tool } from '@steploop/core'
import { expect, test } from 'vitest'
import { createOpenAI } from '@steploop/openai'

const url = 'https://api.openai.com/v1/responses'
const headers = { 'content-type': 'application/json' }
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const declared = [{ type: 'function', name: 'weather', description: 'Weather.', parameters }]
const head = { model: 'gpt-4o', store: true, stream: false, tool_choice: 'auto', tools: declared }

function answering(id: string, item: object): Cassette['exchanges'][number]['response'] {
  const body = bytes({ id, object: 'response', status: 'completed', model: 'gpt-4o', output: [item] })
  return { status: 200, headers, body, chunks: [{ ms: 0, bytes: body.length }], ending: 'eof' }
}

/** A session as another recorder kept it: without the key, and in another client's words. */
const imported: Cassette = {
  header: {
    scenario: 'imported',
    mode: 'generate',
    provider: 'openai',
    wire: 'openai-responses',
    model: 'gpt-4o',
    origin: { kind: 'imported', by: 'another recorder', date: '2026-01-01' },
  },
  exchanges: [
    {
      request: { method: 'POST', url, headers, body: bytes({ ...head, input: 'Weather in Zürich?' }) },
      response: answering('resp_1', {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name: 'weather',
        arguments: '{"city":"Zürich"}',
        status: 'completed',
      }),
    },
    {
      request: {
        method: 'POST',
        url,
        headers,
        body: bytes({
          ...head,
          previous_response_id: 'resp_1',
          input: [{ call_id: 'call_1', output: '7 °C', type: 'function_call_output' }],
        }),
      },
      response: answering('resp_2', {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: '7 °C.', annotations: [] }],
      }),
    },
  ],
}

async function play(fetch: typeof globalThis.fetch): Promise<string> {
  const weather = tool({ description: 'Weather.', inputSchema: parameters, execute: () => '7 °C' })
  const model = createOpenAI({ apiKey: 'none', fetch, store: true })('gpt-4o')
  return (await new StepLoop({ model, tools: { weather } }).generate('Weather in Zürich?')).text
}

test('a session of another client is replayed in its order, and strictly once its requests are taken down anew', async () => {
  await expect(play(cassetteFetch(imported))).rejects.toThrow(/`fetch` refused the request[^]*body\.stream/)
  const inOrder = cassetteFetch(imported, { match: { inOrder: true } })
  expect(await play(inOrder)).toBe('7 °C.')
  inOrder.replay.assertConsumed()

  const rebase = createRebase(imported)
  expect(await play(rebase.fetch)).toBe('7 °C.')
  const own = rebase.finish()
  expect(own.exchanges.map(({ response }) => response)).toEqual(imported.exchanges.map(({ response }) => response))
  const strict = cassetteFetch(own)
  expect(await play(strict)).toBe('7 °C.')
  strict.replay.assertConsumed()
})
