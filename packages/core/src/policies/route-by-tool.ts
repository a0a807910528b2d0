import type { Adapter } from '../adapter.ts'
import type { Policy } from '../loop-options.ts'
import { addPrepareStep } from './compose.ts'

/**
 * Asks another model for the step that works on the results of a tool, for example a stronger one after a search. A step without such a
 * tool goes back to the loop's own model. Where several of the tools were called, the first in call order decides.
 */
export function routeByTool(models: Readonly<Record<string, Adapter>>): Policy {
  const routed = new Set(Object.values(models).map(({ model }) => model))
  return (options) =>
    addPrepareStep(options, ({ steps }) => {
      const last = steps.at(-1)
      if (last === undefined) return undefined
      const call = last.toolCalls.find(({ toolName }) => Object.hasOwn(models, toolName))
      const model = call && models[call.toolName]
      if (model !== undefined) return { model }
      // Only a routed step goes back: a fallback that took over stays.
      return routed.has(last.model) ? { model: options.model } : undefined
    })
}
