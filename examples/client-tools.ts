import { StepLoop, tool, type ToolAnswer, type Transcript } from '@steploop/core'
import { z } from 'zod'
import type { ExampleContext } from './example.ts'

const price = tool({
  description: 'Price of a seat in CHF',
  inputSchema: z.object({ row: z.number() }),
  execute: ({ row }) => ({ row, price: row < 10 ? 80 : 45 }),
})

/** No `execute`: the caller answers, here a web page on which the user picks a seat. */
const pickSeat = tool({
  description: 'Lets the user pick a seat on the page',
  inputSchema: z.object({ row: z.number(), seats: z.array(z.string()) }),
})

/** What a page would do with the call that it gets. */
function page(input: unknown): ToolAnswer {
  const { seats } = z.object({ seats: z.array(z.string()) }).parse(input)
  return { output: { picked: seats[1] ?? seats[0] } }
}

/** A tool that runs elsewhere: the run suspends, is stored as JSON, and resumes with the answer, perhaps in another process. */
export async function clientTools({ model, print }: ExampleContext): Promise<void> {
  const loop = new StepLoop({ model, tools: { price, pick_seat: pickSeat } })
  const suspended = await loop.generate('I would like a seat in row 12. What does it cost?')
  print(`${suspended.status}: ${suspended.stopReason}`)
  const stored = JSON.stringify(suspended.transcript)

  const transcript = JSON.parse(stored) as Transcript
  const [call] = transcript.pendingCalls
  if (call === undefined) throw new Error('The model did not let the user pick a seat.')
  print(`the page gets ${call.toolName} ${JSON.stringify(call.input)}`)
  const result = await loop.generate({ transcript, toolOutputs: { [call.toolCallId]: page(call.input) } })
  print(result.text)
}
