import type { Policy, StepLoopOptions } from '../options/loop-options.ts'
import type { AnyTool } from '../tools/tool.ts'
import { checkSetting, checkToolNames } from './settings.ts'

/**
 * Lets only these tools run, those of the provider and the client too. The model sees the others too, but for those that its provider would run itself, and gets
 * `denied` for a call of one. A provider's tool goes by its key or its own name.
 * Throws `LoopError` `invalid-options` where a name is that of no tool, unless `unknownTools` leaves unknown names to the client.
 */
export function allowTools(names: readonly string[], reason?: string): Policy {
  return restrict('allowTools', names, { listed: true, reason })
}

/**
 * Keeps these tools from running, those of the provider and the client too. The model sees them, but for those that its provider would run itself, and gets
 * `denied` for a call of one. A provider's tool goes by its key or its own name.
 * Throws `LoopError` `invalid-options` where a name is that of no tool, unless `unknownTools` leaves unknown names to the client.
 */
export function denyTools(names: readonly string[], reason?: string): Policy {
  return restrict('denyTools', names, { listed: false, reason })
}

interface Restriction {
  /** What may run: the tools that are listed, or all others. */
  readonly listed: boolean
  readonly reason: string | undefined
}

function restrict(policy: string, names: readonly string[], { listed, reason }: Restriction): Policy {
  checkSetting(`\`${policy}\`: the list`, names, 'names')
  if (reason !== undefined) checkSetting(`\`${policy}\`: the reason`, reason, 'text')
  return (options) => {
    if (options.unknownTools !== 'client') checkToolNames(policy, names, options)
    const { tools = {}, denyCall } = options
    const keys = new Set(names.flatMap((name) => [name, ...keysOf(name, tools)]))
    const isAllowed = (name: string): boolean => keys.has(name) === listed
    return {
      ...withoutProviderTools(options, isAllowed),
      denyCall: (call) => {
        if (isAllowed(call.toolName)) return denyCall?.(call)
        return reason ?? `'${call.toolName}' may not be run here. Go on without it.`
      },
    }
  }
}

/** The keys of a provider's tool of this name, and the names of the provider's tool with this key. */
function keysOf(name: string, tools: Readonly<Record<string, AnyTool>>): readonly string[] {
  return Object.entries(tools).flatMap(([key, tool]) => {
    if (tool.type !== 'provider') return []
    return key === name ? [tool.name] : tool.name === name ? [key] : []
  })
}

/** What a provider runs itself cannot be denied when it is called, so it is not offered. */
function withoutProviderTools(options: StepLoopOptions, isAllowed: (name: string) => boolean): StepLoopOptions {
  const { tools = {}, activeTools, prepareStep } = options
  const offered = (names: readonly string[]): readonly string[] =>
    names.filter((name) => {
      const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
      return tool?.type !== 'provider' || isAllowed(name)
    })
  const all = Object.keys(tools)
  if (offered(all).length === all.length) return options
  return {
    ...options,
    activeTools: offered(activeTools ?? all),
    ...(prepareStep && {
      prepareStep: async (context) => {
        const edit = await prepareStep(context)
        return edit?.activeTools === undefined ? edit : { ...edit, activeTools: offered(edit.activeTools) }
      },
    }),
  }
}
