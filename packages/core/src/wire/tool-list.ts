import type { FunctionToolDefinition, ProviderToolDefinition, ToolDefinition } from '../contract/adapter.ts'
import { joinJson } from './body.ts'
import type { Warn } from './encode-once.ts'
import { arrayOf, noItems, type JsonObject } from './json.ts'

export interface ToolListOptions {
  /** The adapter's: its own provider tools go in as they are defined. */
  readonly provider: string
  readonly warn: Warn
  /** JSON text of a function. `path` is `tools[n]`, for warnings. */
  readonly encode: (tool: FunctionToolDefinition, path: string) => string
  /** The warning about a tool of another provider, which is left out. */
  readonly leftOut?: ((tool: ProviderToolDefinition) => string) | undefined
}

/** The turn's tools as elements of a JSON array. */
export function encodeToolList(tools: readonly ToolDefinition[], options: ToolListOptions): string {
  const { provider, warn, encode, leftOut } = options
  const texts = tools.map((tool, index) => {
    const path = `tools[${index}]`
    if (tool.type === 'function') return encode(tool, path)
    if (tool.provider === provider) return JSON.stringify(tool.definition)
    const message = leftOut?.(tool) ?? `'${tool.name}' is a tool of ${tool.provider}; ${provider} does not get it`
    warn({ type: 'dropped', path, message })
    return ''
  })
  return joinJson(texts)
}

/** `tools` of `providerOptions`, which go behind the turn's. */
export function moreTools({ tools }: JsonObject, warn: Warn): readonly unknown[] {
  if (tools !== undefined && !Array.isArray(tools))
    warn({ type: 'dropped', path: 'providerOptions.tools', message: '`tools` is taken as an array of more tools only' })
  return arrayOf(tools)
}

/** The functions of a turn by their names on the wire, for decoders. */
export type ToolNames = ReadonlyMap<string, string>

/**
 * Makes the way back from the names that functions have on the wire; the names of a list of tools are looked up once. Throws `TypeError` for
 * two functions with one name there: a server of tools may choose the one that another's function gets, and would get its calls.
 */
export function createToolNames(
  wireName: (toolName: string) => string,
): (tools: readonly ToolDefinition[] | undefined) => ToolNames {
  const kept = new WeakMap<readonly ToolDefinition[], ToolNames>()
  return (tools: readonly ToolDefinition[] = noItems) => {
    let names = kept.get(tools)
    if (names === undefined) {
      names = namesOf(tools, wireName)
      kept.set(tools, names)
    }
    return names
  }
}

function namesOf(tools: readonly ToolDefinition[], wireName: (toolName: string) => string): ToolNames {
  const names = new Map<string, string>()
  for (const { type, name } of tools) {
    if (type !== 'function') continue
    const sent = wireName(name)
    const other = names.get(sent)
    if (other !== undefined)
      throw new TypeError(
        `The tools '${other}' and '${name}' have one name for the provider, '${sent}'; rename one of them`,
      )
    names.set(sent, name)
  }
  return names
}
