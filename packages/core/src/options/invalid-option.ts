import { LoopError } from '../contract/errors.ts'
import { isObject } from '../wire/json.ts'

export function invalid(message: string): LoopError {
  return new LoopError('invalid-options', message)
}

/** Throws `LoopError` `invalid-options` unless it `isRight`. */
export function check(isRight: boolean, name: string, value: unknown, fix: string): asserts isRight {
  if (!isRight) throw invalid(`${name} is ${printed(value)}. ${fix}`)
}

/** Never throws, whatever the application gave. */
export function printed(value: unknown): string {
  try {
    if (typeof value === 'string') return `'${value.slice(0, 80)}'`
    if (!isObject(value)) return Array.isArray(value) ? 'an array' : String(value)
    return `an object with the keys ${Object.keys(value).slice(0, 8).join(', ') || '(none)'}`
  } catch {
    return 'an object that cannot be read'
  }
}
