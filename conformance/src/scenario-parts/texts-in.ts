import { isObject } from '@steploop/core/adapter'
import { parsed } from '../json.ts'

/** All texts inside of a value, in its order; those that are JSON themselves give theirs instead. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    const inner = /^[[{]/.test(value) ? parsed(value) : undefined
    return isObject(inner) || Array.isArray(inner) ? textsIn(inner) : [value]
  }
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item))
  return isObject(value) ? Object.values(value).flatMap((member) => textsIn(member)) : []
}
