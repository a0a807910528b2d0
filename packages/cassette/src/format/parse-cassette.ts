import { type Document, LineCounter, parseAllDocuments } from 'yaml'
import type { z } from 'zod'
import type { Cassette, CassetteHeader, Chunk, Exchange } from '../cassette.ts'
import { CassetteError, type CassetteErrorCode } from '../errors.ts'
import { sha256 } from '../platform.ts'
import { type BodyKey, bodyBytes } from './body-block.ts'
import { readPrinted } from './read-printed.ts'
import { type ExchangeDocument, exchangeSchema, type HeaderDocument, headerSchema } from './schema.ts'

const version = 1
const restore = 'Restore the file from version control or record it anew.'

/** What the checks of one file share: its name for messages, and how offsets become line numbers. */
interface Source {
  readonly text: string
  readonly file: string
  readonly lines: LineCounter
}

/**
 * Reads the text of a cassette file and checks it wholly: syntax, keys, the hash of every body and of the file.
 *
 * @param fileName Named in every error.
 * @throws {CassetteError} `syntax`, `duplicate-key`, `version`, `schema`, `truncated` or `hash`.
 */
export function parseCassette(text: string, fileName: string): Cassette {
  const source: Source = { text, file: fileName, lines: new LineCounter() }
  checkFrame(source)
  const printed = readPrinted(text)?.map((value) => ({ value }))
  if (printed === undefined) return readDocuments(source, parseDocuments(source))
  try {
    return readDocuments(source, printed)
  } catch (error) {
    // A YAML library knows on which line the wrong key stands.
    if (CassetteError.isInstance(error) && error.code === 'schema') return readDocuments(source, parseDocuments(source))
    throw error
  }
}

function readDocuments(source: Source, [head, ...rest]: readonly SourceDocument[]): Cassette {
  if (head === undefined) throw fault(source, 'syntax', undefined, 'There is no header.', restore)
  const header = check(source, head, headerSchema, 'header')
  const exchanges = rest.map((document, index) => readExchange(source, document, index + 1))
  checkFileHash(source)
  return { header: cassetteHeader(header), exchanges }
}

function fault(source: Source, code: CassetteErrorCode, location: string | undefined, what: string, fix: string) {
  return new CassetteError(code, { file: source.file, location, what, fix })
}

/** What can be said before YAML is read: a version from the future may have another syntax, and a cut file reads as valid YAML. */
function checkFrame(source: Source): void {
  const { text } = source
  if (text.startsWith('\ufeff')) throw fault(source, 'syntax', 'line 1', 'The file starts with a BOM.', restore)
  const first = /^cassette: (\d+)\n/.exec(text)
  if (first === null)
    throw fault(source, 'syntax', 'line 1', 'The first line is not "cassette: 1", so this is no cassette.', restore)
  if (Number(first[1]) !== version) {
    const what = `The cassette has format version ${first[1]}; this release reads version ${version}.`
    throw fault(source, 'version', 'line 1', what, 'Update @steploop/cassette, or record the cassette anew.')
  }
  if (text.includes('\r')) {
    const fix =
      'Turn off line-end conversion for cassettes (.gitattributes: "cassettes/** -text") and check them out again.'
    throw fault(source, 'syntax', undefined, 'The file holds CR characters; cassettes have LF line ends.', fix)
  }
  if (!text.endsWith('\n...\n'))
    throw fault(
      source,
      'truncated',
      undefined,
      'The file does not end with the line "...": its end is missing.',
      restore,
    )
}

/** One YAML document: its plain value, and for messages the location of its members. */
interface SourceDocument {
  readonly value: unknown
  readonly nodes?: Document.Parsed | undefined
}

function parseDocuments(source: Source): readonly SourceDocument[] {
  const documents = parseAllDocuments(source.text, { lineCounter: source.lines, logLevel: 'error' })
  if (!Array.isArray(documents)) throw fault(source, 'syntax', 'line 1', 'The file is empty.', restore)
  for (const { errors } of documents) {
    const [error] = errors
    if (error === undefined) continue
    const location = `line ${source.lines.linePos(error.pos[0]).line}`
    if (error.code === 'DUPLICATE_KEY')
      throw fault(source, 'duplicate-key', location, 'A key stands twice in the same map.', restore)
    throw fault(source, 'syntax', location, `The file is not valid YAML (${error.code}).`, restore)
  }
  return documents.map((nodes) => ({ value: plainValue(source, nodes), nodes }))
}

