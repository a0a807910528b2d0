import { expect, test, vi } from 'vitest'
import type { StandardSchema } from './standard-schema.ts'
import { tool, toolDefinition } from './tool.ts'

function schemaWith(input: () => Record<string, unknown>): StandardSchema {
  const validate = (value: unknown) => ({ value })
  return { '~standard': { version: 1, vendor: 'mine', validate, jsonSchema: { input } } } as const
}

test('a tool is a function to the adapter, and its schema is converted once', () => {
  const convert = vi.fn(() => ({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' }))
  const declared = tool<unknown>({ inputSchema: schemaWith(convert) })
  const expected = { type: 'function', name: 'look', inputSchema: { type: 'object' } }
  expect([toolDefinition('look', declared), toolDefinition('look', declared)]).toEqual([expected, expected])
  expect(convert).toHaveBeenCalledOnce()
})

test('a schema that cannot be converted is an invalid option, with what its library threw as the cause', () => {
  const cause = new Error('Dates cannot be represented')
  const inputSchema = schemaWith(() => {
    throw cause
  })
  expect(() => toolDefinition('look', tool<unknown>({ inputSchema }))).toThrow(
    expect.objectContaining({
      code: 'invalid-options',
      cause,
      message: expect.stringContaining("tool 'look'") as string,
    }),
  )
})
