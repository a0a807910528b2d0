import { invalid } from '../options/invalid-option.ts'
import type { Policy } from '../options/loop-options.ts'
import { isThenable } from '../tools/thenable.ts'
import type { FunctionTool, ToolContext } from '../tools/tool.ts'
import { mapTools, originOf } from './compose.ts'
import { faithfulJson, plainCopy } from './plain-data.ts'
import { checkSettings, checkToolNames } from './settings.ts'

export interface CacheToolResultsOptions {
  /** Names of the tools whose results may be reused; each is marked `effect: 'read'`. Default: all that are marked so. */
  readonly tools?: readonly string[] | undefined
  /**
   * Who shares results. Default: every conversation has its own, by the id of its transcript. A text shares them between all loops and runs
   * that are given this policy: for what is the same for everybody. A function names the user or the tenant of a call; where it gives
   * no text, or throws, the tool runs.
   */
  readonly scope?: string | ((context: ToolContext) => string) | undefined
  /** Results that are kept in all scopes; the one that was used longest ago goes first. Default 100. */
  readonly maxEntries?: number | undefined
  /** Milliseconds that a result stays good, from the call on. Default: as long as the policy lives. */
  readonly maxAge?: number | undefined
}

type Execute = (input: unknown, context: ToolContext) => unknown
type Kept = { readonly value: unknown } | undefined

interface Entry {
  /** `undefined`: there is no result to share, and a call that waits runs the tool. */
  readonly result: Kept | Promise<Kept>
  readonly until: number
}

/**
 * Runs a tool that only reads once for the same input, whatever the order of its keys; calls that come at the same time share one run.
 * Everybody gets a copy. Not kept are failures, results of calls that were aborted or whose time was over (who waits for one runs the tool
 * himself), inputs that JSON cannot say in full, and results that cannot be copied. Tools that are declared apart share nothing.
 *
 * Throws `LoopError` `invalid-options` for options that do not exist, and for `tools` that do not run here or are not marked `effect: 'read'`.
 */
export function cacheToolResults(settings: CacheToolResultsOptions = {}): Policy {
  checkSettings('cacheToolResults', settings, { tools: 'names', scope: 'scope', maxEntries: 'count', maxAge: 'count' })
  const { tools, scope = ({ transcriptId }) => transcriptId, maxEntries = 100, maxAge = Infinity } = settings
  const cache = new Map<string, Entry>()
  return (options) => {
    checkToolNames('cacheToolResults', tools ?? [], options, 'run')
    const now = (): number => options.clock?.now() ?? Date.now()
    return mapTools(options, (tool, name) => {
      if (tools !== undefined && !tools.includes(name)) return tool
      if (originOf(tool).effect !== 'read') {
        if (tools === undefined) return tool
        throw invalid(
          `\`cacheToolResults\` names '${name}', which may write. Mark it \`effect: 'read'\`, or leave it out.`,
        )
      }
      const execute = tool.execute as Execute
      return {
        ...tool,
        execute: (input: unknown, context: ToolContext) => {
          const key = keyOf(tool, input, scopeOf(scope, context))
          if (key === undefined) return execute(input, context)
          const run = (): unknown => {
            const until = now() + maxAge
            return runAndKeep({ cache, key, until, signal: context.signal }, () => execute(input, context), maxEntries)
          }
          const known = cache.get(key)
          if (known === undefined || known.until <= now()) return run()
          // A Map keeps its keys in the order in which they were set.
          cache.delete(key)
          cache.set(key, known)
          return reuse(known, context.signal, run)
        },
      }
    })
  }
}

function scopeOf(scope: NonNullable<CacheToolResultsOptions['scope']>, context: ToolContext): string | undefined {
  if (typeof scope === 'string') return scope
  try {
    const given: unknown = scope(context)
    return typeof given === 'string' && given !== '' ? given : undefined
  } catch {
    return undefined
  }
}

const numbers = new WeakMap<object, number>()
let lastNumber = 0

function keyOf(tool: FunctionTool<never>, input: unknown, scope: string | undefined): string | undefined {
  const json = scope === undefined ? undefined : faithfulJson(input)
  if (json === undefined) return undefined
  const declared = originOf(tool)
  const number = numbers.get(declared) ?? ++lastNumber
  numbers.set(declared, number)
  return `${number} ${json} ${scope}`
}

function reuse({ result }: Entry, signal: AbortSignal, run: () => unknown): unknown {
  const copy = (outcome: Kept): unknown => {
    if (outcome !== undefined) return plainCopy(outcome.value)?.value
    signal.throwIfAborted()
    return run()
  }
  return result instanceof Promise ? result.then(copy) : copy(result)
}

interface Lookup {
  readonly cache: Map<string, Entry>
  readonly key: string
  readonly until: number
  readonly signal: AbortSignal
}

/** The call that runs the tool gets what it gave; the cache gets a copy. */
function runAndKeep(lookup: Lookup, execute: () => unknown, maxEntries: number): unknown {
  const { cache, key, until, signal } = lookup
  const returned = execute()
  // Some start their work whenever `then` is called: it is called once.
  const given = isThenable(returned) ? Promise.resolve(returned) : returned
  const entry: Entry = { until, result: given instanceof Promise ? settled(given, signal) : kept(given, signal) }
  cache.delete(key)
  if (entry.result === undefined) return given
  cache.set(key, entry)
  void Promise.resolve(entry.result).then((outcome) => {
    if (outcome === undefined && cache.get(key) === entry) cache.delete(key)
  })
  for (const oldest of cache.keys()) {
    if (cache.size <= maxEntries) break
    cache.delete(oldest)
  }
  return given
}

/** What a call gave, `undefined` when it failed or was aborted: at once, whether the tool ends or not. */
function settled(given: Promise<unknown>, signal: AbortSignal): Promise<Kept> {
  return new Promise((resolve) => {
    const giveUp = (): void => resolve(undefined)
    signal.addEventListener('abort', giveUp)
    const end = (outcome: Kept): void => {
      signal.removeEventListener('abort', giveUp)
      resolve(outcome)
    }
    given.then((value) => end(kept(value, signal)), giveUp)
  })
}

/** A tool that is aborted may give a part of its result. */
function kept(value: unknown, signal: AbortSignal): Kept {
  return signal.aborted ? undefined : plainCopy(value)
}
