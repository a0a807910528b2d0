import { z } from 'zod'
import { isStandardSchema, type InputSchema, type StandardResult } from '../../../../src/tools/standard-schema.ts'
import type { SchemaKind } from '../draw.ts'

const counter = { next: 0 }

/** So that a draw plays the same each time. */
export function resetFresh(): void {
  counter.next = 0
}

const filling = z.object({
  n: z.number().default(1_000_000),
  text: z.string().optional(),
  nested: z.unknown().optional(),
})

const standard = filling['~standard']

/** The same objects in every draw: their JSON Schema is made once. */
export const schemas: Readonly<Record<SchemaKind, InputSchema>> = {
  plain: { type: 'object' },
  any: z.looseObject({ n: z.any().optional(), text: z.any().optional(), nested: z.any().optional() }),
  default: filling,
  tidy: z.object({ n: z.coerce.number().default(0), text: z.string().trim().toLowerCase().optional() }),
  set: z
    .object({ n: z.number().optional(), text: z.string().default('nobody') })
    .transform(({ n, text }) => ({ n, who: new Set([text]) })),
  big: z.object({ n: z.int().default(0).transform(BigInt), text: z.string().optional() }),
  fresh: z.object({ n: z.number().default(() => 90 + 7 * counter.next++), text: z.string().optional() }),
  late: {
    '~standard': {
      version: 1,
      vendor: 'property',
      validate: async (value): Promise<StandardResult<unknown>> => standard.validate(value),
      jsonSchema: { input: () => ({ type: 'object', properties: { n: { type: 'number' } } }) },
    },
  },
}

/** What the schema makes of an input, asked by the observer; `fresh` cannot be foreseen. */
export function valueOf(kind: SchemaKind, input: unknown): { readonly value: unknown } | undefined {
  const schema = schemas[kind === 'late' ? 'default' : kind]
  if (!isStandardSchema(schema)) return { value: input }
  const result = schema['~standard'].validate(structuredClone(input)) as StandardResult<unknown>
  return result.issues === undefined ? { value: result.value } : undefined
}

export const answerSchema = z.object({ ok: z.boolean() })
