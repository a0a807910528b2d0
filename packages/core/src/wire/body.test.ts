import { expect, test } from 'vitest'
import type { ToolDefinition, Warning } from '../contract/adapter.ts'
import { joinJson, leadingSystem, printMembers } from './body.ts'
import { settingFields } from './setting-fields.ts'
import { createToolNames, encodeToolList, moreTools } from './tool-list.ts'

const inputSchema = { type: 'object' }
const tools: readonly ToolDefinition[] = [
  { type: 'provider', provider: 'other', name: 'search', definition: { type: 'web' } },
  { type: 'function', name: 'get weather', inputSchema },
  { type: 'provider', provider: 'acme', name: 'run', definition: { type: 'code' } },
]

test('functions are encoded, own provider tools stay as defined, and those of others are left out with a warning', () => {
  const warnings: Warning[] = []
  const warn = (warning: Warning): void => void warnings.push(warning)
  const encode = ({ name }: { name: string }, path: string): string => JSON.stringify({ name, path })
  expect(JSON.parse(`[${encodeToolList(tools, { provider: 'acme', warn, encode })}]`)).toEqual([
    { name: 'get weather', path: 'tools[1]' },
    { type: 'code' },
  ])
  encodeToolList(tools, { provider: 'acme', warn, encode, leftOut: ({ name }) => `no ${name}` })
  expect(warnings).toEqual([
    { type: 'dropped', path: 'tools[0]', message: "'search' is a tool of other; acme does not get it" },
    { type: 'dropped', path: 'tools[0]', message: 'no search' },
  ])
})

test.each([
  [{}, [], []],
  [{ tools: [{ type: 'web' }] }, [{ type: 'web' }], []],
  [
    { tools: { type: 'web' } },
    [],
    [{ type: 'dropped', path: 'providerOptions.tools', message: expect.stringContaining('array') }],
  ],
])('more tools are a list, and any other value is left out with a warning: %j', (given, more, warned) => {
  const warnings: Warning[] = []
  expect(moreTools(given, (warning) => warnings.push(warning))).toEqual(more)
  expect(warnings).toMatchObject(warned)
})

test('names on the wire lead back to functions alone, looked up once for a list of tools', () => {
  let asked = 0
  const toolNames = createToolNames((name) => {
    asked++
    return name.replace(' ', '_')
  })
  expect([...toolNames(tools)]).toEqual([['get_weather', 'get weather']])
  expect(toolNames(tools)).toBe(toolNames(tools))
  expect([asked, toolNames(undefined).size]).toEqual([1, 0])
})

test('two functions with one name on the wire are refused: the calls of one would run the other', () => {
  const toolNames = createToolNames((name) => name.replace(/\W/, '_'))
  const named = ['bank.pay', 'bank_pay'].map((name) => ({ type: 'function', name, inputSchema }) as const)
  expect(() => toolNames(named)).toThrow("'bank.pay' and 'bank_pay' have one name for the provider, 'bank_pay'")
})

test('settings go under their names, in the order of the names; what has none is reported', () => {
  const names = { seed: 'random_seed', maxOutputTokens: 'max', topK: false, stopSequences: 'stop' } as const
  const unknown: string[] = []
  const given = { maxOutputTokens: 0, seed: 1, topK: 2, stopSequences: [], temperature: 1 }
  const fields = settingFields(given, names, (name) => unknown.push(name))
  expect([JSON.stringify(fields), unknown]).toEqual(['{"random_seed":1,"max":0}', ['topK']])
  expect(settingFields(undefined, names)).toEqual({})
})

test('a body is joined from texts, without the empty ones', () => {
  expect(joinJson(['1', '', '2'])).toBe('1,2')
  const members = new Map([['a"b', '[1]'] as const, ['f', JSON.stringify(() => 1)], ['c', '{}']])
  expect(printMembers(members)).toBe('{"a\\"b":[1],"c":{}}')
  expect(printMembers(new Map())).toBe('{}')
})

test('the system prompt takes in the system messages at the beginning, and no later ones', () => {
  const messages = [
    { role: 'system', content: 'Be kind.' },
    { role: 'system', content: ' ' },
    { role: 'user', content: 'Hello' },
    { role: 'system', content: 'Late.' },
  ] as const
  expect(leadingSystem({ instructions: 'Be brief.', messages, turn: 0 })).toEqual({
    texts: ['Be brief.', 'Be kind.'],
    from: 2,
  })
  expect(leadingSystem({ messages: messages.slice(2), turn: 0 })).toEqual({ texts: [], from: 0 })
})
