import { expect, test } from 'vitest'
import { freezeData, freezeParts, keepMessage, ownCopy, ownMessage } from './own-data.ts'

class Account {
  balance = 0
}

class Tags extends Set<string> {}

class Day extends Date {}

class Headers2 extends Map<string, string> {
  override get(name: string): string | undefined {
    return super.get(name.toLowerCase())
  }
}

const nested = {
  list: [1, { deep: new Date(5) }],
  map: new Map([['a', { b: 1 }]]),
  set: new Set([1]),
  none: undefined,
}

test('a copy is equal, and another object at any depth', () => {
  const copy = ownCopy(nested)
  expect(copy).toEqual(nested)
  expect([
    copy.list === nested.list,
    copy.list[1] === nested.list[1],
    copy.map.get('a') === nested.map.get('a'),
  ]).toEqual([false, false, false])
})

test('a copy holds itself where its original does, also by way of a Map, a Set or a list', () => {
  for (const inner of [new Map<string, unknown>(), new Set<unknown>(), [] as unknown[]]) {
    const given = { inner }
    if (inner instanceof Map) inner.set('self', given)
    else if (inner instanceof Set) inner.add(given)
    else inner.push(given)
    const copy = ownCopy(given)
    expect([...copy.inner.values()]).toEqual([copy])
    expect([...copy.inner.values()][0]).toBe(copy)
  }
})

test('a copy of a Map, a Set or a Date alone is of the same class, and another object', () => {
  for (const given of [new Map([['a', 1]]), new Set(['a']), new Date(5)]) {
    const copy = ownCopy(given)
    expect(copy).toEqual(given)
    expect(copy).not.toBe(given)
  }
})

test('a copy of an object without a prototype is another one without', () => {
  const bare: unknown = Object.create(null)
  const copy = ownCopy({ bare }).bare
  expect([copy === bare, Object.getPrototypeOf(copy)]).toEqual([false, null])
})

test('an object that has two places, or is the parent of another, is one in the copy too', () => {
  const twice = { a: 1 }
  const root = { first: twice, second: twice, child: { parent: {} }, byKey: new Map<object, string>() }
  root.child.parent = root
  root.byKey.set(root, 'root')
  const copy = ownCopy(root)
  expect(copy.first).toBe(copy.second)
  expect(copy.child.parent).toBe(copy)
  expect([...copy.byKey.keys()][0]).toBe(copy)
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
  ['a Set of a class of its own', new Tags(['a'])],
  ['a Date of a class of its own', new Day(5)],
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
  const bare: unknown = Object.create(null)
  const innermost = { account, bare, none: null, self: {} }
  innermost.self = innermost
  const frozen = freezeData({ account, bare: Object.create(null) as object, deep: nest(innermost), list: [{ a: 1 }] })
  const looked = [frozen.list[0], frozen.bare, innermost, bare, account, client]
  expect(looked.map((value) => Object.isFrozen(value))).toEqual([true, true, true, true, false, false])
  expect(freezeData(null)).toBe(null)
})

function nest(innermost: object): unknown {
  let deep: unknown = innermost
  for (let level = 0; level < 5000; level++) deep = [deep]
  return deep
}

test('a message that the loop keeps is frozen at any depth, and comes back as itself', () => {
  const input = { deep: {} }
  const data = { deep: {} }
  const call = {
    type: 'tool-call',
    toolCallId: 'c',
    toolName: 't',
    input: nest(input),
    inputText: '',
    owner: 'client',
  } as const
  const wire = { provider: 'p', model: 'm', data }
  const parts = [{ ...call, input: { deep: {} }, providerMetadata: wire }]
  freezeParts(parts)
  expect(
    [parts, parts[0], parts[0]?.input.deep, wire, data, data.deep].map((value) => Object.isFrozen(value)),
  ).not.toContain(false)
  const kept = keepMessage({ role: 'assistant', content: [call] })
  expect([kept, kept.content, input].map((value) => Object.isFrozen(value))).toEqual([true, true, true])
  expect(ownMessage(kept)).toBe(kept)
  const given = { role: 'user', content: 'hi' } as const
  const copy = ownMessage(given)
  expect([copy === given, Object.isFrozen(given), Object.isFrozen(copy)]).toEqual([false, false, true])
  expect(ownMessage(copy)).toBe(copy)
})

test('a message that is an instance of a class stays the application’s, and is kept as it is now', () => {
  class Entity {
    readonly id = 7
    role = 'user' as const
    parts = [{ type: 'text', text: 'hi' }] as const
    get content() {
      return this.parts
    }
  }
  const entity = new Entity()
  const kept = ownMessage(entity)
  const again = ownMessage(Object.assign(entity, { parts: 'bye' }))
  expect(kept).toStrictEqual({ id: 7, role: 'user', content: [{ type: 'text', text: 'hi' }], parts: kept.content })
  expect([again.content, Object.isFrozen(kept), Object.isFrozen(kept.content)]).toEqual(['bye', true, true])
  const marked = { role: 'user', content: [{ type: 'text', text: 'hi' }], [Symbol('mark')]: 1 } as const
  expect([ownMessage(marked), Object.isFrozen(marked), Object.isFrozen(marked.content)]).toEqual([
    { role: 'user', content: marked.content },
    false,
    false,
  ])
})

test('a message with a member that cannot be read is none, until it can', () => {
  let isBroken = true
  const message = {
    role: 'user',
    content: 'hi',
    get extra() {
      if (isBroken) throw new Error('not yet')
      return 1
    },
  } as const
  expect(() => ownMessage(message)).toThrow('not yet')
  isBroken = false
  expect(ownMessage(message)).toEqual({ role: 'user', content: 'hi', extra: 1 })
  expect(Object.isFrozen(message)).toBe(false)
})
