import * as parser from 'oxc-parser'
import { expect, test } from 'vitest'
import { drawMutations, findMutations } from './find-mutations.ts'
import { mutate, type Mutation } from './mutation.ts'

function mutationsOf(text: string): readonly Mutation[] {
  return findMutations({ name: 'acme', folder: '/acme', file: '/acme/src/wire/decode.ts', text }, parser)
}

/** What a line becomes, by operator. */
function changes(text: string): readonly (readonly [operator: string, after: string])[] {
  return mutationsOf(text).map(({ operator, after }) => [operator, after])
}

test.each([
  ['if (a) b', 'negate-condition', 'if (!(a)) b'],
  ['if (!a) b', 'drop-not', 'if ((a)) b'],
  ['x = a ? b : c', 'swap-arms', 'x = a ? c : b'],
  ['x = a && b', 'and-or', 'x = a || b'],
  ['x = a ?? b', 'nullish-left', 'x = (a)'],
  ['x = a ?? b', 'nullish-right', 'x = (b)'],
  ['x = a === b', 'equality', 'x = a !== b'],
  ['x = a < b', 'boundary', 'x = a <= b'],
  ['x = a - b', 'arithmetic', 'x = a + b'],
  ['x = a - b', 'swap-operands', 'x = b - a'],
  ['x += 1', 'arithmetic', 'x -= 1'],
  ['x++', 'arithmetic', 'x--'],
  ['call()', 'drop-statement', ';'],
  ['const f = () => a', 'return-undefined', 'const f = () => undefined'],
  ['function f() { return a }', 'return-undefined', 'function f() { return undefined }'],
  ['function f() { a(); b() }', 'return-at-once', 'function f() { return; a(); b() }'],
  ['for (;;) continue', 'drop-jump', 'for (;;) ;'],
  ['throw a', 'drop-throw', ';'],
  ['x = await a', 'drop-await', 'x = a'],
  [`x = 'text'`, 'string-empty', `x = ''`],
  [`x = 'text'`, 'string-other', 'x = "text~"'],
  ['x = `${a}/b`', 'string-empty', `x = ''`],
  ['x = 5', 'number-plus-one', 'x = 5 + 1'],
  ['x = true', 'boolean', 'x = false'],
  ['x = null', 'null-undefined', 'x = undefined'],
  ['x = /a/', 'regex-never', 'x = /(?!)/'],
  ['x = { a: b, c: d }', 'object-empty', 'x = {}'],
  ['x = { a: b, c: d }', 'drop-property', 'x = { a: b }'],
  ['x = { a: b, c: d }', 'drop-property', 'x = { c: d }'],
  ['x = { a }', 'rename-key', 'x = { a_: a }'],
  ['x = [a]', 'array-empty', 'x = []'],
  ['x = [...a, b]', 'drop-spread', 'x = [...[], b]'],
  ['x = f(a, b)', 'drop-argument', 'x = f(a)'],
  ['x = f(a, b)', 'swap-arguments', 'x = f(b, a)'],
  ['x = a.trim()', 'drop-chain-call', 'x = a'],
  ['x = Object.keys(a)', 'drop-chain-call', 'x = (a)'],
])('operators: %s: %s', (text, operator, after) => {
  expect(changes(text)).toContainEqual([operator, after])
})

test('operators drop a member that is undefined, which may hide another, here or where the object is spread', () => {
  expect(changes('x = { ...a, b: undefined }')).toContainEqual(['drop-property', 'x = { ...a }'])
  expect(changes('x = { b: undefined, c }')).toContainEqual(['drop-property', 'x = { c }'])
})

test('operators do not swap what has no order', () => {
  for (const name of ['min', 'max', 'imul'])
    expect(changes(`x = Math.${name}(a, b)`).map(([operator]) => operator)).not.toContain('swap-arguments')
})

