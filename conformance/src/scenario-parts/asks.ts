import type { RunInput } from '@steploop/core'
import type { LocalTools } from '../play/local-tools.ts'
import type { Scenario, ScenarioRunOptions } from '../scenario.ts'

type ToolName = Exclude<keyof LocalTools, 'declared'>

/** One run, with these local tools in this order; `tools` of the options are theirs alone. */
export function asks(
  input: RunInput,
  toolNames: readonly ToolName[] = [],
  options?: Omit<ScenarioRunOptions, 'tools'>,
): Scenario['run'] {
  return async ({ run, tools }) => {
    const local = tools()
    const chosen = Object.fromEntries(toolNames.map((name) => [name, local[name]]))
    await run(input, { ...(toolNames.length > 0 && { tools: chosen }), ...options })
  }
}
