/** The one key under which a body stands in the file, and what stands there. */
export interface BodyBlock {
  readonly key: BodyKey
  readonly text: string
}

export type BodyKey = 'text' | 'crlf' | 'base64'

// What YAML readers refuse or change inside a literal block: control characters (C0 and C1) but TAB, LF and CR, which is looked at
// apart, byte order marks and the two non-characters.
const unprintable = /[^\P{Cc}\t\n\r]|[\ufeff\ufffe\uffff]/u
const blanksOnly = /^[ \t\n]+$/

/** Chooses how a body is shown (rule 2 of the format): as text, as text whose line ends are all CR LF, or as base64. */
export function bodyBlock(body: Uint8Array): BodyBlock {
  const text = utf8(body)
  if (text === undefined || unprintable.test(text)) return inBase64(body)
  if (!text.includes('\r')) return isSafe(text) ? { key: 'text', text } : inBase64(body)
  const shown = text.replaceAll('\r\n', '\n')
  const everyLineEndIsCrLf = !shown.includes('\r') && shown.replaceAll('\n', '\r\n').length === text.length
  return everyLineEndIsCrLf && isSafe(shown) ? { key: 'crlf', text: shown } : inBase64(body)
}

// A last line of blanks without a line end would be cut off by the strip indicator.
function isSafe(text: string): boolean {
  if (text === '') return true
  if (blanksOnly.test(text)) return false
  return text.endsWith('\n') || !blanksOnly.test(`${text.slice(text.lastIndexOf('\n') + 1)}\n`)
}

/** `undefined`: the bytes are no UTF-8. */
export function utf8(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return undefined
  }
}

const base64Width = 76

function inBase64(body: Uint8Array): BodyBlock {
  const whole = toBase64(body)
  const lines: string[] = []
  for (let start = 0; start < whole.length; start += base64Width) lines.push(whole.slice(start, start + base64Width))
  return { key: 'base64', text: lines.join('\n') }
}

/** The bytes that {@link bodyBlock} showed, or undefined when the block is not valid base64. */
export function bodyBytes(block: BodyBlock): Uint8Array | undefined {
  switch (block.key) {
    case 'text':
      return new TextEncoder().encode(block.text)
    case 'crlf':
      return new TextEncoder().encode(block.text.replaceAll('\n', '\r\n'))
    case 'base64':
      return fromBase64(block.text.replaceAll('\n', ''))
    default:
      return block.key satisfies never
  }
}

/** A literal block under a key of an exchange, or `""` for no text. */
export function printBlock(block: BodyBlock): string {
  if (block.text === '') return `  ${block.key}: ""\n`
  const keep = block.text.endsWith('\n')
  const lines = (keep ? block.text.slice(0, -1) : block.text).split('\n')
  const shown = lines.map((line) => (line === '' ? '' : `    ${line}`)).join('\n')
  return `  ${block.key}: ${keep ? '|2+' : '|2-'}\n${shown}\n`
}

const chunkSize = 0x8000

export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += chunkSize)
    // Six times as fast as spread out.
    binary += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(start, start + chunkSize))
  return btoa(binary)
}

function fromBase64(text: string): Uint8Array | undefined {
  try {
    const binary = atob(text)
    const bytes = new Uint8Array(binary.length)
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
    return bytes
  } catch {
    return undefined
  }
}
