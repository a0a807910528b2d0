import { collectTurn } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { createAzureChat } from './index.ts'

const leading = { id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] }
const chunk = (delta: unknown, finish: string | null) => ({
  id: 'chatcmpl-1',
  model: 'gpt-5-mini-2025',
  choices: [{ index: 0, delta, finish_reason: finish }],
})

test('a deployment on Azure is asked at its address with its header, and its leading empty chunk is no answer', async () => {
  const requests: { url: unknown; headers: unknown; body: unknown }[] = []
  const frames = [leading, chunk({ role: 'assistant', content: 'Grüezi' }, null), chunk({}, 'stop')]
  const body = [...frames.map((frame) => JSON.stringify(frame)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('')
  const adapter = createAzureChat({
    baseURL: 'https://my-resource.openai.azure.com/openai/v1',
    apiVersion: '2026-01-01',
    apiKey: 'azure-key',
    fetch: (url, init) => {
      requests.push({ url, headers: init?.headers, body: init?.body })
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
    },
  })('my-deployment')
  const request = { messages: [{ role: 'user', content: 'Hi' }], settings: { maxOutputTokens: 9 }, turn: 0 } as const
  const turn = await collectTurn(adapter.turn(request, { mode: 'stream' }))
  const [sent] = requests
  expect(sent?.url).toBe('https://my-resource.openai.azure.com/openai/v1/chat/completions?api-version=2026-01-01')
  expect(sent?.headers).toEqual({ 'content-type': 'application/json', 'api-key': 'azure-key' })
  expect(sent?.body).toContain('"model":"my-deployment"')
  expect(sent?.body).toContain('"max_completion_tokens":9')
  expect(turn).toMatchObject({ responseId: 'chatcmpl-1', model: 'gpt-5-mini-2025', finishReason: 'stop' })
  expect(turn.message.content).toEqual([{ type: 'text', text: 'Grüezi' }])
})

test('a token of Microsoft Entra goes out in place of the key, and is asked for at each request', async () => {
  const sent: unknown[] = []
  let count = 0
  const adapter = createAzureChat({
    baseURL: 'https://my-resource.openai.azure.com/openai/v1',
    apiKey: 'azure-key',
    accessToken: () => Promise.resolve(`token-${++count}`),
    fetch: (_, init) => {
      sent.push(init?.headers)
      return Promise.resolve(Response.json({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] }))
    },
  })('my-deployment')
  const request = { messages: [{ role: 'user', content: 'Hi' }], turn: 0 } as const
  await collectTurn(adapter.turn(request, { mode: 'generate' }))
  await collectTurn(adapter.turn(request, { mode: 'generate' }))
  expect(sent).toMatchObject([{ authorization: 'Bearer token-1' }, { authorization: 'Bearer token-2' }])
  expect(sent[0]).not.toHaveProperty('api-key')
})
