import type { AssistantPart, InputMessage, Message } from '../contract/messages.ts'
import { setMember } from '../wire/json.ts'
import { hasRoom, makeRoom } from '../wire/notes.ts'

/**
 * A copy of its own. Plain objects and arrays are copied at any depth, Date, Map, Set and binary data too. What a copy would
 * change stays the same object: an instance of another class, which only a schema can have made, and whatever has accessors, symbols or,
 * for an array, other members. Cycles are kept. Throws what a trap of a proxy throws.
 */
export function ownCopy<T>(value: T): T {
  return copy(value) as T
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

/** What was copied already. One object of scalars, as most are, needs no list of it. */
type Known = Map<object, unknown>

function copy(value: unknown, known?: Known): unknown {
  return isScalar(value) ? value : copyObject(value as object, known)
}

function copyObject(value: object, known: Known | undefined): unknown {
  const made = known?.get(value)
  if (made !== undefined) return made
  const prototype: unknown = Object.getPrototypeOf(value)
  if (Array.isArray(value)) return prototype === Array.prototype ? copyList(value, known ?? new Map()) : value
  if (prototype === Object.prototype || prototype === null) return copyMembers(value, prototype, known)
  return copyBuiltIn(value, prototype, known ?? new Map())
}

function copyList(value: readonly unknown[], known: Known): unknown {
  // What a regular expression gives, say, has members besides its items.
  if (Object.keys(value).length !== value.length) return value
  const list: unknown[] = []
  known.set(value, list)
  for (const item of value) list.push(copy(item, known))
  return list
}

function copyMembers(value: object, prototype: object | null, given: Known | undefined): object {
  // Two questions: `Reflect.ownKeys` and `Object.getOwnPropertyDescriptors` take three times as long as all of this.
  const names = Object.getOwnPropertyNames(value)
  if (Object.getOwnPropertySymbols(value).length > 0) return value
  const made: Record<string, unknown> = {}
  let inner = false
  for (const name of names) {
    const member = Object.getOwnPropertyDescriptor(value, name)
    if (!member?.enumerable || !('value' in member)) return value
    setMember(made, name, member.value)
    inner ||= !isScalar(member.value)
  }
  if (prototype === null) Object.setPrototypeOf(made, null)
  if (given === undefined && !inner) return made
  const known = given ?? new Map<object, unknown>()
  known.set(value, made)
  if (inner) for (const name of names) setMember(made, name, copy(made[name], known))
  return made
}

function copyBuiltIn(value: object, prototype: unknown, known: Known): unknown {
  if (value instanceof Map && prototype === Map.prototype) {
    const made = new Map<unknown, unknown>()
    known.set(value, made)
    for (const [key, item] of value) made.set(copy(key, known), copy(item, known))
    return made
  }
  if (value instanceof Set && prototype === Set.prototype) {
    const made = new Set<unknown>()
    known.set(value, made)
    for (const item of value) made.add(copy(item, known))
    return made
  }
  if (value instanceof Date && prototype === Date.prototype) return new Date(value)
  if (!ArrayBuffer.isView(value) && !(value instanceof ArrayBuffer)) return value
  // A `Buffer` stays one.
  return Object.setPrototypeOf(structuredClone(value), prototype as object) as unknown
}

/** Freezes plain data at any depth: whoever is shown it cannot write to it. Gives the same object. */
export function freezeData<T>(value: T): T {
  if (typeof value === 'object' && value !== null) freezeObject(value, 0)
  return value
}

/** What the fold of a turn has made: of a call only the two members that hold data are walked through. */
export function freezeParts(parts: readonly AssistantPart[]): void {
  for (const part of parts) {
    if (part.type !== 'tool-call') freezeData(part)
    else {
      const { input, providerMetadata: own } = part
      freezeData(input)
      freezeData(own?.data)
      if (own !== undefined) Object.freeze(own)
      Object.freeze(part)
    }
  }
  Object.freeze(parts)
}

/** Deeper than this, what is left is frozen without recursion. */
const deepest = 500

/** What is inside comes first: the members of a frozen object take ten times as long to list. */
function freezeObject(value: object, depth: number): void {
  if (!isPlain(value)) return
  if (depth > deepest) freezeFlat(value)
  if (freezeMembers(value, depth)) Object.freeze(value)
}

function freezeMembers(value: object, depth: number): boolean {
  if (Array.isArray(value)) {
    if (Object.isFrozen(value)) return false
    for (let index = 0; index < value.length; index++) freezeInner(value[index], depth)
    return true
  }
  let open = false
  for (const name in value) {
    const inner = (value as Record<string, unknown>)[name]
    if (typeof inner === 'object' && inner !== null) {
      if (!open && Object.isFrozen(value)) return false
      open = true
      freezeObject(inner, depth + 1)
    }
  }
  return true
}

function freezeInner(value: unknown, depth: number): void {
  if (typeof value === 'object' && value !== null) freezeObject(value, depth + 1)
}

/** Instances of classes, and what they hold, belong to the application. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

function freezeFlat(value: object): void {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const item = open.pop()
    if (typeof item !== 'object' || item === null || Object.isFrozen(item) || !isPlain(item)) continue
    Object.freeze(item)
    for (const inner of Object.values(item)) open.push(inner)
  }
}

/** The message as the loop keeps it: a frozen copy of what the application gave, the same object where the loop has made it. */
export function ownMessage(message: InputMessage): Message {
  if (message.role !== 'assistant' || typeof message.content !== 'string')
    return hasRoom(message) ? (message as Message) : keepMessage(ownRecord(message as Message, messageMembers))
  const content = message.content === '' ? [] : [{ type: 'text', text: message.content } as const]
  return keepMessage({ role: 'assistant', content })
}

/**
 * A copy also of what is no plain data, an entity of a store say, which may be written to as long as the application lives: its members are
 * read once. `members`: those that a class may give by accessors.
 */
export function ownRecord<Given extends object>(given: Given, members: readonly string[]): Given {
  const copied = ownCopy(given)
  if (copied !== given) return copied
  const named = members.flatMap((name) => (name in given ? [[name, Reflect.get(given, name)] as const] : []))
  return ownCopy(Object.fromEntries([...named, ...Object.entries(given)])) as Given
}

const messageMembers = ['role', 'content', 'synthetic', 'provider', 'model', 'responseId', 'providerMetadata']

/** Freezes a message that the loop itself has made, which has room for the note of an encoder from then on. */
export function keepMessage<Kept extends Message>(message: Kept): Kept {
  if (hasRoom(message)) return message
  const isOpen = !Object.isFrozen(message) && isPlain(message)
  // Before there is room: a message with a member that cannot be read is not the loop's.
  if (isOpen) freezeMembers(message, 0)
  makeRoom(message)
  return isOpen ? Object.freeze(message) : message
}
