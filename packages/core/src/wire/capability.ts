import type { Flag, Mode } from '../contract/adapter.ts'

/** Whether a capability holds in a mode. Absent means no. */
export function hasCapability(flag: Flag | undefined, mode: Mode): boolean {
  if (typeof flag !== 'object') return flag === true
  // By names: a member that is looked up by a text takes five times as long, in every turn.
  return mode === 'generate' ? flag.generate : flag.stream
}
