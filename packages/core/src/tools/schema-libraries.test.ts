import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { expect, expectTypeOf, test } from 'vitest'
import { StepLoop, tool, type StepLoopOptions } from '../index.ts'
import { scriptedAdapter } from '../testing/index.ts'
import type { StandardSchema } from './standard-schema.ts'

const toolsFor = (ran: unknown[]) => ({
  valibot: tool({
    inputSchema: toStandardJsonSchema(
      v.object({ city: v.pipe(v.string(), v.minLength(1)), days: v.optional(v.number(), 3) }),
    ),
    execute: (input) => ran.push(input),
  }),
  arktype: tool({
    inputSchema: type({ city: 'string > 0', days: 'number = 3' }),
    execute: (input) => ran.push(input),
  }),
})

async function play(toolName: string, input: Record<string, unknown>, options: Partial<StepLoopOptions> = {}) {
  const ran: unknown[] = []
  const model = scriptedAdapter([[{ type: 'call', toolName, input }], 'done'])
  const result = await new StepLoop({ model, tools: toolsFor(ran), ...options }).generate('x')
  return { ran, result, request: model.requests[0]?.request }
}

test.each(['valibot', 'arktype'])(
  'schemas of %s are declared, checked, and complete the input',
  { tags: ['E04'] },
  async (name) => {
    const { ran, request, result } = await play(name, { city: 'Bern' })
    const declared = request?.tools?.find((definition) => definition.name === name)
    expect(declared).toMatchObject({ inputSchema: { type: 'object', properties: { city: { type: 'string' } } } })
    expect(ran).toEqual([{ city: 'Bern', days: 3 }])
    // What the library wrote into the input is the tool's alone.
    expect(result.toolCalls[0]?.input).toEqual({ city: 'Bern' })
    const refused = await play(name, { city: '' })
    expect([refused.ran, refused.result.toolResults[0]?.output.value]).toMatchObject([[], { code: 'invalid-input' }])
  },
)

test('a schema without JSON Schema is refused with what to do, by the compiler and when the loop is made', () => {
  const inputSchema = v.object({ city: v.string() })
  type Declared<Schema> = { inputSchema: Schema; execute: () => number }
  type City = { city: string }
  type Accepted<Schema extends StandardSchema> = Parameters<typeof tool<City, City, Schema['~standard']>>[0]
  expectTypeOf<Declared<typeof inputSchema>>().not.toExtend<Accepted<typeof inputSchema>>()
  const wrapped = toStandardJsonSchema(inputSchema)
  expectTypeOf<Declared<typeof wrapped>>().toExtend<Accepted<typeof wrapped>>()
  const bare = { type: 'function', inputSchema, execute: () => 1 } as const
  expect(() => new StepLoop({ model: scriptedAdapter([]), tools: { bare } })).toThrow(/valibot.*toStandardJsonSchema/)
})
