import type { InputMessage, Message } from './messages.ts'

/**
 * A copy that nobody else holds. Plain objects and arrays are copied at any depth, Date, Map, Set and binary data too; an instance of
 * another class, which only a schema can have made, stays the same object. Cycles are kept. `undefined` members stay.
 */
export function ownCopy<T>(value: T): T {
  return isScalar(value) ? value : (copyObject(value as object, new Map()) as T)
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

function copy(value: unknown, known: Map<object, unknown>): unknown {
  return isScalar(value) ? value : copyObject(value as object, known)
}

function copyObject(value: object, known: Map<object, unknown>): unknown {
  const made = known.get(value)
  if (made !== undefined) return made
  if (Array.isArray(value)) {
    const list: unknown[] = []
    known.set(value, list)
    for (const item of value) list.push(copy(item, known))
    return list
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return copyMembers(value, prototype, known)
  return copyBuiltIn(value, known)
}

function copyMembers(value: object, prototype: object | null, known: Map<object, unknown>): object {
  const made: Record<string, unknown> = {}
  if (prototype === null) Object.setPrototypeOf(made, null)
  known.set(value, made)
  for (const name of Object.keys(value)) {
    const item = copy(Reflect.get(value, name), known)
    // A plain assignment to `__proto__` would set the prototype instead of a member.
    if (name === '__proto__')
      Object.defineProperty(made, name, { value: item, enumerable: true, writable: true, configurable: true })
    else made[name] = item
  }
  return made
}

function copyBuiltIn(value: object, known: Map<object, unknown>): unknown {
  if (value instanceof Map) {
    const made = new Map<unknown, unknown>()
    known.set(value, made)
    for (const [key, item] of value) made.set(copy(key, known), copy(item, known))
    return made
  }
  if (value instanceof Set) {
    const made = new Set<unknown>()
    known.set(value, made)
    for (const item of value) made.add(copy(item, known))
    return made
  }
  if (value instanceof Date) return new Date(value.getTime())
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? structuredClone(value) : value
}

/** Freezes plain data at any depth: whoever is shown it cannot write to it. Gives the same object. */
export function freezeData<T>(value: T): T {
  if (typeof value === 'object' && value !== null) freezeObject(value, 0)
  return value
}

/** Deeper than this, what is left is frozen without recursion. */
const deepest = 500

function freezeObject(value: object, depth: number): void {
  if (Object.isFrozen(value) || ArrayBuffer.isView(value)) return
  if (depth > deepest) {
    freezeFlat(value)
    return
  }
  Object.freeze(value)
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  for (const item of items) if (typeof item === 'object' && item !== null) freezeObject(item, depth + 1)
}

function freezeFlat(value: object): void {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const item = open.pop()
    if (typeof item !== 'object' || item === null || Object.isFrozen(item) || ArrayBuffer.isView(item)) continue
    Object.freeze(item)
    for (const inner of Object.values(item)) open.push(inner)
  }
}

/** Messages that are the loop's alone: frozen at any depth. */
const owned = new WeakSet<Message>()

/** The message as the loop keeps it: a frozen copy of what the application gave, the same object where the loop has made it. */
export function ownMessage(message: InputMessage): Message {
  if (message.role !== 'assistant' || typeof message.content !== 'string')
    return owned.has(message as Message) ? (message as Message) : keepMessage(ownCopy(message as Message))
  const content = message.content === '' ? [] : [{ type: 'text', text: message.content } as const]
  return keepMessage({ role: 'assistant', content })
}

/** Freezes a message that the loop itself has made. */
export function keepMessage<Kept extends Message>(message: Kept): Kept {
  if (!owned.has(message)) owned.add(freezeData(message))
  return message
}
