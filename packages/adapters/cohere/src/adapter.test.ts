import { inspect } from 'node:util'
import { askOnce } from '@steploop/core/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { cohere, cohereChat, createCohere } from './index.ts'
import { origin } from './testing.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('asks the endpoint of version 2 with the key as bearer token', async () => {
  vi.stubEnv('CO_API_KEY', 'secret-key-of-cohere')
  const answer = { id: 'r', message: { content: [{ type: 'text', text: 'Hi' }] }, finish_reason: 'COMPLETE' }
  const { turn, url, headers } = await askOnce((fetch) => createCohere({ fetch })(origin.model), Response.json(answer))
  expect(turn?.message.content).toEqual([{ type: 'text', text: 'Hi' }])
  expect(url).toBe('https://api.cohere.com/v2/chat')
  expect(headers.get('authorization')).toBe('Bearer secret-key-of-cohere')
})

test('the default instance names provider, model and what the API can do', () => {
  const can = ['tools', 'parallel', 'structured', 'reasoning', 'reasoningReplay', 'imageInput', 'streamUsage']
  const capabilities = {
    ...Object.fromEntries(can.map((name) => [name, true])),
    toolChoice: ['auto', 'none', 'required'],
    structuredWithTools: false,
  }
  expect(cohere(origin.model)).toMatchObject({ ...origin, capabilities })
})

test.each([
  [400, { message: 'too many tokens: total number of tokens in the prompt cannot exceed 4081' }, 'context-overflow'],
  [400, { message: 'too many tokens: max tokens must be less than or equal to 4096' }, 'bad-request'],
  [503, undefined, 'overloaded'],
])('a response with status %i and body %j is the error `%s`', (status, body, code) => {
  const text = body === undefined ? '<html>' : JSON.stringify({ id: 'e-1', ...body })
  const facts = cohereChat(origin).decodeError(status, new Headers(), text)
  expect(facts).toMatchObject({ code, ...(body && { providerMessage: body.message, requestId: 'e-1' }) })
})

test.each<[string, number, string, string]>([
  ['a model that takes no tools', 400, 'tools are not supported for model', 'bad-request'],
  ['a key that is wrong, and said again', 401, 'invalid api token: secret-key-of-cohere-1', 'authentication'],
  ['a limit of a trial key', 429, 'You are using a Trial key, secret-key-of-cohere-1', 'rate-limit'],
])('%s is reported in the words of the provider, without the key', async (_, status, said, code) => {
  const { error } = await askOnce(
    (fetch) => createCohere({ fetch, apiKey: 'secret-key-of-cohere-1' })(origin.model),
    Response.json({ id: 'e-1', message: said }, { status }),
  )
  expect(error).toMatchObject({ code, status, requestId: 'e-1' })
  expect(String(error)).toContain(said.replace('secret-key-of-cohere-1', ''))
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret-key-of-cohere-1')
})
