import { tool, type ToolSet } from '@steploop/core'
import { z } from 'zod'

/** One that takes time and says how far it is, one that asks before it runs, one that runs on the page. */
export function chatTools(delayMs: number): ToolSet {
  return {
    get_weather: tool({
      description: 'The weather in a place',
      inputSchema: z.object({ place: z.string() }),
      effect: 'read',
      async execute({ place }, { report }) {
        for (let progress = 1; progress <= 3; progress++) {
          await new Promise((resolve) => setTimeout(resolve, delayMs * 5))
          report({ progress, total: 3, message: `asked station ${progress} of 3` })
        }
        return { place, celsius: place.length, sky: 'clear' }
      },
    }),
    book_table: tool({
      description: 'Books a table in the restaurant',
      inputSchema: z.object({ people: z.number().int().positive(), at: z.string() }),
      needsApproval: true,
      execute: ({ people, at }) => `a table for ${people} at ${at}`,
    }),
    get_location: tool({ description: 'Where the user is', inputSchema: z.object({}) }),
  }
}
