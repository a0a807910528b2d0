import { inspect } from 'node:util'
import { APICallError } from '@ai-sdk/provider'
import type { TurnRequest } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { fromLanguageModel } from './from-language-model.ts'
import { fakeModel, runTurn } from './testing.ts'

const key = 'key-of-the-caller-4711'
const said = `Incorrect key: ${key}`

const call = { message: said, url: 'https://api.example.com', requestBodyValues: {} }
const responseBody = JSON.stringify({ error: { message: said } })
const refused = new APICallError({ ...call, statusCode: 401, responseBody })

const asking = (headers: Record<string, string>): TurnRequest => {
  return { messages: [{ role: 'user', content: 'Hi' }], turn: 0, headers }
}

test('a key that the provider echoes is in no text of the error', async () => {
  const model = fromLanguageModel(fakeModel({ error: refused }), { secrets: [key] })
  const { error } = await runTurn(model, { mode: 'generate' })
  expect(error).toMatchObject({ code: 'authentication', providerMessage: 'Incorrect key: [redacted]' })
  const texts = error instanceof Error ? `${error.message} ${error.stack}` : key
  expect(texts).not.toContain(key)
})

test('a cause that holds the key, however deep, is reported without it', async () => {
  const cause = new Error('socket closed', { cause: { request: { headers: [`authorization: ${key}`] } } })
  const model = fromLanguageModel(fakeModel({ error: new APICallError({ ...call, cause }) }), { secrets: [key] })
  const { error } = await runTurn(model, { mode: 'generate' })
  expect(error).toMatchObject({ code: 'connection', cause: { message: 'socket closed' } })
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(key)
})

test('values of credential headers of the request are hidden without being named, others are not', async () => {
  const model = fromLanguageModel(fakeModel({ error: refused }))
  const hidden = await runTurn(model, { mode: 'generate', request: asking({ 'x-gateway-api-key': `Bearer ${key}` }) })
  expect(hidden.error).toMatchObject({ providerMessage: 'Incorrect key: [redacted]' })
  const shown = await runTurn(model, { mode: 'generate', request: asking({ 'x-ticket': key }) })
  expect(shown.error).toMatchObject({ providerMessage: said })
})
