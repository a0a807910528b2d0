import { StepLoop, tool } from '@steploop/core'
import { z } from 'zod'
import type { ExampleContext } from './example.ts'

const weather = tool({
  description: 'Weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sky: city === 'Paris' ? 'rain' : 'sun', celsius: city === 'Paris' ? 9 : 4 }),
})

const time = tool({
  description: 'Local time of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, time: city === 'Tokyo' ? '23:30' : '15:30' }),
})

/** The model calls three tools in one turn. They run side by side; their results go back in the order of the calls. */
export async function parallelTools({ model, print }: ExampleContext): Promise<void> {
  const loop = new StepLoop({ model, instructions: 'Be brief.', tools: { weather, time } })
  const result = await loop.generate('How is the weather in Paris and in Zürich, and what time is it in Tokyo?')
  for (const { number, toolCalls, toolResults } of result.steps) {
    for (const [index, { toolName, input }] of toolCalls.entries()) {
      print(
        `step ${number}: ${toolName} ${JSON.stringify(input)} -> ${JSON.stringify(toolResults[index]?.output.value)}`,
      )
    }
  }
  print(result.text)
}
