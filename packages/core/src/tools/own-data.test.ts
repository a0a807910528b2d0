import { expect, test } from 'vitest'
import { z } from 'zod'
import { StepLoop, tool, type StepLoopOptions } from '../index.ts'
import { freezeData, ownCopy, ownMessage } from './own-data.ts'
import { scriptedAdapter } from '../testing/index.ts'

class Account {
  balance = 0
}

class Headers2 extends Map<string, string> {
  override get(name: string): string | undefined {
    return super.get(name.toLowerCase())
  }
}

const nested = { list: [1, { deep: new Date(5) }], map: new Map([['a', { b: 1 }]]), set: new Set([1]), none: undefined }

test('a copy is equal, and another object at any depth', () => {
  const copy = ownCopy(nested)
  expect(copy).toEqual(nested)
  expect([
    copy.list === nested.list,
    copy.list[1] === nested.list[1],
    copy.map.get('a') === nested.map.get('a'),
  ]).toEqual([false, false, false])
})

test('a copy of bytes is of the same class as they are', () => {
  const bytes = Buffer.from('DROP')
  const copy = ownCopy({ bytes }).bytes
  copy[0] = 0
  expect([Buffer.isBuffer(copy), bytes.toString()]).toEqual([true, 'DROP'])
})

test.each<[string, object]>([
  ['an instance of a class', new Account()],
  ['a Map with methods of its own', new Headers2([['a', 'b']])],
  ['what a regular expression gave', /(?<verb>D)/.exec('D') ?? {}],
  ['an object with a symbol', { [Symbol('tenant')]: 1 }],
  [
    'an object with a getter',
    {
      get lazy() {
        throw new Error('lazy')
      },
    },
  ],
])('a copy of %s would be another thing, so it is the thing itself', (_what, value) => {
  expect(ownCopy({ value }).value).toBe(value)
})

test('a copy keeps cycles, and members that are named like those of every object', () => {
  const cycle: Record<string, unknown> = JSON.parse('{"__proto__":{"polluted":1}}') as Record<string, unknown>
  cycle['self'] = cycle
  const copy = ownCopy(cycle)
  expect(copy['self']).toBe(copy)
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  expect(JSON.stringify(ownCopy(JSON.parse('{"__proto__":{"a":1}}')))).toBe('{"__proto__":{"a":1}}')
})

test('what is frozen is plain data, at any depth, and nothing that an instance holds', () => {
  const client = { open: true }
  const account = Object.assign(new Account(), { client })
  let deep: unknown = {}
  for (let level = 0; level < 5000; level++) deep = [deep]
  const frozen = freezeData({ account, deep, list: [{ a: 1 }] })
  expect([frozen.list[0], account, client].map((value) => Object.isFrozen(value))).toEqual([true, false, false])
})

const call = (toolName: string, input: Record<string, unknown> = {}) => ({ type: 'call', toolName, input }) as const

async function play(options: Partial<StepLoopOptions>, inputs: readonly Record<string, unknown>[]) {
  const script = [inputs.map((input) => call('send', input)), 'done']
  return new StepLoop({ model: scriptedAdapter(script), maxToolConcurrency: 1, ...options }).generate('x')
}

test('what a schema made is judged as the class that runs', async () => {
  const send = tool({
    inputSchema: z.object({ sql: z.string().transform((text) => Buffer.from(text, 'base64')) }),
    needsApproval: ({ sql }) => sql.toString().includes('DROP'),
    execute: () => 'ran',
  })
  const { status } = await play({ tools: { send } }, [{ sql: Buffer.from('DROP TABLE users').toString('base64') }])
  expect(status).toBe('requires-action')
})

test('what a schema made is each call’s own, although the schema gives the same default to all', async () => {
  const ran: unknown[] = []
  const send = tool({
    inputSchema: z.object({ options: z.object({ to: z.array(z.string()) }).default({ to: [] }) }),
    needsApproval: ({ options }) => options.to.length > 0,
    execute: ({ options }) => {
      ran.push(structuredClone(options))
      options.to.push('boss@example.com')
    },
  })
  await play({ tools: { send } }, [{}, {}])
  expect(ran).toEqual([{ to: [] }, { to: [] }])
})

test.each<[string, Partial<StepLoopOptions>]>([
  ['onToolStart', { onToolStart: () => undefined }],
  ['onToolExecuted', { onToolExecuted: () => undefined }],
  ['denyCall', { denyCall: () => undefined }],
])('what a schema made may be an instance that nobody can copy, with `%s` too', async (_name, options) => {
  const lazy = tool({
    inputSchema: z
      .object({})
      .transform(() => Object.defineProperty(new Account(), 'lazy', { enumerable: true, get: () => fail() })),
    execute: (account) => ++account.balance,
  })
  const { toolResults } = await play({ tools: { send: lazy }, ...options }, [{}, {}])
  expect(toolResults.map(({ output }) => output.value)).toEqual([1, 1])
})

function fail(): never {
  throw new Error('lazy')
}

test('a message that could not be frozen is not taken for the frozen one of the loop when it comes again', () => {
  let isBroken = true
  const content = [{ type: 'text', text: 'hi' }] as const
  const message = {
    role: 'user',
    content,
    get extra() {
      if (isBroken) throw new Error('not yet')
      return 1
    },
  } as const
  expect(() => ownMessage(message)).toThrow('not yet')
  isBroken = false
  expect(ownMessage(message)).toBe(message)
  expect([message, content, content[0]].map((value) => Object.isFrozen(value))).toEqual([true, true, true])
})
