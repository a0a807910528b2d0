import { canonicalJson } from '../canonical-json.ts'
import type { Policy } from '../loop-options.ts'
import type { ToolContext } from '../tool.ts'
import { mapTools } from './compose.ts'

export interface CacheToolResultsOptions {
  /** Names of the tools whose results may be reused. Default: all. */
  readonly tools?: readonly string[] | undefined
  /** Results that are kept; the one that was used longest ago goes first. Default 100. */
  readonly maxEntries?: number | undefined
  /** Milliseconds that a result stays good, from the call on. Default: as long as the loop lives. */
  readonly maxAge?: number | undefined
}

interface Entry {
  readonly result: unknown
  readonly until: number
}

/**
 * Runs a tool once for the same input, whatever the order of its keys; calls that come at the same time share one run. Failures are not
 * kept, and a call whose shared run fails, because the run that began it was aborted, say, runs itself. The cache belongs to the policy:
 * all loops and runs that are given this very policy share it.
 */
export function cacheToolResults(settings: CacheToolResultsOptions = {}): Policy {
  const { tools, maxEntries = 100, maxAge = Infinity } = settings
  const cache = new Map<string, Entry>()
  return (options) => {
    const now = (): number => options.clock?.now() ?? Date.now()
    return mapTools(options, (tool, name) => {
      if (tools !== undefined && !tools.includes(name)) return tool
      const execute = tool.execute as (input: unknown, context: ToolContext) => unknown
      return {
        ...tool,
        execute: (input: unknown, context: ToolContext) => {
          const key = `${name} ${canonicalJson(input)}`
          const known = cache.get(key)
          cache.delete(key)
          const fresh = known !== undefined && known.until > now()
          const until = now() + maxAge
          const result = fresh ? shared(known.result, () => execute(input, context)) : execute(input, context)
          cache.set(key, fresh ? known : { result, until })
          forgetFailure(cache, key, result)
          forgetOldest(cache, maxEntries)
          return result
        },
      }
    })
  }
}

function shared(result: unknown, runAgain: () => unknown): unknown {
  return result instanceof Promise ? result.catch(runAgain) : result
}

function forgetFailure(cache: Map<string, Entry>, key: string, result: unknown): void {
  if (!(result instanceof Promise)) return
  result.catch(() => {
    if (cache.get(key)?.result === result) cache.delete(key)
  })
}

/** A Map keeps its keys in the order in which they were set. */
function forgetOldest(cache: Map<string, Entry>, maxEntries: number): void {
  for (const key of cache.keys()) {
    if (cache.size <= maxEntries) return
    cache.delete(key)
  }
}
