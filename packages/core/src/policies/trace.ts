import type { Policy } from '../options/loop-options.ts'
import { addHook } from './compose.ts'
import { checkSetting } from './settings.ts'
import type { StepContext } from '../options/loop-hooks.ts'

/** One line of an execution trace. */
export interface TraceEntry {
  /** ISO 8601, in UTC. */
  readonly timestamp: string
  /** Number of the step, from 0. */
  readonly step: number
  /** `finalize` is the request for an answer without further calls. */
  readonly action: 'request' | 'finalize' | 'response' | 'tool-call' | 'step-end'
  readonly data: Readonly<Record<string, unknown>>
}

/** Hands a line to `write` for every request, response, tool call and step. What `write` throws ends the run like any hook's error. */
export function trace(write: (entry: TraceEntry) => void): Policy {
  checkSetting('`trace`', write, 'function')
  return (options) => {
    const now = (): string => new Date(options.clock?.now() ?? Date.now()).toISOString()
    const note =
      (action: TraceEntry['action'] | 'ask', data: (context: StepContext) => TraceEntry['data']) =>
      (context: StepContext): undefined => {
        const asked = context.finalizing === true ? 'finalize' : 'request'
        write({ timestamp: now(), step: context.step, action: action === 'ask' ? asked : action, data: data(context) })
      }
    const hooks = [
      ['onStepStart', note('ask', ({ messages }) => ({ messages: messages.length }))],
      ['onResponse', note('response', ({ response }) => ({ parts: response?.content.map(({ type }) => type) }))],
      ['onToolExecuted', note('tool-call', toolData)],
      ['onStepEnd', note('step-end', ({ steps }) => ({ usage: steps.at(-1)?.usage }))],
    ] as const
    return hooks.reduce((traced, [name, hook]) => addHook(traced, name, hook), options)
  }
}

function toolData({ toolCall, toolResult }: StepContext): TraceEntry['data'] {
  return { toolName: toolCall?.toolName, input: toolCall?.input, output: toolResult?.output }
}
