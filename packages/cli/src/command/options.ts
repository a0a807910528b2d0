import { HarnessError } from '@steploop/conformance'
import type { Mode } from '@steploop/core'

/** For options that may be given more than once. */
export function repeated(value: string, values: readonly string[]): readonly string[] {
  return [...values, value]
}

/** @throws HarnessError `usage` for anything but a mode */
export function modeOf(mode: string | undefined): Mode | undefined {
  if (mode === undefined || mode === 'generate' || mode === 'stream') return mode
  throw new HarnessError('usage', `There is no mode '${mode}'. There are: generate, stream.`)
}

/**
 * The items that are named, or all when none is.
 *
 * @throws HarnessError `usage` for a name that is not there, with those that are
 */
export function pickNamed<Item>(
  items: readonly Item[],
  names: readonly string[],
  nameOf: (item: Item) => string,
  kind: string,
): readonly Item[] {
  const unknown = names.find((name) => !items.some((item) => nameOf(item) === name))
  if (unknown !== undefined) {
    throw new HarnessError('usage', `There is no ${kind} '${unknown}'. There are: ${items.map(nameOf).join(', ')}.`)
  }
  return names.length === 0 ? items : items.filter((item) => names.includes(nameOf(item)))
}
