import { jsonBodyText, type JsonToken, jsonTokens } from '../format/json-text.ts'
import { masked } from '../rules/comparable-body.ts'
import { utf8 } from '../format/body-block.ts'

/** Whether a text is a dotted path: names without blanks, `*` for any member. */
export const isMaskPath = (path: string): boolean => path !== '' && path.split('.').every((step) => /^\S+$/.test(step))

/** A JSON request with every value under the paths replaced by `"[masked]"`; other bodies stay as they are. */
export function maskRequestBody(body: Uint8Array, paths: readonly string[]): Uint8Array {
  const text = paths.length === 0 ? undefined : jsonBodyText(body)
  if (text === undefined) return body
  return new TextEncoder().encode(replaceValues(text, paths, () => JSON.stringify(masked)))
}

/**
 * A response with the values under the paths made unreadable **without changing any length**, so that chunks and framing stay true:
 * strings become asterisks, digits become 1. Looks into JSON bodies, into the `data:` lines of server-sent events, and into lines of JSON.
 */
export function maskResponseBody(
  body: Uint8Array,
  contentType: string | undefined,
  paths: readonly string[],
): Uint8Array {
  if (paths.length === 0) return body
  const json = jsonBodyText(body)
  if (json !== undefined) return new TextEncoder().encode(replaceValues(json, paths, blotted))
  if (contentType === undefined || !/event-stream|ndjson|jsonl|json-seq|x-json/.test(contentType)) return body
  const text = utf8(body)
  return text === undefined ? body : new TextEncoder().encode(text.replace(jsonLine, (line) => maskLine(line, paths)))
}

// Bytes that are not UTF-8 would not survive decoding; such a body stays as it is, and the scan judges it.
// Lines that are JSON, or carry it behind `data:`. Written without `^` and `$`, which also match at U+2028.
const jsonLine = /(?<=^|[\r\n])(?:data:[ ]?)?[[{][^\r\n]*/g

function maskLine(line: string, paths: readonly string[]): string {
  const start = line.search(/[[{]/)
  const json = line.slice(start)
  if (jsonBodyText(new TextEncoder().encode(json)) === undefined) return line
  return line.slice(0, start) + replaceValues(json, paths, blotted)
}

/** Text of as many UTF-8 bytes with nothing to read in it but the names of members. */
function blotted(value: string): string {
  return jsonTokens(value)
    .map((token, index, all) => {
      const text = value.slice(token.start, token.end)
      const next = all[index + 1]
      const gap = value.slice(token.end, next?.start ?? token.end)
      if (next !== undefined && value[next.start] === ':') return text + gap
      if (text.startsWith('"')) return `"${'*'.repeat(new TextEncoder().encode(text).length - 2)}"${gap}`
      return (/^-?\d/.test(text) ? '1'.repeat(text.length) : text) + gap
    })
    .join('')
}

interface Level {
  readonly array: boolean
  key: string
  index: number
}

/** Replaces the text of every value under one of the paths. */
function replaceValues(text: string, paths: readonly string[], replace: (value: string) => string): string {
  const wanted = paths.map((path) => path.split('.'))
  const tokens = jsonTokens(text)
  const levels: Level[] = []
  let out = ''
  let copied = 0
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]
    if (token === undefined) break
    const character = text.charAt(token.start)
    const level = levels.at(-1)
    if (character === '}' || character === ']') levels.pop()
    else if (character === ',') advance(level)
    else if (isKey(text, tokens[index + 1], level, character)) setKey(level, text.slice(token.start, token.end))
    else if (character !== ':') {
      if (wanted.some((path) => matches(path, levels))) {
        const last = lastOfValue(text, tokens, index)
        const end = tokens[last]?.end ?? token.end
        out += text.slice(copied, token.start) + replace(text.slice(token.start, end))
        copied = end
        index = last
      } else if (character === '{' || character === '[') levels.push({ array: character === '[', key: '', index: 0 })
    }
  }
  return out + text.slice(copied)
}

function isKey(text: string, next: JsonToken | undefined, level: Level | undefined, character: string): boolean {
  return character === '"' && level?.array === false && next !== undefined && text.charAt(next.start) === ':'
}

function setKey(level: Level | undefined, text: string): void {
  if (level !== undefined) level.key = String(JSON.parse(text))
}

function advance(level: Level | undefined): void {
  if (level !== undefined) level.index += 1
}

function matches(path: readonly string[], levels: readonly Level[]): boolean {
  if (path.length !== levels.length) return false
  return levels.every(
    (level, depth) => path[depth] === '*' || path[depth] === (level.array ? String(level.index) : level.key),
  )
}

function lastOfValue(text: string, tokens: readonly JsonToken[], start: number): number {
  let depth = 0
  for (let index = start; index < tokens.length; index += 1) {
    const character = text.charAt(tokens[index]?.start ?? 0)
    if (character === '{' || character === '[') depth += 1
    if (character === '}' || character === ']') depth -= 1
    if (depth === 0) return index
  }
  return tokens.length - 1
}