test.each([
  ['switch (a) {\n  case 1:\n    break\n  default:\n}', 'drop-jump'],
  ["switch (a) {\n  case 'b':\n  default:\n    c = d\n}", 'string-empty'],
  ["switch (a) {\n  case 'b':\n    break\n  case c:\n    d = e\n}", 'string-empty'],
  ["function f() {\n  switch (a) {\n    case 'b':\n      return\n  }\n}", 'string-empty'],
  ['function f() {\n  switch (a) {\n    case b:\n      c = d\n      return\n  }\n}', 'drop-jump'],
  ['function f(a: never) {\n  return a satisfies never\n}', 'return-undefined'],
  ['function f() {\n  return false\n}', 'return-undefined'],
  ['x = f(a, false)', 'drop-argument'],
  ["x = a.join(',')", 'drop-argument'],
  ['x = a != null', 'null-undefined'],
  ['x = { a: undefined, ...b }', 'rename-key'],
])('operators leave alone what is nothing all the same: %s', (text, operator) => {
  expect(changes(text).map(([name]) => name)).not.toContain(operator)
})

test.each([
  ["switch (a) {\n  case 'b':\n    c()\n  default:\n    d()\n}"],
  ["switch (a) {\n  case 'b':\n    break\n  default:\n    c()\n}"],
  ["function f() {\n  switch (a) {\n    case 'b':\n      return\n  }\n  c()\n}"],
  ["e: for (;;) {\n  switch (a) {\n    case 'b':\n      break e\n  }\n}"],
])('operators change the name of a case that is another than the others: %s', (text) => {
  expect(changes(text).map(([name]) => name)).toContain('string-empty')
})

test('operators leave alone what is a type, a name of a module, and what people read', () => {
  const text = `import { a } from 'a'
export { b } from 'b'
type Kind = 'text' | 'call'
const said = 'is no number'
const kind = said as 'text'
const other = kind satisfies 'text'
`
  expect(changes(text)).toEqual([])
})

test('operators keep to one line each: applied to the file, it differs in those lines alone', () => {
  const text = 'const a = 1\nconst b = {\n  c: 2,\n  d: 3,\n}\n'
  const dropped = mutationsOf(text).find(({ operator }) => operator === 'object-empty')
  expect(dropped).toMatchObject({
    line: 2,
    column: 11,
    before: 'const b = {\n  c: 2,\n  d: 3,\n}',
    after: 'const b = {}',
  })
  expect(dropped && mutate(text, dropped)).toBe('const a = 1\nconst b = {}\n')
  expect(() => dropped && mutate(text.replace('c: 2', 'c: 4'), dropped)).toThrow(/decode\.ts was changed/)
})

const ids = (text: string): readonly string[] => mutationsOf(text).map(({ id }) => id)

test('ids stay while their lines stay, wherever these stand, and name the file', () => {
  const before = ids('if (a) b()')
  const moved = ids('const c = d\nfunction f(): void {\n  if (a) b()\n}')
  expect(before.every((id) => id.startsWith('acme/wire/decode.ts#'))).toBe(true)
  expect(moved).toEqual(expect.arrayContaining([...before]))
})

test('ids are others when the line is another, and differ for equal lines', () => {
  expect(ids('if (a) b()')).not.toEqual(expect.arrayContaining([...ids('if (a) c()')]))
  const twice = ids('x = a()\nx = a()')
  expect(new Set(twice).size).toBe(twice.length)
})

const all = mutationsOf(Array.from({ length: 30 }, (_, index) => `call(${index}, 'text')`).join('\n'))
const draw = (seed: number, from = all): readonly string[] =>
  drawMutations(from, { seed, sample: 10 }, () => true).map(({ id }) => id)

test('a draw is the same for the same seed, and another one for another', () => {
  expect(draw(1)).toEqual(draw(1))
  expect(draw(1)).toHaveLength(10)
  expect(draw(1)).not.toEqual(draw(2))
})

test('a draw keeps what it drew when other mutants come or go', () => {
  const others = all.filter(({ id }) => !draw(1).includes(id))
  const fewer = all.filter((mutation) => mutation !== others[0])
  expect(draw(1, fewer)).toEqual(draw(1))
})

test('a draw leaves out what cannot be parsed, and takes others', () => {
  const [first] = draw(1)
  const drawn = drawMutations(all, { seed: 1, sample: 10 }, ({ id }) => id !== first).map(({ id }) => id)
  expect(drawn).toHaveLength(10)
  expect(drawn).not.toContain(first)
})
