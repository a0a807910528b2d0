import type { Policy } from '../loop-options.ts'
import { checkSetting, checkToolNames } from './settings.ts'

/**
 * Lets only these tools run. The model sees the others too, and gets `denied` for a call of one.
 * Throws `LoopError` `invalid-options` where a name is that of no tool, unless `unknownTools` leaves unknown names to the client.
 */
export function allowTools(names: readonly string[], reason?: string): Policy {
  return restrict('allowTools', names, { isAllowed: (name) => names.includes(name), reason })
}

/**
 * Keeps these tools from running. The model sees them, and gets `denied` for a call of one.
 * Throws `LoopError` `invalid-options` where a name is that of no tool, unless `unknownTools` leaves unknown names to the client.
 */
export function denyTools(names: readonly string[], reason?: string): Policy {
  return restrict('denyTools', names, { isAllowed: (name) => !names.includes(name), reason })
}

interface Restriction {
  readonly isAllowed: (name: string) => boolean
  readonly reason: string | undefined
}

function restrict(policy: string, names: readonly string[], { isAllowed, reason }: Restriction): Policy {
  checkSetting(`\`${policy}\`: the list`, names, 'names')
  if (reason !== undefined) checkSetting(`\`${policy}\`: the reason`, reason, 'text')
  return (options) => {
    if (options.unknownTools !== 'client') checkToolNames(policy, names, options)
    return {
      ...options,
      denyCall: (call) => {
        const denied = options.denyCall?.(call)
        if (denied !== undefined || isAllowed(call.toolName)) return denied
        return reason ?? `'${call.toolName}' may not be run here. Go on without it.`
      },
    }
  }
}
