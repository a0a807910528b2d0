import { expect, test } from 'vitest'
import { compileSpecification } from './specification.ts'

const text = {
  type: 'object',
  properties: { type: { const: 'text' }, text: { type: 'string' } },
  required: ['type', 'text'],
}
const image = {
  type: 'object',
  properties: { type: { enum: ['image'] }, url: { type: 'string' } },
  required: ['type', 'url'],
}
const { broken } = compileSpecification('made', {
  Text: text,
  Image: image,
  Message: {
    type: 'object',
    required: ['role'],
    properties: {
      role: { type: 'string', enum: ['user', 'assistant'] },
      name: { type: 'string', nullable: true },
      content: {
        oneOf: [{ type: 'string' }, { type: 'array', items: { anyOf: [{ $ref: '#/x/Text' }, { $ref: '#/x/Image' }] } }],
      },
      extra: { type: 'object' },
    },
  },
  Base: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  Whole: { allOf: [{ $ref: '#/x/Base' }, { type: 'object', properties: { model: { type: 'string' } } }] },
  Open: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true },
})

test.each([
  ['Message', { role: 'user', content: 'Hi', name: null, extra: { anything: 1 } }],
  ['Message', { role: 'user', content: [{ type: 'image', url: 'x' }] }],
  ['Whole', { id: 'a', model: 'b' }],
  ['Open', { a: 'x', b: 1 }],
])('a document that fits breaks nothing: %s %j', (schema, document) => {
  expect(broken(schema, document)).toEqual([])
})

test.each([
  ['Message', {}, ["Message: 'role' is missing"]],
  ['Message', { role: 'system' }, ['Message.role: "system" is none of its words']],
  ['Message', { role: 'user', name: 3 }, ['Message.name: number is none of its kinds']],
  ['Message', { role: 'user', x: 'y' }, ["Message: unknown field 'x' (string)"]],
  ['Message', { role: 'user', x: { a: [{ b: 1 }] } }, ["Message: unknown field 'x.a[].b' (number)"]],
  ['Message', { role: 'user', content: [{ type: 'text', text: 1 }] }, ['Text.text: number instead of string']],
  ['Message', { role: 'user', content: [{ type: 'text', text: '', x: 1 }] }, ["Text: unknown field 'x' (number)"]],
  ['Message', { role: 'user', content: [{ type: 'sound' }] }, ["Message.content|1[]: 'sound' is none of its kinds"]],
  ['Message', { role: 'user', content: 7 }, ['Message.content: number is none of its kinds']],
  ['Whole', { model: 'b' }, ["Whole: 'id' is missing"]],
  ['Whole', { id: 'a', other: 1 }, ["Whole: unknown field 'other' (number)"]],
])('a body of the schema %s, %j, breaks the rules %j', (schema, document, rules) => {
  expect(broken(schema, document)).toEqual(rules)
})

test('in rules, a schema that the specification does not have is refused by name', () => {
  expect(() => broken('Nothing', {})).toThrow("The specification 'made' has no schema 'Nothing'")
})
