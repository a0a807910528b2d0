import { invalid, printed } from '../options/invalid-option.ts'
import { isObject } from '../wire/json.ts'
import type { StepLoopOptions } from '../options/loop-options.ts'

/** What a setting of a policy has to be. */
const kinds = {
  text: { what: 'a text', fits: (value: unknown) => typeof value === 'string' },
  name: { what: 'a name', fits: (value: unknown) => typeof value === 'string' && value !== '' },
  names: {
    what: 'an array of names',
    fits: (value: unknown) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  },
  count: { what: 'a number from 0', fits: (value: unknown) => typeof value === 'number' && value >= 0 },
  model: {
    what: 'a model',
    fits: (value: unknown) => isObject(value) && typeof value['turn'] === 'function' && isObject(value['capabilities']),
  },
  function: { what: 'a function', fits: (value: unknown) => typeof value === 'function' },
  scope: {
    what: 'a text or a function',
    fits: (value: unknown) => (typeof value === 'string' && value !== '') || typeof value === 'function',
  },
} as const

type Kind = keyof typeof kinds

/** Throws `LoopError` `invalid-options` for settings of a policy that it does not have, or that it cannot use. */
export function checkSettings(
  policy: string,
  settings: unknown,
  known: Readonly<Record<string, Kind>>,
  required: readonly string[] = [],
): void {
  if (!isObject(settings)) throw invalid(`\`${policy}\` got ${printed(settings)}. Give an object.`)
  for (const [name, value] of Object.entries(settings)) {
    const kind = Object.hasOwn(known, name) ? known[name] : undefined
    if (kind === undefined) {
      throw invalid(`\`${policy}\` has no option '${name}'. It takes: ${Object.keys(known).join(', ')}.`)
    }
    if (value !== undefined) checkSetting(`\`${policy}\`: \`${name}\``, value, kind)
  }
  const missing = required.find((name) => settings[name] === undefined)
  if (missing !== undefined) throw invalid(`\`${policy}\` needs the option '${missing}'.`)
}

/** Throws `LoopError` `invalid-options` for one value that is not what it has to be. */
export function checkSetting(name: string, value: unknown, kind: Kind): void {
  if (!kinds[kind].fits(value)) throw invalid(`${name} is ${printed(value)}. Give ${kinds[kind].what}.`)
}

/**
 * Throws `LoopError` `invalid-options` for a name that no tool of the loop has: the policy would do nothing, or let everything through,
 * without a word. `run`: only tools that the loop runs itself will do. Without tools there is nothing to name.
 */
export function checkToolNames(
  policy: string,
  names: readonly string[],
  options: StepLoopOptions,
  which: 'any' | 'run' = 'any',
): void {
  // What are no tools is refused with the other options.
  if (!isObject(options.tools)) return
  const tools = Object.entries(options.tools)
  const fitting = tools.flatMap(([name, tool]) => {
    if (tool.type === 'provider') return which === 'run' ? [] : [name, tool.name]
    return which === 'any' || tool.execute !== undefined ? [name] : []
  })
  const unknownName = tools.length === 0 ? undefined : names.find((name) => !fitting.includes(name))
  if (unknownName === undefined) return
  const what = which === 'run' ? 'tool that this loop runs' : 'tool of this loop'
  throw invalid(
    `\`${policy}\` names '${unknownName}', which is no ${what}. There are: ${fitting.join(', ') || 'none'}.`,
  )
}
