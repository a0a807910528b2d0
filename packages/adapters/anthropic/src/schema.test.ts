import type { JsonSchema } from '@steploop/core/adapter'
import { expect, it } from 'vitest'
import { sanitiseSchema } from './schema.ts'

function sanitised(schema: JsonSchema): { schema: unknown; paths: string[] } {
  const paths: string[] = []
  return { schema: sanitiseSchema(schema, 'schema', (warning) => void paths.push(warning.path)), paths }
}

it.each<[string, JsonSchema, unknown]>([
  [
    'close every object, in definitions and variants too',
    {
      $defs: { a: { type: 'object' } },
      anyOf: [{ type: 'object', properties: { b: { $ref: '#/$defs/a' } } }, { type: 'null' }],
    },
    {
      $defs: { a: { type: 'object', additionalProperties: false, properties: {} } },
      anyOf: [
        { type: 'object', properties: { b: { $ref: '#/$defs/a' } }, additionalProperties: false },
        { type: 'null' },
      ],
    },
  ],
  [
    'say oneOf as anyOf',
    { oneOf: [{ type: 'string' }, { type: 'number' }] },
    { anyOf: [{ type: 'string' }, { type: 'number' }] },
  ],
  [
    'keep known formats, small minItems, enums and constants',
    { type: 'array', minItems: 1, items: { type: 'string', format: 'date', enum: ['a'], const: 'a' } },
    { type: 'array', minItems: 1, items: { type: 'string', format: 'date', enum: ['a'], const: 'a' } },
  ],
  ['keep a list that may be empty', { type: 'array', minItems: 0 }, { type: 'array', minItems: 0 }],
  [
    'close what may be an object, and what has properties alone',
    { allOf: [{ type: ['object', 'null'] }, { properties: {} }, { type: ['string', 'null'] }] },
    {
      allOf: [
        { type: ['object', 'null'], additionalProperties: false, properties: {} },
        { properties: {}, additionalProperties: false },
        { type: ['string', 'null'] },
      ],
    },
  ],
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'].map(
    (format): [string, JsonSchema, unknown] => [`keep the format ${format}`, { format }, { format }],
  ),
  [
    'keep titles, descriptions and defaults',
    { type: 'string', title: 'City', description: 'Where to look', default: 'Oslo' },
    { type: 'string', title: 'City', description: 'Where to look', default: 'Oslo' },
  ],
  ['keep a closed end', { additionalProperties: false }, { additionalProperties: false }],
  ['lose the dialect', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'string' }, { type: 'string' }],
])('schemas: %s, without a warning', (_title, schema, expected) => {
  expect(sanitised(schema)).toEqual({ schema: expected, paths: [] })
})

it.each<[JsonSchema, string]>([
  [{ type: 'integer', minimum: 1, maximum: 9, multipleOf: 2 }, '{minimum: 1, maximum: 9, multipleOf: 2}'],
  [{ type: 'string', minLength: 1, maxLength: 5, pattern: '^a' }, '{minLength: 1, maxLength: 5, pattern: "^a"}'],
  [{ type: 'array', minItems: 2, maxItems: 3, uniqueItems: true }, '{minItems: 2, maxItems: 3, uniqueItems: true}'],
  [{ type: 'string', format: 'color' }, '{format: "color"}'],
  [
    { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
    '{additionalProperties: {"type":"string"}}',
  ],
])('schemas say what cannot be enforced in the description: %j', (schema, note) => {
  const result = sanitised({ ...schema, description: 'Given' })
  expect(result.schema).toMatchObject({ description: `Given\n\n${note}` })
  expect(result.paths).toEqual(['schema'])
})

it.each<[JsonSchema, string]>([
  [{ properties: { a: { minLength: 1 } } }, 'schema.properties.a'],
  [{ $defs: { a: { minLength: 1 } } }, 'schema.$defs.a'],
  [{ definitions: { a: { minLength: 1 } } }, 'schema.definitions.a'],
  [{ items: { minLength: 1 } }, 'schema.items'],
  [{ anyOf: [{}, { minLength: 1 }] }, 'schema.anyOf[1]'],
  [{ oneOf: [{ minLength: 1 }] }, 'schema.oneOf[0]'],
  [{ allOf: [{ minLength: 1 }] }, 'schema.allOf[0]'],
])('schemas: a warning about a part of %j names its path', (schema, path) => {
  expect(sanitised(schema).paths).toEqual([path])
})
