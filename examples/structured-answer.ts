import { StepLoop, tool } from '@steploop/core'
import { z } from 'zod'
import type { ExampleContext } from './example.ts'

const order = tool({
  description: 'Looks up an order by its number',
  inputSchema: z.object({ number: z.string() }),
  execute: ({ number }) => ({ number, status: 'in customs', since: '2026-11-18', city: 'Basel' }),
})

const schema = z.object({
  number: z.string(),
  delayed: z.boolean(),
  city: z.string().describe('Where the parcel is'),
})

/** The model uses tools as it likes, and the answer is an object of the schema: typed, validated, repaired if need be. */
export async function structuredAnswer({ model, print }: ExampleContext): Promise<void> {
  const loop = new StepLoop({ model, tools: { order }, output: { schema } })
  const { output, steps } = await loop.generate('Is my order ZH-1001 delayed?')
  if (output === undefined) throw new Error('The run ended before the answer.')
  print(`${steps.length} steps`)
  print(`order ${output.number}: ${output.delayed ? `delayed, in ${output.city}` : 'on time'}`)
}
