import * as anthropic from '@steploop/anthropic'
import { AdapterError, type Adapter, type ProviderOptions } from '@steploop/core'
import * as bedrock from '@steploop/bedrock'
import * as cohere from '@steploop/cohere'
import * as deepseek from '@steploop/deepseek'
import * as gemini from '@steploop/gemini'
import * as groq from '@steploop/groq'
import * as mistral from '@steploop/mistral'
import * as ollama from '@steploop/ollama'
import * as openai from '@steploop/openai'
import * as openaiCompatible from '@steploop/openai-compatible'
import * as openrouter from '@steploop/openrouter'
import * as vertex from '@steploop/vertex'
import * as xai from '@steploop/xai'
import { expect, test, vi } from 'vitest'
import { readText } from '../../scripts/capability-tables.ts'

/** The table of docs/providers.md, held against the packages. */
const packages: Readonly<Record<string, object>> = {
  anthropic,
  bedrock,
  cohere,
  deepseek,
  gemini,
  groq,
  mistral,
  ollama,
  openai,
  'openai-compatible': openaiCompatible,
  openrouter,
  vertex,
  xai,
}

type Factory = (options: ProviderOptions) => (model: string) => Adapter

const rows = readText('docs/providers.md')
  .split('\n')
  .filter((line) => line.startsWith('| `@steploop/'))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .map(([, name = '', factory = '', instance = '', variable = '', address = '']) => {
    const exported = packages[name.replace('@steploop/', '')] ?? {}
    return { exported, factory, instance, variable, address: address.startsWith('none') ? undefined : address }
  })

/** Where a turn is sent, or the error that it ends with before. */
async function sentTo(factory: Factory, options: ProviderOptions): Promise<string> {
  let address = ''
  const fetch: typeof globalThis.fetch = (input) => {
    address = new Request(input).url
    return Promise.reject(new TypeError('no network here'))
  }
  const turn = factory({ ...options, fetch })('a-model').turn(
    { turn: 0, messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] },
    { mode: 'generate' },
  )
  try {
    for await (const _ of turn) break
  } catch (error) {
    if (address === '' && AdapterError.isInstance(error)) return error.message
  }
  return address
}

test('every package has a row, and every row names what its package exports', () => {
  expect(new Set(rows.map(({ exported }) => exported))).toEqual(new Set(Object.values(packages)))
  for (const { exported, factory, instance } of rows)
    expect(Object.keys(exported)).toEqual(expect.arrayContaining([factory, instance].filter((name) => name !== '')))
})

test.each(rows.filter(({ address }) => address !== undefined))(
  '$factory asks $address, with the key of $variable',
  async ({ exported, factory, variable, address }) => {
    const make: Factory = Reflect.get(exported, factory)
    expect((await sentTo(make, { apiKey: 'none' })).startsWith(`${address}/`)).toBe(true)
    vi.stubEnv(variable, '')
    const refused = await sentTo(make, {})
    vi.unstubAllEnvs()
    // A server on this machine needs none, and is asked all the same.
    expect(refused).toContain(factory === 'createOllama' ? address : variable)
  },
)
