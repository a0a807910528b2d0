import { askOnce } from '@steploop/core/testing'
import { expect, it } from 'vitest'
import { anthropic, anthropicCapabilities, anthropicMessages, createAnthropic } from './index.ts'
import { messageOf } from './testing.ts'

it('adapters send one request to the Messages API with key, version and betas', async () => {
  const { turn, requests, url, headers } = await askOnce(
    (fetch) => createAnthropic({ apiKey: 'sk-test-1234', betas: ['b1'], fetch })('claude-sonnet-4-5'),
    Response.json(messageOf([{ type: 'text', text: 'Hi' }])),
  )
  expect(turn?.message.content).toEqual([{ type: 'text', text: 'Hi' }])
  expect([requests, url]).toEqual([1, 'https://api.anthropic.com/v1/messages'])
  expect(Object.fromEntries(headers)).toEqual({
    'content-type': 'application/json',
    'x-api-key': 'sk-test-1234',
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'b1',
  })
})

it('adapters carry provider, model and capabilities', () => {
  const model = anthropic('claude-sonnet-4-5')
  expect(model).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-5' })
  expect(anthropicMessages(model)).toHaveProperty('name', 'anthropic-messages')
  const can = [
    'tools',
    'parallel',
    'structured',
    'structuredWithTools',
    'reasoning',
    'reasoningReplay',
    'providerTools',
  ]
  const also = ['pause', 'imageInput', 'fileInput', 'toolResultImages', 'streamUsage', 'cacheControl']
  expect(model.capabilities).toEqual({
    ...Object.fromEntries([...can, ...also].map((name) => [name, true])),
    continuation: false,
    toolChoice: ['auto', 'none', 'required', 'tool'],
  })
})

it.each([
  ['claude-3-5-haiku-latest', false, false, true],
  ['claude-sonnet-4-0', true, false, true],
  ['claude-sonnet-4-5', true, true, true],
  ['anthropic/claude-opus-4.8', true, true, true],
  ['claude-opus-5-5', true, true, false],
  ['claude-fable-5-1', true, true, false],
  ['someone-elses-model', true, false, true],
])(
  'the capabilities follow from the name %s: `reasoning` is %s, `structured` %s, and a tool choice can be forced: %s',
  (model, reasoning, structured, forced) => {
    const capabilities = anthropicCapabilities(model)
    expect(capabilities).toMatchObject({ reasoning, structured, structuredWithTools: structured })
    expect(capabilities.toolChoice).toEqual(['auto', 'none', ...(forced ? ['required', 'tool'] : [])])
  },
)
