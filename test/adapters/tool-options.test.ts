import { createAnthropic } from '@steploop/anthropic'
import { StepLoop, tool, type Adapter } from '@steploop/core'
import { createGemini } from '@steploop/gemini'
import { createOllama } from '@steploop/ollama'
import { createOpenAI } from '@steploop/openai'
import { createOpenRouter } from '@steploop/openrouter'
import { createXai } from '@steploop/xai'
import { expect, test } from 'vitest'

type Fetch = typeof globalThis.fetch
type Options = Readonly<Record<string, unknown>>

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

/** The body of the first request of a run with one tool. */
async function bodyOf(make: (fetch: Fetch) => Adapter, own: Readonly<Record<string, Options>>): Promise<unknown> {
  let body: unknown
  const model = make(async (_url, init) => {
    body = JSON.parse(await new Response(init?.body).text())
    return new Response('{}', { status: 400 })
  })
  const weather = tool({ inputSchema: schema, providerOptions: own, execute: () => 'sunny' })
  await new StepLoop({ model, tools: { weather }, providerOptions: { anthropic: { cacheControl: { tools: true } } } })
    .generate('Weather?')
    .catch(() => undefined)
  return body
}

const named = { name: 'weather' }
const apiKey = 'key'

test.each<readonly [string, (fetch: Fetch) => Adapter, Options, object]>([
  [
    'anthropic',
    (fetch) => createAnthropic({ apiKey, fetch })('claude-sonnet-4-5'),
    { defer_loading: true, allowed_callers: ['direct'], input_examples: [{ city: 'Oslo' }], name: 'other' },
    {
      ...named,
      input_schema: schema,
      defer_loading: true,
      allowed_callers: ['direct'],
      input_examples: [{ city: 'Oslo' }],
    },
  ],
  [
    'openai',
    (fetch) => createOpenAI({ apiKey, fetch })('gpt-5'),
    { defer_loading: true, allowed_callers: ['programmatic'], type: 'other' },
    { ...named, type: 'function', defer_loading: true, allowed_callers: ['programmatic'] },
  ],
  [
    'gemini',
    (fetch) => createGemini({ apiKey, fetch })('gemini-3-flash-preview'),
    { behavior: 'NON_BLOCKING', name: 'other' },
    { functionDeclarations: [{ ...named, behavior: 'NON_BLOCKING' }] },
  ],
  [
    'openrouter',
    (fetch) => createOpenRouter({ apiKey, fetch })('anthropic/claude-sonnet-4.5'),
    { cache_control: { type: 'ephemeral' }, type: 'other' },
    { type: 'function', cache_control: { type: 'ephemeral' }, function: named },
  ],
  [
    'xai',
    (fetch) => createXai({ apiKey, fetch }).chat('grok-3-mini'),
    { function: { defer_loading: true, name: 'other' } },
    { type: 'function', function: { ...named, defer_loading: true } },
  ],
  [
    'ollama',
    (fetch) => createOllama({ fetch })('qwen3'),
    { items: {}, type: 'other' },
    { type: 'function', items: {}, function: named },
  ],
])(
  '%s gets what only it knows of a tool in the declaration, and nothing of others',
  async (name, make, own, declared) => {
    const body = await bodyOf(make, { [name]: own, another: { secret_member: true } })
    expect(body).toMatchObject({ tools: [declared] })
    expect(JSON.stringify(body)).not.toContain('secret_member')
  },
)

test('a breakpoint of the prompt cache that the tool has itself stays the only one', async () => {
  const make = (fetch: Fetch): Adapter => createAnthropic({ apiKey, fetch })('claude-sonnet-4-5')
  const marked = { type: 'ephemeral', ttl: '1h' }
  expect(await bodyOf(make, { anthropic: { cache_control: marked } })).toMatchObject({
    tools: [{ cache_control: marked }],
  })
  expect(await bodyOf(make, {})).toMatchObject({ tools: [{ cache_control: { type: 'ephemeral' } }] })
})
