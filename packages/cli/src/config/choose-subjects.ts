import { HarnessError } from '@steploop/conformance'
import type { LoadedConfig } from './load-config.ts'

/** Names of the config's subjects that were asked for; all without any. Throws `usage` for one that there is not. */
export function subjectsOf({ subjects }: LoadedConfig, only: readonly string[]): readonly string[] {
  const names = subjects.map(({ name }) => name)
  const unknown = only.find((name) => !names.includes(name))
  if (unknown === undefined) return names.filter((name) => only.length === 0 || only.includes(name))
  throw new HarnessError('usage', `There is no subject '${unknown}'. There are: ${names.join(', ')}.`)
}
