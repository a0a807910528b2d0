import type { Flag, Mode } from '../contract/adapter.ts'

/** Whether a capability holds in a mode. Absent means no. */
export function hasCapability(flag: Flag | undefined, mode: Mode): boolean {
  return typeof flag === 'object' ? flag[mode] : flag === true
}
