import { CassetteError } from '../errors.ts'
import { parseCassette } from '../format/parse-cassette.ts'
import { bodyTexts } from '../redaction/body-texts.ts'
import { type SecretFinding, scanCassette, scanner, type ScanOptions } from '../redaction/scan-cassette.ts'

/**
 * Searches any text file for secrets. A cassette is read and searched as one; otherwise each line is searched, and in JSON and streams
 * of it also the joined pieces. Locations are lines, or paths where a secret stands in no single line. One finding per rule and line.
 */
export function scanText(bytes: Uint8Array, options: ScanOptions = {}): SecretFinding[] {
  const text = new TextDecoder().decode(bytes)
  const scan = scanner(options.env ?? globalThis.process?.env ?? {})
  const named = options.fileName === undefined ? [] : scan(options.fileName, 'file name')
  const found = cassetteFindings(text, options) ?? textFindings(text, bytes, scan)
  return [...named, ...found]
}

function cassetteFindings(text: string, { env, fileName }: ScanOptions): SecretFinding[] | undefined {
  if (!text.startsWith('cassette: ')) return undefined
  try {
    return scanCassette(parseCassette(text, fileName ?? ''), { env })
  } catch (error) {
    // What `check` will call broken is searched as the text that it is.
    if (CassetteError.isInstance(error)) return undefined
    throw error
  }
}

function textFindings(text: string, bytes: Uint8Array, scan: ReturnType<typeof scanner>): SecretFinding[] {
  const rules = new Set(bodyTexts(bytes).flatMap((part) => scan(part.text, part.path).map(({ rule }) => rule)))
  if (rules.size === 0) return []
  const lines = text.split(/\r\n|[\r\n]/).flatMap((line, index) => scan(line, `line ${index + 1}`))
  const inLines = new Set(lines.map(({ rule }) => rule))
  const left = [...rules].filter((rule) => !inLines.has(rule))
  return [...lines, ...left.map((rule) => ({ rule, location: locationOf(rule, bytes, scan) }))]
}

function locationOf(rule: string, bytes: Uint8Array, scan: ReturnType<typeof scanner>): string {
  const part = bodyTexts(bytes).find(({ text, path }) => scan(text, path).some((found) => found.rule === rule))
  return part === undefined || part.path === '' ? 'several lines' : part.path
}
