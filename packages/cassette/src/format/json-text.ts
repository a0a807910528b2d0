/** Longest line on which a small array or object stays whole, in UTF-16 units. */
const lineWidth = 100
/** Deeper than this nothing is indented any more: the blanks of a hostile nesting would outgrow memory. */
const deepestBlock = 64

const exactText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A body that is one JSON object or array, or undefined. */
export function jsonBody(body: Uint8Array): { readonly text: string; readonly value: unknown } | undefined {
  const first = body.find((byte) => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)
  if (first !== 0x7b && first !== 0x5b) return undefined
  try {
    const text = exactText.decode(body)
    return { text, value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** The text of a body that is one JSON object or array, or undefined. */
export function jsonBodyText(body: Uint8Array): string | undefined {
  return jsonBody(body)?.text
}

/** One JSON token and where it stands in the text. */
export interface JsonToken {
  readonly start: number
  readonly end: number
}

/**
 * The tokens of a valid JSON text, without the white space between them. Strings are found by searching for their closing quote:
 * a regular expression over a string of megabytes (an image) overflows the engine's stack.
 */
export function jsonTokens(text: string): JsonToken[] {
  const tokens: JsonToken[] = []
  let position = 0
  while (position < text.length) {
    const code = text.charCodeAt(position)
    if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      position += 1
      continue
    }
    const end = tokenEnd(text, position, code)
    tokens.push({ start: position, end })
    position = end
  }
  return tokens
}

const scalar = /[^\s,\]}:]+/y

function tokenEnd(text: string, start: number, code: number): number {
  if (code === 0x22) return stringEnd(text, start)
  if ('{}[],:'.includes(text.charAt(start))) return start + 1
  scalar.lastIndex = start
  scalar.test(text)
  return Math.max(scalar.lastIndex, start + 1)
}

function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (quote !== -1) {
    let slashes = 0
    while (text.charCodeAt(quote - 1 - slashes) === 0x5c) slashes += 1
    if (slashes % 2 === 0) return quote + 1
    quote = text.indexOf('"', quote + 1)
  }
  return text.length
}

/**
 * Re-indents a valid JSON text token by token: numbers and escapes stay as they were written, which a parse and print would change.
 * Small arrays and objects stay on one line. Printing its own result changes nothing.
 */
export function printJson(text: string): string {
  const tokens = jsonTokens(text).map((token) => text.slice(token.start, token.end))
  const widths = inlineWidths(tokens)
  const open: boolean[] = []
  let out = ''
  let column = 0
  const write = (piece: string): void => {
    out += piece
    column += piece.length
  }
  const breakLine = (): void => {
    // Only blocks are open here: what stands inside an inline container is inline too.
    out += `\n${'  '.repeat(open.length)}`
    column = open.length * 2
  }
  for (const [index, token] of tokens.entries()) {
    const inside = open.at(-1)
    if (token === '{' || token === '[') {
      const empty = tokens[index + 1] === (token === '{' ? '}' : ']')
      const fits =
        inside !== undefined && (open.length >= deepestBlock || column + (widths[index] ?? 0) + 1 <= lineWidth)
      open.push(inside === true || empty || fits)
      write(token)
      if (!empty) openContainer(token, open.at(-1) === true, write, breakLine)
    } else if (token === '}' || token === ']') {
      open.pop()
      const empty = tokens[index - 1] === (token === '}' ? '{' : '[')
      if (inside === false) breakLine()
      write(inside === true && token === '}' && !empty ? ' }' : token)
    } else if (token === ',') {
      write(inside === true ? ', ' : ',')
      if (inside === false) breakLine()
    } else write(token === ':' ? ': ' : token)
  }
  return out
}

/** The tokens of a valid JSON text with nothing between them. */
export const compactJson = (text: string): string =>
  jsonTokens(text)
    .map(({ start, end }) => text.slice(start, end))
    .join('')

function openContainer(token: string, inline: boolean, write: (piece: string) => void, breakLine: () => void): void {
  if (!inline) breakLine()
  else if (token === '{') write(' ')
}

/** For each opening token the width of its container when written on one line. */
function inlineWidths(tokens: readonly string[]): number[] {
  const widths: number[] = []
  const open: { index: number; start: number }[] = []
  let total = 0
  for (const [index, token] of tokens.entries()) {
    if (token === '{' || token === '[') open.push({ index, start: total })
    total += token.length + (token === ',' || token === ':' || token === '{' || token === '}' ? 1 : 0)
    if (token !== '}' && token !== ']') continue
    const container = open.pop()
    if (container !== undefined) widths[container.index] = total - container.start
  }
  return widths
}
