/** Finds the end of one JSON object in a text that grows. */
export interface JsonScan {
  push(piece: string): void
  /** True when the pieces are one JSON object with nothing but blanks around it. */
  isWhole(): boolean
}

/** Each character is looked at once, and the object parsed once: a question after each piece must not cost the whole text each time. */
export function createJsonScan(): JsonScan {
  let text = ''
  /** The end of `text` that was not looked at yet. Kept apart: to look into a text that grows makes the engine copy it. */
  let unread = ''
  let depth = 0
  let inText = false
  let escaped = false
  let ended = false
  let isObject: boolean | undefined
  const step = (character: string): void => {
    if (escaped) escaped = false
    else if (inText) {
      if (character === '\\') escaped = true
      else if (character === '"') inText = false
    } else if (character === '"') inText = true
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
  }
  const read = (): void => {
    for (const character of unread) {
      if (!inText && blanks.has(character)) continue
      // What does not begin like an object is none, and behind the end of one there is nothing.
      if (depth === 0 && (ended || character !== '{')) isObject = false
      if (isObject === false) break
      step(character)
      ended = depth === 0
    }
    unread = ''
  }
  return {
    push(piece) {
      if (isObject === false) return
      text += piece
      unread += piece
    },
    isWhole() {
      read()
      if (!ended || isObject === false) return false
      isObject ??= isJson(text)
      return isObject
    },
  }
}

const blanks: ReadonlySet<string> = new Set(' \t\r\n')

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
