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
  expect(cohereChat(origin)).toHaveProperty('name', 'cohere-chat')
})
