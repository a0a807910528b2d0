import { expect, test } from 'vitest'
import { strictSchema } from './strict-schema.ts'

const city = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

test('objects are closed at every depth', () => {
  const schema = {
    type: 'object',
    properties: {
      list: { type: 'array', items: city },
      either: { anyOf: [city, { type: 'null' }] },
      ref: { $ref: '#/$defs/c' },
    },
    required: ['list', 'either', 'ref'],
    $defs: { c: city },
  }
  const closed = { ...city, additionalProperties: false }
  expect(strictSchema(schema)).toEqual({
    ...schema,
    properties: {
      ...schema.properties,
      list: { type: 'array', items: closed },
      either: { anyOf: [closed, { type: 'null' }] },
    },
    $defs: { c: closed },
    additionalProperties: false,
  })
})

test.each([
  ['an optional property', { ...city, required: [] }],
  ['an open object', { ...city, additionalProperties: true }],
  ['a map', { ...city, additionalProperties: { type: 'string' } }],
  ['an object without properties inside', { ...city, properties: { name: { type: 'object' } } }],
  ['a refused keyword', { ...city, properties: { name: { type: 'string', default: 'x' } } }],
  ['a refused format', { ...city, properties: { name: { type: 'string', format: 'uri' } } }],
  ['a refused keyword in a branch', { ...city, properties: { name: { anyOf: [{ oneOf: [] }] } } }],
  ['a root that is no object', { type: 'array', items: { type: 'string' } }],
])('%s cannot be strict', (_name, schema) => {
  expect(strictSchema(schema)).toBeUndefined()
})
