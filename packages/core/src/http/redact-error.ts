import { errorText } from '../wire/error-text.ts'
import { AdapterError, rebuildMessage } from '../contract/errors.ts'

type Hide = (text: string) => string

/** Made when it is used: to make an error when core is loaded takes half of the time that its evaluation takes. */
let bare: AdapterError | undefined

/**
 * Takes secrets out of an error, in place: its texts, its stack, what was added to it, and its cause. A text is shortened only after
 * that, so that no piece of a secret is left at its end. A cause that holds a secret, or is no plain data and no plain error, so that
 * nobody knows what a log would print of it, is replaced by its text.
 *
 * @param hide replaces the secrets of a text: `createRedactor`
 */
export function redactError(error: AdapterError, hide: Hide): AdapterError {
  const { message, stack, requestId } = error
  const redacted = rebuildMessage(error, hide)
  bare ??= new AdapterError({ provider: '', model: '', code: 'unknown', cause: '' })
  for (const name of Reflect.ownKeys(error)) {
    if (!Object.hasOwn(bare, name) && !isHarmless(Reflect.get(error, name), hide)) Reflect.deleteProperty(error, name)
  }
  if (error.cause !== undefined) error.cause = redactCause(error.cause, hide)
  return Object.assign(error, {
    ...redacted,
    stack: stack === undefined ? undefined : hide(stack.replace(message, () => redacted.message)),
    requestId: requestId === undefined ? undefined : hide(requestId),
  })
}

/** Longer texts are of no use, and are not looked through: twice, since a secret may stand where a text is cut. */
const longest = 10_000
const shown = 1000

function redactText(text: string, hide: Hide): string {
  return hide(text.slice(0, longest)).slice(0, shown)
}

function redactCause(cause: unknown, hide: Hide, depth = 0): unknown {
  if (isHarmless(cause, hide)) return cause
  // What cannot be read is no plain error either.
  if (read(cause, 'message') === undefined || depth > 10) return redactText(errorText(cause), hide)
  return copyOf(cause as Error, hide, depth)
}

/** The texts of an error, and no more. */
export function textsOf(error: unknown, names: readonly string[], hide: Hide): Error {
  const copy = new Error(redactText(errorText(error), hide))
  for (const name of names) {
    const value = read(error, name)
    const kept = typeof value === 'string' ? redactText(value, hide) : value
    if (typeof kept === 'string' || typeof kept === 'number') {
      Object.defineProperty(copy, name, { value: kept, configurable: true, writable: true })
    }
  }
  return copy
}

function copyOf(error: Error, hide: Hide, depth: number): Error {
  const copy = textsOf(error, ['name', 'stack', 'code'], hide)
  const cause = read(error, 'cause')
  if (cause === undefined || cause === error) return copy
  return Object.defineProperty(copy, 'cause', { value: redactCause(cause, hide, depth + 1), configurable: true })
}

export function read(value: unknown, name: string): unknown {
  try {
    return value instanceof Error ? Reflect.get(value, name) : undefined
  } catch {
    return undefined
  }
}

/** Far more objects than an error has; what cannot be looked through counts as a secret. */
const mostObjects = 1000

/** Plain data and plain errors, without a secret in them: all that a log could print was looked at. Each thing once. */
function isHarmless(value: unknown, hide: Hide, seen: Set<object> = new Set()): boolean {
  if (typeof value === 'string') return value.length <= longest && hide(value) === value
  if (typeof value === 'symbol') return isHarmless(value.description, hide)
  if (typeof value === 'function') return false
  if (typeof value !== 'object' || value === null || seen.has(value)) return true
  seen.add(value)
  if (seen.size > mostObjects) return false
  try {
    return isPlain(value, hide) && Reflect.ownKeys(value).every((key) => isHarmlessMember(value, key, hide, seen))
  } catch {
    return false
  }
}

function isHarmlessMember(owner: object, key: string | symbol, hide: Hide, seen: Set<object>): boolean {
  if (!isHarmless(key, hide)) return false
  // In some engines the stack is no value but an accessor.
  if (key === 'stack' && owner instanceof Error) return isHarmless(owner.stack, hide)
  const member = Object.getOwnPropertyDescriptor(owner, key)
  return member !== undefined && 'value' in member && isHarmless(member.value, hide, seen)
}

function isPlain(value: object, hide: Hide): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null
  if (prototype === null || prototype === Object.prototype || prototype === Array.prototype) return true
  return value instanceof Error && isPlainError(prototype, hide)
}

const standard: ReadonlySet<unknown> = new Set(
  [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError].map(
    (type) => type.prototype as unknown,
  ),
)

/** What says how it is printed may print what it keeps to itself; methods that are not called do not matter. */
const printers: ReadonlySet<string | symbol> = new Set(['toString', 'toJSON', 'valueOf'])

function isPlainError(prototype: object, hide: Hide): boolean {
  for (let level = prototype; !standard.has(level); level = Object.getPrototypeOf(level) as object) {
    const owner = level
    const isFine = Reflect.ownKeys(owner).every((key) => {
      const value: unknown = Object.getOwnPropertyDescriptor(owner, key)?.value
      if (typeof value === 'function') return typeof key === 'string' && !printers.has(key)
      return value !== undefined && isHarmless(value, hide)
    })
    if (!isFine) return false
  }
  return true
}
