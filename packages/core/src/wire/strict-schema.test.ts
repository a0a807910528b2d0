import { expect, test } from 'vitest'
import { strictSchema } from './strict-schema.ts'

const text = { type: 'string' }
const city = { type: 'object', properties: { name: text }, required: ['name'] }
const holding = (node: unknown): Record<string, unknown> => ({
  type: 'object',
  properties: { a: node },
  required: ['a'],
})

test('objects are closed at every depth, and nothing else changes', () => {
  const schema = {
    type: 'object',
    title: 'Cities',
    properties: {
      list: { type: 'array', items: city, minItems: 1 },
      either: { anyOf: [city, { type: 'null' }] },
      maybe: { ...city, type: ['object', 'null'] },
      ref: { $ref: '#/$defs/c' },
      none: { type: 'object', additionalProperties: false },
    },
    required: ['list', 'either', 'maybe', 'ref', 'none'],
    $defs: { c: city },
    definitions: { d: { ...text, additionalProperties: false } },
  }
  const given = structuredClone(schema)
  const closed = { ...city, additionalProperties: false }
  expect(strictSchema(schema)).toEqual({
    ...schema,
    properties: {
      ...schema.properties,
      list: { type: 'array', items: closed, minItems: 1 },
      either: { anyOf: [closed, { type: 'null' }] },
      maybe: { ...closed, type: ['object', 'null'] },
      none: { type: 'object', properties: {}, required: [], additionalProperties: false },
    },
    $defs: { c: closed },
    definitions: { d: { ...text, additionalProperties: false } },
    additionalProperties: false,
  })
  expect(schema).toEqual(given)
})

test('a keyword that is undefined is none', () => {
  expect(strictSchema(holding({ ...text, default: undefined, description: undefined }))).toEqual(
    strictSchema(holding(text)),
  )
})

// The guide's lists: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas

test.each<readonly [string, unknown]>([
  ['texts', text],
  ['numbers', { type: 'number' }],
  ['truth values', { type: 'boolean' }],
  ['integers', { type: 'integer' }],
  ['lists', { type: 'array', items: text }],
  ['enums', { enum: ['a', 'b'] }],
  ['a single value', { const: 'a' }],
  ['alternatives', { anyOf: [text, { type: 'number' }] }],
  ['texts or null', { type: ['string', 'null'] }],
  ['references', { $ref: '#/$defs/x' }],
  ['recursion at the root', { $ref: '#' }],
  ['a pattern', { ...text, pattern: '^@' }],
  ...'date-time time date duration email hostname ipv4 ipv6 uuid'
    .split(' ')
    .map((format) => [`the format ${format}`, { ...text, format }] as const),
  ...'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'
    .split(' ')
    .map((keyword) => [keyword, { type: 'number', [keyword]: 2 }] as const),
  ['minItems and maxItems', { type: 'array', items: text, minItems: 1, maxItems: 2 }],
  ['words about it', { ...text, title: 'T', description: 'D', examples: ['x'] }],
  ['a property that is called like a keyword', { ...holding(text), properties: { not: text }, required: ['not'] }],
])('what strict mode can express: %s', (_title, node) => {
  expect(strictSchema(holding(node))).toMatchObject({ properties: { a: node }, additionalProperties: false })
})

test.each<readonly [string, unknown]>([
  ['what is only said not to be open', { ...text, additionalProperties: {} }],
  ['an optional property', { ...city, required: [] }],
  ['an open object', { ...city, additionalProperties: true }],
  ['a map', { ...city, additionalProperties: text }],
  ['an object without properties', { type: 'object' }],
  ['an object or null without properties', { type: ['object', 'null'] }],
  ['anything', {}],
  ['a description alone', { description: 'x' }],
  ['`true`', true],
  ['lists of anything', { type: 'array', items: {} }],
  ['alternatives with anything', { anyOf: [text, {}] }],
  ['no alternative', { anyOf: [] }],
  ['the format uri', { ...text, format: 'uri' }],
  ...'allOf oneOf not if then else dependentRequired dependentSchemas patternProperties propertyNames prefixItems contains default minLength maxLength uniqueItems minProperties maxProperties unevaluatedProperties invented'
    .split(' ')
    .map((keyword) => [keyword, { ...text, [keyword]: {} }] as const),
])('what strict mode cannot express: %s', (_title, node) => {
  expect(strictSchema(holding(node))).toBeUndefined()
  expect(strictSchema(holding({ anyOf: [node, text] }))).toBeUndefined()
  expect(strictSchema({ ...holding(text), $defs: { x: node } })).toBeUndefined()
  expect(strictSchema({ ...holding(text), definitions: { x: node } })).toBeUndefined()
})

test.each([
  ['a list', { type: 'array', items: text }],
  ['alternatives', { ...city, anyOf: [city] }],
  ['an object or null', { ...city, type: ['object', 'null'] }],
  ['no type', { properties: { a: text }, required: ['a'] }],
])('what strict mode cannot express: %s at the root', (_title, schema) => {
  expect(strictSchema(schema)).toBeUndefined()
})

const wide = (count: number) => {
  const names = Array.from({ length: count }, (_, index) => `p${index}`)
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, text])), required: names }
}
const deep = (levels: number): Record<string, unknown> => holding(levels === 2 ? text : deep(levels - 1))

test.each([
  ['5000 properties in all', wide(5000), wide(5001)],
  ['1000 values of enums in all', holding({ enum: numbers(1000) }), holding({ enum: numbers(1001) })],
  ['10 levels', deep(10), deep(11)],
  ['10 levels of lists', holding(lists(9)), holding(lists(10))],
])('the documented sizes are: %s', (_title, fits, tooMuch) => {
  expect(strictSchema(fits)).toBeDefined()
  expect(strictSchema(tooMuch)).toBeUndefined()
})

function lists(levels: number): object {
  return levels === 1 ? text : { type: 'array', items: lists(levels - 1) }
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index)
}
