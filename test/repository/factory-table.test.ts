import { AdapterError, type Adapter, type ProviderOptions } from '@steploop/core'
import { expect, test, vi } from 'vitest'
import { readText } from '../../scripts/capability-tables.ts'
import { readWorkspace } from './workspace.ts'

/** The table of docs/providers.md, held against every package of an adapter; the bridge to the AI SDK has neither key nor address. */
const names = readWorkspace().flatMap(({ folder, name }) =>
  folder.startsWith('packages/adapters/') && name !== '@steploop/ai-sdk' ? [name] : [],
)
const packages = new Map(
  await Promise.all(names.map(async (name): Promise<[string, object]> => [name, await import(name)])),
)

type Factory = (options: ProviderOptions) => (model: string) => Adapter

const rows = readText('docs/providers.md')
  .split('\n')
  .filter((line) => line.startsWith('| `@steploop/'))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .map(([, name = '', factory = '', instance = '', variable = '', address = '']) => {
    const exported = packages.get(name) ?? {}
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
  expect(new Set(rows.map(({ exported }) => exported))).toEqual(new Set(packages.values()))
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
