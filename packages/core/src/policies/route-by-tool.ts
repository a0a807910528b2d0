import type { Adapter } from '../contract/adapter.ts'
import type { Policy } from '../options/loop-options.ts'
import { addPrepareStep } from './compose.ts'
import { checkSettings, checkToolNames } from './settings.ts'

/**
 * Asks another model for the step that works on the results of a tool, for example a stronger one after a search. A step without such a
 * tool goes back to the loop's own model. Where several of the tools were called, the first in call order decides.
 * Throws `LoopError` `invalid-options` for what are no models, and for names of tools that the loop does not have.
 */
export function routeByTool(models: Readonly<Record<string, Adapter>>): Policy {
  const names = Object.keys(models ?? {})
  checkSettings('routeByTool', models, Object.fromEntries(names.map((name) => [name, 'model'])), names)
  const routed = new Set(Object.values(models).map(({ model }) => model))
  return (options) => {
    checkToolNames('routeByTool', names, options)
    return addPrepareStep(options, ({ steps }) => {
      const last = steps.at(-1)
      if (last === undefined) return undefined
      const call = last.toolCalls.find(({ toolName }) => Object.hasOwn(models, toolName))
      const model = call && models[call.toolName]
      if (model !== undefined) return { model }
      // Only a routed step goes back: a fallback that took over stays.
      return routed.has(last.model) ? { model: options.model } : undefined
    })
  }
}
