import type { JsonSchema, Warning } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { sanitiseSchema } from './schema.ts'

function sanitised(schema: JsonSchema): { readonly schema: object; readonly warnings: readonly Warning[] } {
  const warnings: Warning[] = []
  return { schema: sanitiseSchema(schema, 'schema', (warning) => warnings.push(warning)), warnings }
}

test.for<readonly [string, JsonSchema, object]>([
  ['const is an enum of one', { const: 'a' }, { enum: ['a'], type: 'string' }],
  ['the dialect is left out', { $schema: 'x', type: 'object' }, { type: 'object' }],
  [
    'exclusive bounds of integers move by one',
    { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 9 },
    { type: 'integer', minimum: 1, maximum: 8 },
  ],
  [
    'the limits of safe integers bound nothing',
    { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 },
    { type: 'integer' },
  ],
  ['nullable is a type beside null', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
  [
    'definitions have one name',
    { definitions: { a: { type: 'string' } }, items: { $ref: '#/definitions/a' } },
    { $defs: { a: { type: 'string' } }, items: { $ref: '#/$defs/a' } },
  ],
  [
    'members beside a reference stand around it',
    { $ref: '#/$defs/a', description: 'The a.' },
    { description: 'The a.', anyOf: [{ $ref: '#/$defs/a' }] },
  ],
  ['a reference alone stays', { $ref: '#/$defs/a', $defs: { a: {} } }, { $ref: '#/$defs/a', $defs: { a: {} } }],
  ['a schema that takes anything is empty', { properties: { any: true } }, { properties: { any: {} } }],
  [
    'additionalProperties stays as it is',
    { type: 'object', additionalProperties: false },
    { type: 'object', additionalProperties: false },
  ],
  [
    'an intersection of objects is one object',
    {
      allOf: [
        { type: 'object', properties: { a: {} }, required: ['a'] },
        { properties: { b: {} }, required: ['b'] },
      ],
    },
    { type: 'object', properties: { a: {}, b: {} }, required: ['a', 'b'] },
  ],
  [
    'what an intersection says itself wins over what it joins, and of those the first',
    {
      description: 'Own',
      allOf: [
        { description: 'A', title: 'A' },
        { title: 'B', default: 1 },
      ],
    },
    { description: 'Own', title: 'A', default: 1 },
  ],
  ['the largest numbers bound nothing', { type: 'integer', exclusiveMinimum: -(2 ** 53) }, { type: 'integer' }],
  ...[
    { format: 'date-time' },
    { title: 'City' },
    { description: 'Where' },
    { enum: ['a'] },
    { minItems: 1 },
    { maxItems: 2 },
    { minLength: 1 },
    { maxLength: 2 },
    { minProperties: 1 },
    { maxProperties: 2 },
    { minimum: 1 },
    { maximum: 2 },
    { pattern: '^a' },
    { default: 1 },
    { required: ['a'] },
    { propertyOrdering: ['a'] },
  ].map((schema) => [`${Object.keys(schema).join()} stays`, schema, schema] as const),
  ...['$schema', '$comment', 'examples', 'discriminator', 'readOnly', 'writeOnly', 'deprecated'].map(
    (name) => [`${name} says nothing to the model`, { type: 'string', [name]: true }, { type: 'string' }] as const,
  ),
  [
    'names of places stay',
    { $id: 'city', $anchor: 'top', type: 'string' },
    { $id: 'city', $anchor: 'top', type: 'string' },
  ],
  [
    'each variant of a union is a schema of its own, whatever the union is called',
    { anyOf: [{ const: 'a' }, { type: 'integer' }], items: { oneOf: [{ const: 'b' }, { type: 'null' }] } },
    {
      anyOf: [{ enum: ['a'], type: 'string' }, { type: 'integer' }],
      items: { oneOf: [{ enum: ['b'], type: 'string' }, { type: 'null' }] },
    },
  ],
])('without a warning: %s', ([, schema, expected]) => {
  expect(sanitised(schema)).toEqual({ schema: expected, warnings: [] })
})

test('what the API cannot enforce moves into the description, with a warning that names the location', () => {
  const { schema, warnings } = sanitised({
    type: 'object',
    properties: { n: { type: 'number', description: 'A share.', exclusiveMinimum: 0, multipleOf: 0.5 } },
  })
  expect(schema).toEqual({
    type: 'object',
    properties: { n: { type: 'number', description: 'A share.\n\n{exclusiveMinimum: 0, multipleOf: 0.5}' } },
  })
  expect(warnings).toMatchObject([{ type: 'coerced', path: 'schema.properties.n' }])
})

test('an intersection with a reference cannot be joined, and moves into the description with a warning', () => {
  const allOf = [{ $ref: '#/$defs/a' }, { type: 'object' }]
  const { schema, warnings } = sanitised({ allOf, $defs: { a: { type: 'string' } } })
  expect(schema).toEqual({
    $defs: { a: { type: 'string' } },
    description: '{allOf: [{"$ref":"#/$defs/a"},{"type":"object"}]}',
  })
  expect(warnings).toMatchObject([{ type: 'coerced', path: 'schema' }])
})

test.for<readonly [JsonSchema, string]>([
  [{ properties: { a: { multipleOf: 2 } } }, 'schema.properties.a'],
  [{ $defs: { a: { multipleOf: 2 } } }, 'schema.$defs.a'],
  [{ definitions: { a: { multipleOf: 2 } } }, 'schema.definitions.a'],
  [{ items: { multipleOf: 2 } }, 'schema.items'],
  [{ additionalProperties: { multipleOf: 2 } }, 'schema.additionalProperties'],
  [{ anyOf: [{}, { multipleOf: 2 }] }, 'schema.anyOf[1]'],
  [{ oneOf: [{ multipleOf: 2 }] }, 'schema.oneOf[0]'],
  [{ prefixItems: [{ multipleOf: 2 }] }, 'schema.prefixItems[0]'],
])('a warning about a part of %j names its path', ([schema, path]) => {
  expect(sanitised(schema).warnings).toMatchObject([{ path }])
})

test('a schema is never changed in place', () => {
  const schema = Object.freeze({ type: 'object', properties: Object.freeze({ a: Object.freeze({ const: 1 }) }) })
  sanitised(schema)
  expect(schema).toEqual({ type: 'object', properties: { a: { const: 1 } } })
})
