import { StepLoop, tool } from '@steploop/core'
import { refineInput } from '@steploop/core/policies'
import { parse } from 'chrono-node'
import { z } from 'zod'
import type { ExampleContext } from './example.ts'

const searchWeb = tool({
  description: 'Searches the web',
  inputSchema: z.object({
    query: z.string(),
    time_hint: z.string().optional(),
    after: z.iso.date().optional().describe('Only pages from this day on'),
    before: z.iso.date().optional().describe('Only pages until this day'),
  }),
  execute: (input) => ({ ...input, pages: ['The tunnel is open', 'First train through the tunnel'] }),
})

/** What a prompt says about time, as days: `{}` when it says nothing, or speaks of the future. */
export function timeLimits(prompt: string, now: Date): Readonly<Record<string, string | undefined>> {
  const found = parse(prompt, { instant: now, timezone: 'UTC' })
  const [first, last] = [found[0], found.at(-1)]
  if (first === undefined || last === undefined || first.start.date() > now) return {}
  const end = last.end ?? (found.length > 1 ? last.start : undefined)
  const day = (date: Date): string => date.toISOString().slice(0, 10)
  return { time_hint: first.text, after: day(first.start.date()), before: end && day(end.date()) }
}

/** Fixed, so that the recording fits; yours is `new Date()`, at each call. */
const now = new Date('2026-11-21T12:00:00Z')

/** Fills the time limits that the model left out of a search from what the user asked. What the model gave is never overwritten. */
export async function searchDates({ model, print }: ExampleContext): Promise<void> {
  const loop = new StepLoop({
    model,
    tools: { search_web: searchWeb },
    policies: [refineInput({ tool: 'search_web', fill: (prompt) => timeLimits(prompt, now) })],
  })
  const { toolCalls, toolResults, text } = await loop.generate('What was new about the tunnel from 3 to 9 November?')
  print(`the model asked for ${JSON.stringify(toolCalls[0]?.input)}`)
  print(`the search got ${JSON.stringify(toolResults[0]?.output.value)}`)
  print(text)
}
