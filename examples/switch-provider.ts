import { StepLoop, tool } from '@steploop/core'
import { z } from 'zod'
import type { ExampleContext } from './example.ts'

const stock = tool({
  description: 'Number of items in stock',
  inputSchema: z.object({ item: z.string() }),
  execute: ({ item }) => ({ item, count: 3 }),
})

/** The first provider fails in the middle of a run. Another one takes over with the whole conversation; no tool runs twice. */
export async function switchProvider({ model, other, print }: ExampleContext): Promise<void> {
  const loop = new StepLoop({ model, fallbacks: [other], tools: { stock }, maxRetries: 0 })
  for await (const event of loop.stream('How many red bicycles are left?')) {
    if (event.type === 'step-retry') print(`step ${event.step} is asked for again: ${event.error.code}`)
    if (event.type === 'tool-state' && event.state === 'running') print(`running ${event.toolName}`)
    if (event.type === 'step-end') print(`step ${event.step.number} by ${event.step.provider}`)
    if (event.type === 'run-end') print(event.result.text)
    if (event.type === 'run-error') throw event.error
  }
}
