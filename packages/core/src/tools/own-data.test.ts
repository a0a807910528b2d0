import { expect, test } from 'vitest'
import { freezeData, ownCopy, ownMessage } from './own-data.ts'

class Account {
  balance = 0
}

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
  const innermost = {}
  let deep: unknown = innermost
  for (let level = 0; level < 5000; level++) deep = [deep]
  const frozen = freezeData({ account, deep, list: [{ a: 1 }] })
  const looked = [frozen.list[0], innermost, account, client]
  expect(looked.map((value) => Object.isFrozen(value))).toEqual([true, true, false, false])
})

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
