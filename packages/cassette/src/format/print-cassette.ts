import type { Cassette, CassetteHeader, Chunk, Exchange, RecordedRequest } from '../cassette.ts'
import { sha256 } from '../platform.ts'
import { bodyBlock, printBlock } from './body-block.ts'
import { jsonBodyText, printJson } from './json-text.ts'

/**
 * The cassette as the text of its file. JSON requests are re-indented; all other bodies keep every byte. Printing what was parsed
 * gives the same text again.
 */
export function printCassette(cassette: Cassette): string {
  const head = printHeader(cassette.header)
  const rest = `${cassette.exchanges.map(printExchange).join('')}...\n`
  return `${head}${hashLine(sha256(head + rest))}${rest}`
}

/** The header's own line, which its hash leaves out. */
const hashLine = (hash: string): string => `sha256: ${hash}\n`

function printHeader(header: CassetteHeader): string {
  const { origin } = header
  return [
    'cassette: 1\n',
    member('', 'scenario', header.scenario),
    member('', 'mode', header.mode),
    member('', 'provider', header.provider),
    member('', 'wire', header.wire),
    member('', 'model', header.model),
    'origin:\n',
    member('  ', 'kind', origin.kind),
    member('  ', 'by', origin.by),
    member('  ', 'date', origin.date),
    member('  ', 'host', origin.host),
    member('  ', 'server', origin.server),
    member('  ', 'recipe', origin.recipe),
    member('  ', 'source', origin.source),
    member('  ', 'licence', origin.licence),
    member('  ', 'guessed', origin.guessed),
    member('', 'mask', header.mask === undefined || header.mask.length === 0 ? undefined : header.mask.join(' ')),
  ].join('')
}

function printExchange({ request, response }: Exchange): string {
  const sent = storedRequestBody(request)
  return [
    '---\nrequest:\n',
    member('  ', 'method', request.method),
    member('  ', 'url', request.url),
    printHeaders(request.headers),
    printBlock(bodyBlock(sent)),
    member('  ', 'rebased', request.rebased),
    member('  ', 'sha256', sha256(sent)),
    'response:\n',
    `  status: ${response.status}\n`,
    printHeaders(response.headers),
    printBlock(bodyBlock(response.body)),
    member('  ', 'chunks', printChunks(response.chunks)),
    member('  ', 'ending', response.ending),
    member('  ', 'sha256', sha256(response.body)),
  ].join('')
}

/** A request's body as the file holds it: JSON re-indented, anything else as it was sent. */
export function storedRequestBody(request: RecordedRequest): Uint8Array {
  const json = jsonBodyText(request.body)
  return json === undefined ? request.body : new TextEncoder().encode(printJson(json))
}

// One string, because a list of numbers makes loading twenty times slower.
const printChunks = (chunks: readonly Chunk[]): string => chunks.map(({ ms, bytes }) => `${ms}+${bytes}`).join(' ')

function printHeaders(headers: Readonly<Record<string, string>>): string {
  const names = Object.keys(headers).toSorted()
  if (names.length === 0) return '  headers: {}\n'
  return `  headers:\n${names.map((name) => member('    ', name, headers[name])).join('')}`
}

function member(indentation: string, key: string, value: string | undefined): string {
  return value === undefined ? '' : `${indentation}${printKey(key)}: ${quoted(value)}\n`
}

// Words that YAML reads as something else than text when they stand bare.
const reserved = /^(?:true|false|null|yes|no|on|off|y|n)$/

const printKey = (key: string): string => (/^[a-z][a-z0-9-]*$/.test(key) && !reserved.test(key) ? key : quoted(key))

// JSON strings are YAML double-quoted strings, except for what YAML does not allow bare.
const bare = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

function quoted(value: string): string {
  return JSON.stringify(value).replace(bare, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
