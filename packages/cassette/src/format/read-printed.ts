/**
 * Reads the YAML that `printCassette` prints, and only that: anything else gives undefined, for a real YAML reader to judge. A real one
 * takes ten times as long for the many small values of a cassette; a test holds the two against each other.
 */
export function readPrinted(text: string): unknown[] | undefined {
  if (unusual.test(text) || !text.endsWith(endMark)) return undefined
  const reader: Reader = { text, position: 0, end: text.length - endMark.length + 1 }
  try {
    const documents: unknown[] = [readMap(reader, 0)]
    while (reader.position < reader.end) {
      if (!text.startsWith('---\n', reader.position)) return undefined
      reader.position += 4
      documents.push(readMap(reader, 0))
    }
    return documents
  } catch (error) {
    if (error instanceof NotPrinted || error instanceof SyntaxError) return undefined
    throw error
  }
}

const endMark = '\n...\n'
// Characters that YAML readers treat in ways of their own. The printer escapes them or resorts to base64.
const unusual = /[^\P{Cc}\t\n]|[\ufeff\ufffe\uffff]/u

interface Reader {
  readonly text: string
  position: number
  readonly end: number
}

/** Thrown inside this file only, where the text leaves the printer's grammar. */
class NotPrinted extends Error {}

function lineEnd({ text, position }: Reader): number {
  const end = text.indexOf('\n', position)
  return end === -1 ? text.length : end
}

function indentation({ text, position }: Reader): number {
  let spaces = 0
  while (text.charCodeAt(position + spaces) === 0x20) spaces += 1
  return spaces
}

function readMap(reader: Reader, depth: number): Record<string, unknown> {
  const map: Record<string, unknown> = {}
  while (
    reader.position < reader.end &&
    indentation(reader) === depth &&
    !reader.text.startsWith('---', reader.position)
  ) {
    const end = lineEnd(reader)
    const { key, value } = splitMember(reader.text.slice(reader.position + depth, end))
    if (Object.hasOwn(map, key)) throw new NotPrinted()
    reader.position = end + 1
    map[key] = readValue(reader, depth, value)
  }
  if (Object.keys(map).length === 0) throw new NotPrinted()
  return map
}

const plainMember = /^([a-z][a-z0-9-]*):(?: (.+))?$/
const quotedMember = /^("(?:[^"\\]|\\.){0,200}"):(?: (.+))?$/

function splitMember(line: string): { key: string; value: string | undefined } {
  const plain = plainMember.exec(line)
  const match = plain ?? quotedMember.exec(line)
  if (match === null) throw new NotPrinted()
  const [, name = '', value] = match
  const key = plain === null ? String(JSON.parse(name)) : name
  if (key === '__proto__' || /^(?:true|false|null)$/.test(name)) throw new NotPrinted()
  return { key, value }
}

// YAML takes a hash of digits alone for a number, which is not read here.
const hash = /^(?!\d+(?:e\d+)?$)[0-9a-f]{64}$/

function readValue(reader: Reader, depth: number, value: string | undefined): unknown {
  if (value === undefined) {
    if (depth > 2) throw new NotPrinted()
    return readMap(reader, depth + 2)
  }
  if (value.startsWith('"')) return JSON.parse(value)
  if (value === '|2+' || value === '|2-') return readBlock(reader, depth + 2, value === '|2+')
  if (value === '{}') return {}
  if (/^(?:0|[1-9]\d{0,8})$/.test(value)) return Number(value)
  if (hash.test(value)) return value
  throw new NotPrinted()
}

function readBlock(reader: Reader, depth: number, keep: boolean): string {
  const lines: string[] = []
  let last = ''
  while (reader.position < reader.end) {
    const end = lineEnd(reader)
    if (end > reader.position) {
      const spaces = indentation(reader)
      // Blanks alone, too few to be content: readers differ on those.
      if (spaces < depth && reader.position + spaces === end) throw new NotPrinted()
      if (spaces < depth) break
    }
    last = reader.text.slice(Math.min(reader.position + depth, end), end)
    lines.push(last)
    reader.position = end + 1
  }
  // The strip indicator drops blank lines at the end, of which the printer writes none.
  if (lines.every(isBlank) || (!keep && isBlank(last))) throw new NotPrinted()
  return lines.join('\n') + (keep ? '\n' : '')
}

const isBlank = (line: string): boolean => /^[ \t]*$/.test(line)
