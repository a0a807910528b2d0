import { StepLoop, tool, type ToolAnswer } from '@steploop/core'
import { z } from 'zod'
import type { ExampleContext } from './example.ts'

const deleteFile = tool({
  description: 'Deletes a file',
  inputSchema: z.object({ path: z.string() }),
  needsApproval: true,
  execute: ({ path }) => ({ path, deleted: true }),
})

/** The run stops before a dangerous call and goes on with what the person at the terminal decides. */
export async function approval({ model, print, ask }: ExampleContext): Promise<void> {
  const loop = new StepLoop({ model, tools: { delete_file: deleteFile } })
  let result = await loop.generate('Delete draft.txt.')
  while (result.status === 'requires-action') {
    const { transcript } = result
    const toolOutputs: Record<string, ToolAnswer> = {}
    for (const { toolCallId, toolName, input } of transcript.pendingCalls) {
      const answer = await ask(`Run ${toolName} ${JSON.stringify(input)}? [y/n] `)
      const approved = answer.toLowerCase().startsWith('y')
      toolOutputs[toolCallId] = approved ? { approved } : { approved, reason: 'The user said no.' }
      print(approved ? 'approved' : 'denied')
    }
    result = await loop.generate({ transcript, toolOutputs })
  }
  print(result.text)
}
