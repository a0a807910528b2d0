import { expect, test } from 'vitest'
import { faithfulJson, plainCopy } from './plain-data.ts'

function nested(levels: number, around: (inner: unknown) => unknown): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = around(value)
  return value
}

class Point {
  readonly x = 1
}

const cycle: unknown[] = []
cycle.push(cycle)
const deep = nested(20_000, (inner) => [inner])
const wide = nested(60, (inner) => [inner, inner])
const hole: unknown[] = [1]
hole[2] = 3
const named = Object.assign([1], { name: 'x' })
const swapped = Object.assign([], { 1: 'b', name: 'x' })
const hidden = Object.defineProperty({ a: 1 }, 'b', { value: 2, enumerable: false })
const accessor = {
  get a() {
    return 1
  },
}
const trap = new Proxy({}, { ownKeys: () => expect.unreachable() })

const unsayable: readonly unknown[] = [
  undefined,
  Number.NaN,
  Infinity,
  -Infinity,
  -0,
  1n,
  Symbol('s'),
  () => 1,
  new Set(['a']),
  new Map([['a', 1]]),
  /a/,
  new Date(0),
  new Uint8Array(1),
  new Point(),
  new Error('e'),
  [undefined],
  { a: undefined },
  { [Symbol('s')]: 1 },
  { toJSON: () => 1 },
  hole,
  named,
  swapped,
  hidden,
  accessor,
  trap,
  cycle,
  deep,
  wide,
]

test.each(unsayable.map((value, index) => [index, value] as const))(
  'faithfulJson has no text for what JSON cannot say in full (%i), nor for what holds it',
  (_, value) => {
    expect([faithfulJson(value), faithfulJson({ a: [value] })]).toEqual([undefined, undefined])
  },
)

test('faithfulJson has one text for one value, whatever the order of its keys, and another one for another value', () => {
  const own = JSON.parse('{"b":[{"d":null,"c":"ü"}],"__proto__":{"a":1},"a":-1.5}') as unknown
  expect(faithfulJson(own)).toBe('{"__proto__":{"a":1},"a":-1.5,"b":[{"c":"ü","d":null}]}')
  const values = [1, '1', [1], [1, 2], [12], { 0: 1 }, null, 'null', '', {}, [], true, '{}', { a: '}' }]
  const texts = new Set(values.map(faithfulJson))
  expect([texts.size, texts.has(undefined)]).toEqual([values.length, false])
})

test('an object without a prototype is plain', () => {
  const inner = Object.assign(Object.create(null) as object, { a: 1 })
  const bare = Object.assign(Object.create(null) as object, { c: inner, b: null })
  expect([faithfulJson(bare), plainCopy(bare)]).toEqual(['{"b":null,"c":{"a":1}}', { value: { b: null, c: { a: 1 } } }])
})

test.each([
  ['500 levels below the first', nested(501, (inner) => [inner]), nested(502, (inner) => [inner])],
  ['100000 values', Array.from({ length: 100_000 }, () => 1), Array.from({ length: 100_001 }, () => 1)],
])('%s are looked at, and not one more', (_, most, more) => {
  for (const read of [faithfulJson, plainCopy])
    expect([read(most) === undefined, read(more) === undefined]).toEqual([false, true])
})

test('plainCopy shares nothing with the value, and keeps what JSON would lose', () => {
  const value = { day: new Date(5), list: [undefined, Number.NaN, 7n, { a: 1 }] }
  const copy = plainCopy(value)?.value as typeof value
  expect(copy).toEqual(value)
  expect([copy === value, copy.day === value.day, copy.list[3] === value.list[3]]).toEqual([false, false, false])
})

test.each([[() => 1], [new Point()], [{ a: new Set() }], [accessor], [trap], [cycle], [deep], [Symbol('s')]])(
  'plainCopy is none of what cannot be copied',
  (value) => {
    expect(plainCopy(value)).toBeUndefined()
  },
)
