import type { Policy } from '../loop-options.ts'

/** Lets only these tools run. The model sees the others too, and gets `denied` for a call of one. */
export function allowTools(names: readonly string[], reason?: string): Policy {
  return restrict((name) => names.includes(name), reason)
}

/** Keeps these tools from running. The model sees them, and gets `denied` for a call of one. */
export function denyTools(names: readonly string[], reason?: string): Policy {
  return restrict((name) => !names.includes(name), reason)
}

function restrict(isAllowed: (name: string) => boolean, reason: string | undefined): Policy {
  return (options) => ({
    ...options,
    denyCall: (call) => {
      const denied = options.denyCall?.(call)
      if (denied !== undefined || isAllowed(call.toolName)) return denied
      return reason ?? `'${call.toolName}' may not be run here. Go on without it.`
    },
  })
}
