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
