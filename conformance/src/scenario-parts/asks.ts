import type { RunInput, ToolAnswer } from '@steploop/core'
import type { LocalTools } from '../scenario-tools.ts'
import { stored, transcriptOf, type Scenario, type ScenarioContext, type ScenarioRunOptions } from '../scenario.ts'

type ToolName = Exclude<keyof LocalTools, 'declared'>
type Options = Omit<ScenarioRunOptions, 'tools'>

/** One run, with these local tools in this order; `tools` of the options are theirs alone. */
export function asks(
  input: RunInput,
  toolNames: readonly ToolName[] = [],
  options: Options | ((context: ScenarioContext) => Options) = {},
): Scenario['run'] {
  return async (context) => {
    const local = context.tools()
    const chosen = Object.fromEntries(toolNames.map((name) => [name, local[name]]))
    const runOptions = typeof options === 'function' ? options(context) : options
    await context.run(input, { ...(toolNames.length > 0 && { tools: chosen }), ...runOptions })
  }
}

/** Runs one after the other, each anew, with the tool for the weather and a clock that does not make them wait. */
export function asksInTurn(...prompts: readonly (readonly [prompt: string, options?: Options])[]): Scenario['run'] {
  return async ({ run, tools, clock: staged }) => {
    const clock = staged()
    const { get_weather } = tools()
    for (const [prompt, options] of prompts) await run(prompt, { tools: { get_weather }, clock, ...options })
  }
}

/** A run that waits for the caller; it is stored, and goes on with what the caller says to the first call that waits. */
export function asksAndAnswers(
  prompt: string,
  toolsOf: (local: LocalTools) => NonNullable<ScenarioRunOptions['tools']>,
  answer: ToolAnswer,
): Scenario['run'] {
  return async ({ run, tools }) => {
    const options = { tools: toolsOf(tools()) }
    const transcript = stored(transcriptOf(await run(prompt, options)))
    const id = transcript.pendingCalls[0]?.toolCallId ?? 'none pending'
    await run({ transcript, toolOutputs: { [id]: answer } }, options)
  }
}

/** A question, and another one when the transcript of the first was stored. */
export function asksTwice(first: string, second: string): Scenario['run'] {
  return async ({ run }) => {
    const transcript = stored(transcriptOf(await run(first)))
    await run({ transcript, prompt: second })
  }
}
