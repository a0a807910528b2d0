import { setMember, type JsonObject } from './json.ts'

/** Reads one JSON object while it grows. */
export interface PartialJson {
  push(piece: string): void
  /**
   * The object as far as it is known; `undefined` before its `{`, and when it turns out to be no JSON. Texts are there as far as they came,
   * numbers, `true`, `false` and `null` when they are whole, a member when its value has begun. A new object each time; closed parts are shared.
   */
  value(): JsonObject | undefined
  /** True when the pieces are one object with nothing but blanks around it. */
  isWhole(): boolean
}

/** An object or a list that is not closed yet. It holds its closed children; the open one is the next on the stack. */
interface Open {
  readonly children: Record<string, unknown> | unknown[]
  /** Key of the member that is being read. */
  key: string
  /** `item`: a value or the end, as right after `[`; `member`: a key or the end, as right after `{`. */
  expects: 'item' | 'value' | 'member' | 'key' | 'colon' | 'comma'
}

interface Reader {
  /** What was not looked at yet: most pieces are asked about together, or never. */
  unread: string
  readonly open: Open[]
  root?: JsonObject | undefined
  state: 'before' | 'structure' | 'text' | 'escape' | 'scalar' | 'after' | 'broken'
  /** Raw characters of a text or scalar that are not decoded yet. */
  raw: string
  /** The text so far. */
  text: string
  /** Something stands before or behind it. */
  hasMore?: boolean
}

/** Each character is read once, and a question copies what is open alone: an answer that grows does not cost its length each time. */
export function createPartialJson(): PartialJson {
  const reader: Reader = { unread: '', open: [], state: 'before', raw: '', text: '' }
  const readOn = (): void => {
    const { unread } = reader
    reader.unread = ''
    for (let index = 0; index < unread.length; index++) read(reader, unread.charAt(index))
  }
  return {
    push(piece) {
      reader.unread += piece
    },
    isWhole() {
      readOn()
      return reader.state === 'after' && !reader.hasMore
    },
    value() {
      readOn()
      if (reader.state === 'after') return reader.root
      return reader.state === 'broken' || reader.open.length === 0 ? undefined : copyOf(reader)
    },
  }
}

function copyOf(reader: Reader): JsonObject | undefined {
  const top = reader.open.at(-1)
  const isText = (reader.state === 'text' || reader.state === 'escape') && top?.expects !== 'key'
  let child: unknown = isText ? decodedText(reader, unfinished) : undefined
  for (const { children, key } of reader.open.toReversed()) {
    const copy = Array.isArray(children) ? children.slice() : { ...children }
    if (child !== undefined) put(copy, key, child)
    child = copy
  }
  return child as JsonObject
}

/** An escape that is not whole, and the first half of a pair. */
const unfinished =
  /(?:\\(?:u[\da-fA-F]{0,3})?|\\u[dD][89abAB][\da-fA-F]{2}(?:\\(?:u[\da-fA-F]{0,3})?)?|[\uD800-\uDBFF])$/

/** @param held what stays undecoded at the end */
function decodedText(reader: Reader, held?: RegExp): string {
  const end = held?.exec(reader.raw)?.index ?? reader.raw.length
  try {
    reader.text += JSON.parse(`"${reader.raw.slice(0, end)}"`)
    reader.raw = reader.raw.slice(end)
  } catch {
    reader.state = 'broken'
  }
  return reader.text
}

function put(children: Open['children'], key: string, value: unknown): void {
  if (Array.isArray(children)) children.push(value)
  else setMember(children, key, value)
}

function read(reader: Reader, character: string): void {
  switch (reader.state) {
    case 'before':
      // Models put words, or a code fence, before it.
      if (character === '{') begin(reader, {})
      else reader.hasMore ||= !isBlank(character)
      return
    case 'escape':
      reader.raw += character
      reader.state = 'text'
      return
    case 'text':
      if (character === '"') endText(reader)
      else {
        reader.raw += character
        if (character === '\\') reader.state = 'escape'
      }
      return
    case 'scalar':
      if (/[\w.+-]/.test(character)) reader.raw += character
      else if (endScalar(reader)) readStructure(reader, character)
      return
    case 'structure':
      readStructure(reader, character)
      return
    case 'after':
      reader.hasMore ||= !isBlank(character)
      return
    case 'broken':
  }
}

function isBlank(character: string): boolean {
  return ' \n\r\t'.includes(character)
}

function readStructure(reader: Reader, character: string): void {
  const top = reader.open.at(-1)
  if (top === undefined || isBlank(character)) return
  const { expects } = top
  const takesValue = expects === 'item' || expects === 'value'
  if (character === (Array.isArray(top.children) ? ']' : '}')) {
    if (expects === 'item' || expects === 'member' || expects === 'comma') endContainer(reader)
    else reader.state = 'broken'
  } else if (character === ',' && expects === 'comma') top.expects = Array.isArray(top.children) ? 'value' : 'key'
  else if (character === ':' && expects === 'colon') top.expects = 'value'
  else if (character === '"' && (takesValue || expects === 'member' || expects === 'key')) {
    if (!takesValue) top.expects = 'key'
    reader.raw = ''
    reader.text = ''
    reader.state = 'text'
  } else if (!takesValue) reader.state = 'broken'
  else if (character === '{') begin(reader, {})
  else if (character === '[') begin(reader, [])
  else {
    reader.raw = character
    reader.state = 'scalar'
  }
}

/** Deeper than this nothing is shown: what is open is copied each time, and `JSON.stringify` of it would fail. */
const deepest = 1000

function begin(reader: Reader, children: Open['children']): void {
  if (reader.open.length === deepest) {
    reader.state = 'broken'
    return
  }
  reader.open.push({ children, key: '', expects: Array.isArray(children) ? 'item' : 'member' })
  reader.state = 'structure'
}

function endContainer(reader: Reader): void {
  const ended = reader.open.pop()
  if (reader.open.length > 0) return take(reader, ended?.children)
  reader.root = ended?.children as JsonObject
  reader.state = 'after'
}

function endText(reader: Reader): void {
  const text = decodedText(reader)
  const top = reader.open.at(-1)
  if (reader.state === 'broken' || top === undefined) return
  reader.state = 'structure'
  if (top.expects !== 'key') return take(reader, text)
  top.key = text
  top.expects = 'colon'
}

function endScalar(reader: Reader): boolean {
  try {
    const value: unknown = JSON.parse(reader.raw)
    reader.state = 'structure'
    take(reader, value)
    return true
  } catch {
    reader.state = 'broken'
    return false
  }
}

function take(reader: Reader, value: unknown): void {
  const top = reader.open.at(-1)
  if (top) {
    put(top.children, top.key, value)
    top.expects = 'comma'
  }
}
