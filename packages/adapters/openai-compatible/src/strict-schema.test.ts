import { describe, expect, test } from 'vitest'
import { toStrictSchema } from './strict-schema.ts'

const text = { type: 'string' }

describe('the strict form of a schema', () => {
  test('closes every object, at any depth', () => {
    const place = { type: 'object', properties: { city: text }, required: ['city'] }
    const schema = {
      type: 'object',
      properties: { one: place, list: { type: 'array', items: place }, either: { anyOf: [place, { type: 'null' }] } },
      required: ['one', 'list', 'either'],
      $defs: { place },
    }
    const closed = { ...place, additionalProperties: false }
    expect(toStrictSchema(schema)).toEqual({
      ...schema,
      additionalProperties: false,
      properties: {
        one: closed,
        list: { type: 'array', items: closed },
        either: { anyOf: [closed, { type: 'null' }] },
      },
      $defs: { place: closed },
    })
  })

  test.each([
    ['optional properties', { properties: { a: text }, required: [] }],
    ['open objects', { properties: {}, additionalProperties: true }],
    ['records', { properties: {}, additionalProperties: text }],
    ['objects without properties', { properties: { a: { type: 'object' } }, required: ['a'] }],
    ['anything', { properties: { a: {} }, required: ['a'] }],
    ['oneOf', { properties: { a: { oneOf: [text] } }, required: ['a'] }],
    ['such items', { properties: { a: { type: 'array', items: {} } }, required: ['a'] }],
    ['such alternatives', { properties: { a: { anyOf: [text, {}] } }, required: ['a'] }],
  ])('does not exist with %s', (_, schema) => {
    expect(toStrictSchema({ type: 'object', ...schema })).toBeUndefined()
  })

  test('does not exist without an object at the root', () => {
    expect(toStrictSchema({ type: 'array', items: text })).toBeUndefined()
  })
})
