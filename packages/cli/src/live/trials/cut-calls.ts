import { tool, type Adapter, type Mode } from '@steploop/core'
import { z } from 'zod'
import { brokenInvariants, type RanCall } from './invariants.ts'
import type { Problems } from './judge-trial.ts'
import { errorWords, essay, prompts, tryRun } from './trial.ts'

/** Tokens: the cut falls into tags, the name, the first argument, between two arguments, and far into the second one. */
const limits = [3, 6, 9, 12, 16, 24, 60, 120] as const

/** Milliseconds. */
const longest = 60_000

/**
 * The token limit cuts the model's last call at many tokens, while all fields of the tool are optional: half a call, which some servers
 * close, would run. Calls before it may run.
 */
export async function cutCalls(model: Adapter, mode: Mode): Promise<Problems> {
  const problems: string[] = []
  for (const maxOutputTokens of limits) {
    for (const prompt of [prompts.file, prompts.look]) {
      const { tools, ran, written } = cutTools()
      const eagerTools = maxOutputTokens % 2 === 0
      const trial = await tryRun({
        model,
        mode,
        prompt,
        tools,
        maxOutputTokens,
        maxSteps: 2,
        eagerTools,
      })
      const where = `'${prompt}' with ${maxOutputTokens} tokens`
      problems.push(...brokenInvariants(trial, ran, longest).map((problem) => `${where}: ${problem}`))
      problems.push(...written.map((input) => `${where}: ran with ${JSON.stringify(input).slice(0, 120)}`))
      if (trial.error !== undefined) problems.push(`${where}: ${errorWords(trial.error)}`)
    }
  }
  return problems
}

/** `written` holds what the tool got, unless it is all that the model meant. */
function cutTools() {
  const ran: RanCall[] = []
  const written: unknown[] = []
  const text = z.string().optional()
  const tools = {
    look: tool({
      inputSchema: z.object({ what: text }),
      effect: 'read',
      execute: (_input, { toolCallId }) => {
        ran.push({ toolCallId, toolName: 'look' })
        return 'seen'
      },
    }),
    write_file: tool({
      inputSchema: z.object({ path: text, text }),
      execute: (input, { toolCallId }) => {
        ran.push({ toolCallId, toolName: 'write_file' })
        if (input.text !== essay && input.text !== essay.slice(0, 900)) written.push(input)
        return 'written'
      },
    }),
  }
  return { tools, ran, written }
}