// The format has no aliases, and a file of nested ones would grow without bound.
function plainValue(source: Source, document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 })
  } catch {
    throw fault(source, 'syntax', undefined, 'The file uses YAML aliases, which cassettes do not have.', restore)
  }
}

function check<Shape>(source: Source, document: SourceDocument, schema: z.ZodType<Shape>, part: string): Shape {
  const result = schema.safeParse(document.value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  const path = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])]
  const what =
    unknown === undefined ? `${path.join('.')} is wrong: ${issue?.message}.` : `Unknown key "${path.join('.')}".`
  throw fault(source, 'schema', `${lineOf(source, document, path)}${part}`, what, restore)
}

function lineOf(source: Source, { nodes }: SourceDocument, path: readonly PropertyKey[]): string {
  for (let length = path.length; length > 0; length -= 1) {
    const node = nodes?.getIn(path.slice(0, length), true)
    const offset = rangeStart(node)
    if (offset !== undefined) return `line ${source.lines.linePos(offset).line}, `
  }
  return ''
}

function rangeStart(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) return undefined
  const start: unknown = node.range[0]
  return typeof start === 'number' ? start : undefined
}

function readExchange(source: Source, document: SourceDocument, number: number): Exchange {
  const read = check(source, document, exchangeSchema, `exchange ${number}`)
  const { request, response } = read
  const received = readBody(source, response, `the response of exchange ${number}`)
  const chunks = readChunks(response.chunks)
  const total = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0)
  const location = `exchange ${number}`
  if (total !== received.length) {
    const what = `The chunks add up to ${total} bytes but the response's body has ${received.length}.`
    throw fault(source, 'schema', location, what, restore)
  }
  if (response.status === 0 && (response.ending === 'eof' || total > 0))
    throw fault(
      source,
      'schema',
      location,
      'A response with status 0 has no body and does not end with "eof".',
      restore,
    )
  return {
    request: {
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: readBody(source, request, `the request of exchange ${number}`),
      ...(request.rebased === undefined ? {} : { rebased: request.rebased }),
    },
    response: { status: response.status, headers: response.headers, body: received, chunks, ending: response.ending },
  }
}

type Half = ExchangeDocument['request'] | ExchangeDocument['response']

const bodyKeys: readonly BodyKey[] = ['text', 'crlf', 'base64']

function readBody(source: Source, half: Half, location: string): Uint8Array {
  const blocks = bodyKeys.flatMap((key) => (half[key] === undefined ? [] : [{ key, text: half[key] }]))
  const [block] = blocks
  if (block === undefined || blocks.length > 1) {
    const what = `A body stands under exactly one of text, crlf and base64, not ${blocks.length}.`
    throw fault(source, 'schema', location, what, restore)
  }
  const body = bodyBytes(block)
  if (body === undefined) throw fault(source, 'schema', location, 'The body is not valid base64.', restore)
  if (sha256(body) !== half.sha256)
    throw fault(source, 'hash', location, 'The body was edited: its hash differs.', editFix)
  return body
}

const editFix = 'Restore it from version control, record it anew, or rebase it if an encoding changed on purpose.'

function readChunks(text: string): readonly Chunk[] {
  if (text === '') return []
  return text.split(' ').map((piece) => {
    const plus = piece.indexOf('+')
    return { ms: Number(piece.slice(0, plus)), bytes: Number(piece.slice(plus + 1)) }
  })
}

// The line is looked for as text, because YAML would accept it in a dozen spellings that the hash does not cover.
function checkFileHash(source: Source): void {
  const line = /^sha256: ([0-9a-f]{64})\n/m.exec(source.text)
  if (line === null)
    throw fault(source, 'schema', 'header', 'The header has no line "sha256: <64 hexadecimal digits>".', restore)
  const without = source.text.slice(0, line.index) + source.text.slice(line.index + line[0].length)
  if (sha256(without) !== line[1])
    throw fault(source, 'hash', 'header', 'The file was edited: its hash differs.', editFix)
}

function cassetteHeader(document: HeaderDocument): CassetteHeader {
  const { scenario, mode, provider, wire, model, origin, mask } = document
  return { scenario, mode, provider, wire, model, origin, ...(mask === undefined ? {} : { mask: mask.split(' ') }) }
}
